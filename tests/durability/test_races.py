"""Two workers and one book: one writes, the other pays nothing; who was overtaken writes nothing.

Source: DESIGN section 5, rule 5, and section 17, "paid by a second worker".
"""

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, update

from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import Allowance
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.run_book import run_book
from bookwright.models.amount import Amount, Cap
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookHeld, BookPaused, LeaseLost
from bookwright.models.settings import Settings, load_settings
from bookwright.models.step import Activity, Reply, StepKey
from bookwright.storage.engine.database import Database, database_now
from bookwright.storage.lease import Lease, owner_name
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tables import books, metadata
from tests.durability.children import BRIEF, calls_in, in_child, provider, settings_for
from tests.durability.invariants import violations
from tests.support.postgres import PostgresServer

LONG = make_brief(BRIEF | {"length": 150_000})
"""A book that is not finished by the calls of a race."""

SECONDS = 60.0
"""How long a lease runs here: longer than any step of a test takes."""

HOUR = 3_600.0


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest) -> str:
    """A database of the test's own; empty for SQLite in the data folder."""
    if request.param == "sqlite":
        return ""
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url(server.new_database(request.getfixturevalue("postgres_template")))


@dataclass
class Racer:
    """One of two workers, in a process of its own, with a provider of its own."""

    name: str
    settings: Settings
    start: Barrier
    end: Barrier
    said: Path
    calls_left: int = 0

    def race(self, rounds: int) -> None:
        """Try to write the book in each round, make a call or two if it is won, and tell what came of it."""
        database, models = open_library(self.settings), ModelService(self.settings)
        book = find_or_create(database, LONG)
        for number in range(rounds):
            self.start.wait(SECONDS)
            self.calls_left = 1 + number % 2
            try:
                run_book(book.id, RunConfig(self.settings, database, Meagre(models, self)))
            except BookHeld as held:
                self.tell(f"{number} held {held.owner} {0 < held.seconds_left <= SECONDS}")
                self.end.wait(SECONDS)
            except BookPaused:
                self.tell(f"{number} wrote {owner_name()} True")
        models.close()

    def tell(self, line: str) -> None:
        with self.said.open("a") as file:
            file.write(f"{self.name} {line}\n")


@dataclass
class Meagre:
    """Asks as often as its racer may, then waits with the book in hand until the other has given up."""

    models: ModelService
    racer: Racer

    def ask(self, *question: Any) -> Reply:
        if not self.racer.calls_left:
            self.racer.end.wait(SECONDS)
            raise BookPaused("enough for this round")
        self.racer.calls_left -= 1
        return self.models.ask(*question)


@pytest.mark.parametrize("rounds", [pytest.param(8, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.soak)])
def test_of_two_workers_one_writes_and_the_other_pays_nothing(address: str, tmp_path: Path, rounds: int) -> None:
    said, ledgers = tmp_path / "said", {name: tmp_path / f"{name}.jsonl" for name in "AB"}
    fork = multiprocessing.get_context("fork")
    start, end = fork.Barrier(2), fork.Barrier(2)
    with provider(ledgers["A"]) as first, provider(ledgers["B"]) as second:
        settings = {
            name: race_settings(tmp_path, url, address) for name, url in zip("AB", (first, second), strict=True)
        }
        database = open_library(settings["A"])
        find_or_create(database, LONG)
        database.dispose()
        racers = [Racer(name, settings[name], start, end, said) for name in "AB"]
        processes = {racer.name: in_child(lambda racer=racer: racer.race(rounds)) for racer in racers}  # type: ignore[misc]
        ends = [os.waitpid(pid, 0)[1] for pid in processes.values()]

    assert ends == [0, 0]
    told = [line.split(" ") for line in said.read_text().splitlines()]
    assert Counter((line[1], line[2]) for line in told) == {
        (str(number), what): 1 for number in range(rounds) for what in ("wrote", "held")
    }
    winners = {line[1]: line for line in told if line[2] == "wrote"}
    assert all(line[3:] == winners[line[1]][3:] for line in told), "the loser was not told who holds the book"
    for name, ledger in ledgers.items():
        assert len(calls_in(ledger)) == sum(1 + int(line[1]) % 2 for line in winners.values() if line[0] == name)
    database = open_library(settings["A"])
    assert violations(database, [call for ledger in ledgers.values() for call in calls_in(ledger)], deaths=0) == []
    database.dispose()


def race_settings(home: Path, url: str, address: str) -> Settings:
    return settings_for(home, url).model_copy(update={"lease_seconds": SECONDS, "database_url": address})


@pytest.fixture
def database(address: str, tmp_path: Path) -> Iterator[Database]:
    """The open database."""
    database = open_library(load_settings(home=tmp_path, database_url=address))
    yield database
    database.dispose()


@pytest.fixture
def book(database: Database) -> Book:
    """A book that nobody has begun."""
    return find_or_create(database, LONG)


def take(database: Database, book: Book, owner: str) -> Lease:
    with database.write(Failpoint.TAKE_LEASE) as connection:
        return Lease.take(connection, book.id, owner, SECONDS)


def let_run_out(database: Database) -> None:
    """Let the lease have ended a second ago, by the database's clock."""
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).values(lease_expires=database_now() - 1))


def everything(database: Database) -> dict[str, list[Any]]:
    """Every row of every table."""
    with database.read() as connection:
        return {table.name: sorted(map(str, connection.execute(table.select()))) for table in metadata.sorted_tables}


@pytest.mark.parametrize("wrong_by", [-HOUR, 0.0, HOUR])
def test_a_book_is_taken_over_when_its_lease_has_run_out_whatever_a_worker_takes_the_time_for(
    database: Database, book: Book, tmp_path: Path, address: str, wrong_by: float
) -> None:
    settings = load_settings(home=tmp_path, database_url=address)
    take(database, book, "worker A")

    early = taken_by_a_worker_whose_clock_is_wrong(settings, book, wrong_by)
    let_run_out(database)
    late = taken_by_a_worker_whose_clock_is_wrong(settings, book, wrong_by)

    assert (early, late) == ("held by worker A", "taken")
    with pytest.raises(BookHeld) as held:
        take(database, book, "worker C")
    assert held.value.owner == "worker B"
    assert 0 < held.value.seconds_left <= SECONDS


def taken_by_a_worker_whose_clock_is_wrong(settings: Settings, book: Book, wrong_by: float) -> str:
    """Let a child try to take the book; its process believes in another time than this one."""
    reader, writer = os.pipe()

    def try_it() -> None:
        right = time.time
        time.time = lambda: right() + wrong_by  # dies with the child
        database = open_library(settings)
        try:
            take(database, book, "worker B")
            os.write(writer, b"taken")
        except BookHeld as held:
            os.write(writer, f"held by {held.owner}".encode())

    _, status = os.waitpid(in_child(try_it), 0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        assert status == 0
        return answer.read()


def test_a_lease_of_a_lost_answer_is_ours_by_its_token_and_its_moment(database: Database, book: Book) -> None:
    lease = take(database, book, "worker A")
    with database.write(Failpoint.TAKE_LEASE) as connection:
        again = Lease.take(connection, book.id, "worker A", SECONDS, lease)
    with database.write(Failpoint.TAKE_LEASE) as connection, pytest.raises(BookHeld):
        Lease.take(connection, book.id, "worker A", SECONDS, Lease(book.id, "worker A", again.token, SECONDS, 0.5, 0.0))

    assert again.token == lease.token + 1


def test_no_time_of_the_workers_own_reaches_a_lease(database: Database, book: Book) -> None:
    told: list[float] = []

    def hear(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        values = parameters.values() if isinstance(parameters, dict) else parameters
        told.extend(value for value in values if isinstance(value, float))

    event.listen(database.engine, "before_cursor_execute", hear)
    lease = take(database, book, "worker A")
    with database.write(Failpoint.EDIT_BOOK) as connection:
        lease.fence(connection)
        lease.release(connection)

    assert set(told) <= {SECONDS, 0.0, -1.0}  # the last stands for a moment before any wish


@dataclass
class Stale:
    """A worker that was overtaken and does not know it yet."""

    database: Database
    book: Book
    journal: Journal
    root: int
    done: int
    """The step that it recorded while the book was its own."""

    def attempt(self, step: str) -> Attempt:
        key = StepKey(book=self.book.id, node=self.root, revision=1, activity=Activity.WRITE, round=0, step=step)
        return Attempt(key, 1, "writer", "story/x", ("system", f"ask {step}"), Reply(text="Rain.", model="none:none"))


@pytest.fixture
def stale(database: Database, book: Book) -> Stale:
    storage = BookStorage(database, book.id, book.brief.language)
    journal = Journal(storage, take(database, book, "worker A"))
    with storage.read() as stores:
        root = stores.nodes.root().key
    worker = Stale(database, book, journal, root, done=0)
    worker.done = journal.record(worker.attempt("draft"))
    let_run_out(database)
    take(database, book, "worker B")
    return worker


def rename(stores: Stores, step: int) -> None:
    stores.books.change(stores.nodes.root().book, title="A's title")


def defer_and_record(worker: Stale) -> None:
    worker.journal.defer(lambda stores: rename(stores, 0))
    worker.journal.record(worker.attempt("critic"))


def move_late(worker: Stale) -> None:
    [record] = worker.journal.attempts(worker.attempt("draft").key)
    worker.journal.move_late(record, rename)


STALE_WRITES: dict[str, Callable[[Stale], Any]] = {
    "a record": lambda worker: worker.journal.record(worker.attempt("critic"), rename),
    "a record again": lambda worker: worker.journal.record(worker.attempt("critic"), rename, is_again=True),
    "a record that is known": lambda worker: worker.journal.record(worker.attempt("draft"), is_again=True),
    "a move": lambda worker: worker.journal.move(rename),
    "a late move": move_late,
    "a deferred write": defer_and_record,
    "a heartbeat": lambda worker: worker.journal.renew(),
    "an allowance": lambda worker: Allowance(worker.book.id, Cap(10**9, 10**9), worker.journal, SECONDS).extend(
        Amount(0, 0), 1_000, 1_000
    ),
}


@pytest.mark.parametrize("write", STALE_WRITES)
def test_what_an_overtaken_worker_writes_next_fails_and_leaves_nothing(stale: Stale, write: str) -> None:
    before = everything(stale.database)

    with pytest.raises(LeaseLost, match="another worker has taken over"):
        STALE_WRITES[write](stale)

    assert everything(stale.database) == before


@pytest.mark.parametrize("ending", [None, BookPaused("a reason of A's"), KeyboardInterrupt()], ids=repr)
def test_an_overtaken_worker_leaves_the_book_as_the_other_has_it(
    database: Database, book: Book, tmp_path: Path, ending: BaseException | None
) -> None:
    settings = load_settings(home=tmp_path, embedding="hashing", lease_seconds=SECONDS)
    models = ModelService(settings)

    def be_overtaken() -> None:
        with hold_book(book.id, RunConfig(settings, database, models)):
            let_run_out(database)
            take(database, book, "worker B")
            before.update(everything(database))
            if ending is not None:
                raise ending

    before: dict[str, list[Any]] = {}
    with pytest.raises((LeaseLost, KeyboardInterrupt)):
        be_overtaken()

    assert everything(database) == before
    with database.read() as connection:
        left = BookRepository(connection).get(book.id)
    assert (left.lease_owner, left.state, left.reason) == ("worker B", BookState.WRITING, "")
