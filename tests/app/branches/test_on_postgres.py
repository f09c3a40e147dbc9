"""Branches on Postgres: shared as on SQLite, written by two workers at once, whole or not there when it goes away."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from bookwright import failpoints
from bookwright.app.branches.forks import branch_tree
from bookwright.app.branches.merging import MergeOrder, merge, stale_after, undo_merge
from bookwright.exports.files import export
from bookwright.exports.json import import_book
from bookwright.failpoints import Failpoint
from bookwright.flows.library import open_library
from bookwright.models.book import BookState
from bookwright.models.errors import DatabaseUnreachable
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import open_database
from tests.app.branches.grove import Grove, resting, rewrite
from tests.durability.wire import Loss, wire
from tests.flows.revision.changed import Written
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.postgres

ORIGIN = "lamps"


@pytest.fixture(scope="module")
def planted(
    lamps: Written, postgres: PostgresServer, postgres_template: str, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The name of a database that holds that book, brought in as a file, which any database takes."""
    name = postgres.new_database(postgres_template)
    home = tmp_path_factory.mktemp("planted")
    exported = export(lamps[0], "json", home / "lamps.json")
    database = open_library(lamps[1].model_copy(update={"home": home, "database_url": postgres.url(name)}))
    import_book(exported, database, ORIGIN)
    database.dispose()
    return name


@contextmanager
def standing(settings: Settings, home: Path, server: PostgresServer, template: str) -> Iterator[Grove]:
    """A data folder of its own beside a copy of a database, for as long as the block lasts."""
    own = settings.model_copy(update={"home": home, "database_url": server.url(server.new_database(template))})
    database = open_library(own)
    yield Grove(database, own)
    failpoints.arm()
    database.dispose()


@pytest.fixture
def grove(lamps: Written, planted: str, postgres: PostgresServer, tmp_path: Path) -> Iterator[Grove]:
    """The book on Postgres."""
    with standing(lamps[1], tmp_path / "grove", postgres, planted) as found:
        yield found


@dataclass(frozen=True)
class Branched:
    """The name of a database with two branches of the book that two workers have written at once."""

    name: str
    branches: list[str]


@pytest.fixture(scope="module")
def branched(
    lamps: Written, planted: str, postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Branched:
    with standing(lamps[1], tmp_path_factory.mktemp("branched"), postgres, planted) as made:
        both = [made.fork(ORIGIN, at="chapter 2", name=name) for name in ("she stays", "she leaves")]
        with ThreadPoolExecutor(2) as workers:
            list(workers.map(made.write, both))
        return Branched(made.settings.database_url.rpartition("/")[2], both)


@pytest.fixture
def grown(lamps: Written, branched: Branched, postgres: PostgresServer, tmp_path: Path) -> Iterator[Grove]:
    """The book on Postgres with its two branches."""
    with standing(lamps[1], tmp_path / "grown", postgres, branched.name) as found:
        yield found


def test_a_branch_pays_for_what_is_open_a_merge_equals_it_and_undo_equals_before(
    grown: Grove, branched: Branched
) -> None:
    whole, branch = grown.fork(ORIGIN), branched.branches[0]
    assert grown.text(whole) == grown.text(ORIGIN)
    with grown.open(whole).storage.read() as stores, grown.open(ORIGIN).storage.read() as others:
        assert stores.staleness.all() == []
        assert resting(stores) == resting(others) != []
    before, book = grown.rows(ORIGIN), grown.open(ORIGIN)

    merge(book, MergeOrder(branch))

    assert grown.text(ORIGIN) == grown.text(branch) != grown.text(whole)
    assert stale_after(book)[0] == []
    undo_merge(book)
    assert grown.rows(ORIGIN) == before
    assert 0 == grown.book(whole).calls < grown.book(branch).calls


def test_two_workers_write_two_branches_of_one_book_at_once(grove: Grove, grown: Grove, branched: Branched) -> None:
    assert [grown.book(branch).state for branch in branched.branches] == [BookState.FINISHED] * 2
    assert grown.text(ORIGIN) == grove.text(ORIGIN)


@pytest.mark.parametrize(
    ("table", "by_merge"),
    [("documents", False), ("merges", True),
     *(pytest.param(table, False, marks=pytest.mark.soak) for table in ("books", "nodes", "codex", "lineages")),
     pytest.param("documents", True, marks=pytest.mark.soak)],
)  # fmt: skip
def test_a_server_that_goes_away_in_a_fork_or_a_merge_leaves_nothing_of_it(
    grove: Grove, postgres: PostgresServer, table: str, by_merge: bool
) -> None:
    branch = grove.fork(ORIGIN, name="she stays")
    rewrite(grove, branch, "1.4", "She stayed.")
    rows, tree, book = grove.rows(ORIGIN), branch_tree(grove.open(ORIGIN)).facts(), grove.open(ORIGIN)

    def work() -> object:
        return merge(book, MergeOrder(branch)) if by_merge else grove.fork(ORIGIN)

    with hung_up_before(f"INSERT INTO {table} ", grove, postgres) as met, pytest.raises(DatabaseUnreachable):
        work()

    assert len(met) == 1
    assert (grove.rows(ORIGIN), branch_tree(book).facts()) == (rows, tree)
    work()
    assert (grove.rows(ORIGIN) != rows, len(branch_tree(book).rows)) == (by_merge, 2 if by_merge else 3)


@contextmanager
def hung_up_before(statement: str, grove: Grove, server: PostgresServer) -> Iterator[list[str]]:
    """End all connections right before the first statement that begins so; yields those it met."""
    met: list[str] = []
    name = grove.settings.database_url.rpartition("/")[2]

    def hear(connection: Connection, cursor: Any, said: str, *rest: Any) -> None:
        if said.startswith(statement) and not met:
            met.append(said)
            server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

    event.listen(grove.database.engine, "before_cursor_execute", hear)
    yield met
    event.remove(grove.database.engine, "before_cursor_execute", hear)


@pytest.mark.parametrize(("loss", "is_there"), [(Loss.REQUEST, False), (Loss.REPLY, True)])
@pytest.mark.parametrize("point", [Failpoint.FORK, Failpoint.MERGE])
def test_a_fork_or_a_merge_that_was_not_confirmed_is_whole_or_not_there(
    grove: Grove, postgres: PostgresServer, tmp_path: Path, point: Failpoint, loss: Loss, is_there: bool
) -> None:
    twin = grove.fork(ORIGIN, name="she stays")
    rewrite(grove, twin, "1.4", "She stayed.")
    text = grove.text(ORIGIN)
    log = tmp_path / "failpoints"
    with wire(postgres, log, point, loss) as by_wire:
        url = by_wire.url(grove.settings.database_url.rpartition("/")[2])
        lossy = Grove(open_database(grove.settings.model_copy(update={"database_url": url})), grove.settings)
        failpoints.arm(log=str(log))
        with pytest.raises(DatabaseUnreachable, match="try again"):
            lossy.fork(ORIGIN, name="later") if point is Failpoint.FORK else merge(lossy.open(ORIGIN), MergeOrder(twin))
        lossy.database.dispose()

    names = [row.name for row in branch_tree(grove.open(ORIGIN)).rows[1:]]
    assert by_wire.losses == 1
    assert ("later" in names) is (is_there and point is Failpoint.FORK)
    assert (grove.text(ORIGIN) != text) is (is_there and point is Failpoint.MERGE)
    if is_there and point is Failpoint.MERGE:
        undo_merge(grove.open(ORIGIN))
        assert grove.text(ORIGIN) == text
    elif not is_there:
        assert grove.fork(ORIGIN, name="later").startswith("later")
