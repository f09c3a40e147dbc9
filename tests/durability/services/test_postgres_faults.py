"""Postgres that restarts, hangs up, stays away, or loses a COMMIT or its answer, in the middle of a book.

Each book is judged by I1 to I9 with no death of a worker to excuse anything: whatever was paid is
on record, once. Source: DESIGN section 5, rule 9.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from sqlalchemy import Connection, event, func, select, text

from bookwright import failpoints
from bookwright.agents.backends.service import ModelService
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookHeld, BookPaused, BookwrightError, DatabaseUnreachable, ReplyLost
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.storage.engine.database import Database, open_database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.tables import books
from tests.durability.children import BRIEF, calls_in, finished_text, settings_for
from tests.durability.invariants import violations
from tests.durability.wire import Loss, wire
from tests.support import novelist
from tests.support.fake_provider import FakeProvider
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.postgres

SHORT = make_brief(BRIEF | {"length": 2_000, "max_planning_rounds": 1})
"""A book of ten calls."""

WRITES = [Failpoint.TAKE_LEASE, Failpoint.RECORD_STEP, Failpoint.MOVE, Failpoint.LEAVE_BOOK]
SAMPLE = [
    *((Failpoint.RECORD_STEP, loss) for loss in Loss),
    (Failpoint.TAKE_LEASE, Loss.REPLY), (Failpoint.MOVE, Loss.LATE), (Failpoint.LEAVE_BOOK, Loss.REQUEST),
]  # fmt: skip
REST = [pytest.param(point, loss, marks=pytest.mark.soak)
        for point in WRITES for loss in Loss if (point, loss) not in SAMPLE]  # fmt: skip


@dataclass
class Scene:
    """One book, its provider and its server."""

    server: PostgresServer
    settings: Settings
    ledger: Path
    database: Database
    disturb: Callable[[int], None] = lambda call: None
    """Hears the number of each call, from 1, while it is under way."""
    calls: int = 0

    @property
    def name(self) -> str:
        return self.settings.database_url.rpartition("/")[2]

    def create(self) -> Book:
        return find_or_create(self.database, SHORT)

    def write(self) -> Book:
        """Write the book, or go on with it."""
        models = ModelService(self.settings)
        try:
            asker = Disturbed(models, self)
            return run_book(self.create().id, RunConfig(self.settings, self.database, asker))
        finally:
            models.close()

    def write_and_resume(self) -> list[str]:
        """Write the book, going on as often as needed; returns what was said each time it rested."""
        said: list[str] = []
        while True:
            try:
                self.write()
            except BookHeld:
                time.sleep(0.1)  # by the lease of a worker that could not give it back
            except BookwrightError as rest:
                said.append(str(rest))
            else:
                return said

    def hang_up(self) -> None:
        """End every connection to the book's database, as an administrator can."""
        self.server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}'")

    def away_for(self, seconds: float) -> None:
        """Stop the server and start it again later."""
        self.server.stop()
        Timer(seconds, self.server.start).start()


@dataclass
class Disturbed:
    """Asks the models, and disturbs while they think."""

    models: ModelService
    scene: Scene

    def ask(self, *question: Any) -> Reply:
        self.scene.calls += 1
        self.scene.disturb(self.scene.calls)
        return self.models.ask(*question)


@pytest.fixture
def scene(postgres: PostgresServer, postgres_template: str, tmp_path: Path) -> Iterator[Scene]:
    """A book that nobody has begun."""
    ledger = tmp_path / "ledger.jsonl"
    with FakeProvider(author=novelist.write, ledger_path=ledger) as provider:
        url = postgres.url(postgres.new_database(postgres_template))
        settings = settings_for(tmp_path / "home", provider.url)
        settings = settings.model_copy(update={"database_url": url, "lease_seconds": 60.0})
        database = open_library(settings)
        yield Scene(postgres, settings, ledger, database)
        failpoints.arm()
        database.dispose()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the book where nothing happened."""
    home = tmp_path_factory.mktemp("undisturbed")
    with FakeProvider(author=novelist.write) as provider:
        settings = settings_for(home, provider.url)
        database, models = open_library(settings), ModelService(settings)
        run_book(find_or_create(database, SHORT).id, RunConfig(settings, database, models))
        models.close()
        database.dispose()
    return finished_text(settings)[1]


@contextmanager
def at_statements(
    scene: Scene, is_chosen: Callable[[Connection, int], bool], fault: Callable[[], None]
) -> Iterator[list[str]]:
    """Let the fault happen right before each chosen statement, numbered from 1; yields those it met."""
    met: list[str] = []
    numbers = count(1)

    def hear(connection: Connection, cursor: Any, statement: str, *rest: Any) -> None:
        if is_chosen(connection, next(numbers)):
            met.append(statement)
            fault()

    event.listen(scene.database.engine, "before_cursor_execute", hear)
    yield met
    event.remove(scene.database.engine, "before_cursor_execute", hear)


def every_61st(offset: int) -> Callable[[Connection, int], bool]:
    """More statements than the walk needs from its root to the next recorded step."""
    return lambda connection, number: number % 61 == offset


def assert_nothing_was_lost_or_paid_twice(scene: Scene, undisturbed: str, lost: int = 0) -> None:
    book, prose = finished_text(scene.settings)
    assert book.state is BookState.FINISHED
    assert book.lease_owner is None
    assert prose == undisturbed
    assert violations(scene.database, calls_in(scene.ledger), deaths=lost) == []


@pytest.mark.slow
def test_a_server_that_restarts_during_calls_is_not_noticed(scene: Scene, undisturbed: str) -> None:
    scene.disturb = lambda call: scene.server.restart() if call in (1, 6) else None

    scene.write()

    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


@pytest.mark.soak
def test_a_server_that_restarts_during_every_call_is_not_noticed(scene: Scene, undisturbed: str) -> None:
    scene.disturb = lambda call: scene.server.restart()

    scene.write()

    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


def test_a_server_that_is_still_away_when_the_answer_comes_is_waited_for(scene: Scene, undisturbed: str) -> None:
    scene.disturb = lambda call: scene.away_for(1) if call == 3 else None

    scene.write()

    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


def test_connections_that_are_ended_during_every_call_are_made_anew(scene: Scene, undisturbed: str) -> None:
    scene.disturb = lambda call: scene.hang_up()

    scene.write()

    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


def test_a_connection_that_is_ended_in_the_middle_of_a_transaction_is_made_anew(scene: Scene, undisturbed: str) -> None:
    with at_statements(scene, every_61st(20), scene.hang_up) as met:
        said = scene.write_and_resume()

    assert len(met) > 2
    assert all("start it and try again" in rest for rest in said)
    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


@pytest.mark.soak
@pytest.mark.parametrize("offset", range(0, 61, 3))
@pytest.mark.parametrize("fault", [Scene.hang_up, lambda scene: scene.server.restart()], ids=["hang up", "restart"])
def test_at_whatever_statement_the_server_goes_away_nothing_is_lost(
    scene: Scene, undisturbed: str, offset: int, fault: Callable[[Scene], None]
) -> None:
    with at_statements(scene, every_61st(offset), partial(fault, scene)) as met:
        said = scene.write_and_resume()

    assert len(met) > 2
    assert all("start it and try again" in rest for rest in said)
    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


@pytest.mark.parametrize(("point", "loss"), [*SAMPLE, *REST])
def test_a_commit_of_which_nobody_knows_whether_it_arrived_is_made_once(
    scene: Scene, undisturbed: str, tmp_path: Path, point: Failpoint, loss: Loss
) -> None:
    book = scene.create()
    log = tmp_path / "failpoints"
    with wire(scene.server, log, point, loss) as by_wire:
        scene.database.dispose()
        scene.database = open_database(scene.settings.model_copy(update={"database_url": by_wire.url(scene.name)}))
        failpoints.arm(log=str(log))

        scene.write()

    assert by_wire.losses == 1
    with scene.database.read() as connection:
        assert BookRepository(connection).get(book.id).state is BookState.FINISHED
    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


@pytest.mark.soak
@pytest.mark.parametrize("loss", Loss)
@pytest.mark.parametrize("count", range(2, 11))
def test_whichever_step_loses_its_commit_it_is_recorded_once(
    scene: Scene, undisturbed: str, tmp_path: Path, count: int, loss: Loss
) -> None:
    scene.create()
    log = tmp_path / "failpoints"
    with wire(scene.server, log, Failpoint.RECORD_STEP, loss, count) as by_wire:
        scene.database.dispose()
        scene.database = open_database(scene.settings.model_copy(update={"database_url": by_wire.url(scene.name)}))
        failpoints.arm(log=str(log))

        scene.write()

    assert by_wire.losses == 1
    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


@pytest.mark.parametrize(("loss", "known"), [(Loss.REQUEST, 0), (Loss.REPLY, 1)])
def test_a_book_whose_creation_was_not_confirmed_is_told_and_made_once(
    scene: Scene, tmp_path: Path, loss: Loss, known: int
) -> None:
    log = tmp_path / "failpoints"
    with wire(scene.server, log, Failpoint.CREATE_BOOK, loss) as by_wire:
        lossy = open_database(scene.settings.model_copy(update={"database_url": by_wire.url(scene.name)}))
        failpoints.arm(log=str(log))

        with pytest.raises(DatabaseUnreachable, match="try again"):
            find_or_create(lossy, SHORT)
        found = count_books(scene)
        find_or_create(lossy, SHORT)
        lossy.dispose()

    assert (found, count_books(scene)) == (known, 1)


@pytest.mark.soak
def test_an_outage_ends_the_worker_with_what_to_do_and_nothing_is_paid_twice(scene: Scene, undisturbed: str) -> None:
    impatient(scene)
    recorded = recorded_steps(scene)

    def looks(connection: Connection, number: int) -> bool:
        return len(recorded) >= 4 and scene.calls == len(recorded)  # no call is out, no reply in hand: a look

    with at_statements(scene, looks, scene.server.stop), pytest.raises(BookPaused) as rest:
        scene.write()
    kept, left = len(recorded), after_the_outage(scene)
    scene.write_and_resume()

    assert (rest.value.exit_code, left.state, left.calls) == (4, BookState.WRITING, kept)
    assert "the database cannot be reached" in rest.value.reason
    assert f"bookwright resume {left.id}" in rest.value.advice
    assert_nothing_was_lost_or_paid_twice(scene, undisturbed)


@pytest.mark.soak
def test_an_outage_that_outlasts_all_patience_costs_the_answer_in_hand_and_says_so(
    scene: Scene, undisturbed: str
) -> None:
    impatient(scene)
    scene.disturb = lambda call: scene.server.stop() if call == 5 else None

    with pytest.raises(ReplyLost, match=r"cannot be reached .* resume"):
        scene.write()
    left = after_the_outage(scene)
    scene.write_and_resume()

    assert (left.state, left.calls) == (BookState.WRITING, 4)
    assert_nothing_was_lost_or_paid_twice(scene, undisturbed, lost=1)


def recorded_steps(scene: Scene) -> list[Connection]:
    """A list that grows by one with each commit that keeps a reply."""
    writing: list[Connection] = []
    recorded: list[Connection] = []

    def write(connection: Connection, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("INSERT INTO steps"):
            writing.append(connection)

    def commit(connection: Connection) -> None:
        if connection in writing:
            writing.remove(connection)
            recorded.append(connection)

    event.listen(scene.database.engine, "before_cursor_execute", write)
    event.listen(scene.database.engine, "commit", commit)
    return recorded


def impatient(scene: Scene) -> None:
    """Let the worker wait for a second only, and its lease run out soon."""
    scene.settings = scene.settings.model_copy(update={"reconnect_seconds": 1.0, "lease_seconds": 2.0})
    scene.database.dispose()
    scene.database = open_database(scene.settings)


def after_the_outage(scene: Scene) -> Book:
    """Start the server; returns the book as its worker had to leave it."""
    scene.server.start()
    with scene.database.read() as connection:
        return BookRepository(connection).all()[0]


def test_a_commit_is_kept_even_where_the_database_would_not_wait_for_its_disk(scene: Scene) -> None:
    scene.server.run(f'ALTER DATABASE "{scene.name}" SET synchronous_commit = off')
    shown = []
    for make_anew in (scene.database.dispose, scene.hang_up):
        make_anew()
        with scene.database.read() as connection:
            shown.append(connection.execute(text("SHOW synchronous_commit")).scalar_one())

    assert shown == ["on", "on"]


def count_books(scene: Scene) -> int:
    with scene.database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(books)).scalar_one())
