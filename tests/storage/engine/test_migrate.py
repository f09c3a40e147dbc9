"""The schema: what the tables say is what the migrations make, on both databases."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

import bookwright
from bookwright.failpoints import Failpoint
from bookwright.models.amount import Amount
from bookwright.models.errors import DatabaseTooNew
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity, Reply, StepKey
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database, open_database
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.studio import Studio
from bookwright.storage.tables import metadata
from tests.storage.conftest import BACKINGS, BOOK, BRIEF
from tests.support.postgres import PostgresServer


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


@pytest.fixture
def empty(backing: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database without a table."""
    url = ""
    if backing == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url(server.new_database())
    database = open_database(load_settings(home=tmp_path, database_url=url))
    yield database
    database.dispose()


def revision(database: Database) -> str | None:
    with database.read() as connection:
        return migrate.current_revision(connection)


def test_an_empty_database_comes_to_the_newest_revision_once(empty: Database) -> None:
    before = revision(empty)

    first, again = migrate.upgrade(empty), migrate.upgrade(empty)

    assert (before, first, again) == (None, True, False)
    assert revision(empty) == migrate.HEAD


def test_a_database_of_the_first_revision_keeps_its_books(empty: Database) -> None:
    _bring_to(empty, "0001")
    with empty.write(Failpoint.EDIT_BOOK) as connection:
        BookRepository(connection).create("lamp", BRIEF)
        changed = "cost = 1234567, input_tokens = 89, lease_token = 7, stop_requested = true"
        connection.execute(text(f"UPDATE books SET {changed}"))
        before = connection.execute(text("SELECT * FROM books")).one()._asdict()

    assert migrate.upgrade(empty)

    assert revision(empty) == migrate.HEAD
    with empty.read() as connection:
        assert connection.execute(text("SELECT * FROM books")).one()._asdict() == before | {
            "windows": "{}",
            "has_failed": False,
            "stop_requested_at": before["updated_at"],
        }
        assert BookRepository(connection).get("lamp").brief == BRIEF
        assert Studio(connection).standing().total == Amount(1_234_567, 89)


def test_a_step_that_an_older_version_recorded_is_told_apart(database: Database, storage: BookStorage) -> None:
    with database.write(Failpoint.EDIT_BOOK) as connection:
        journal = Journal(storage, Lease.take(connection, BOOK, "the test", 60))
    with storage.read() as stores:
        key = StepKey(book=BOOK, node=stores.nodes.root().key, revision=1, activity=Activity.WRITE, round=0, step="x")
    old = Attempt(key, 1, "writer", "story/x", ("ask",), Reply(text="Rain."), card=("a", "b"))
    older = journal.record(old)
    with database.write(Failpoint.MIGRATE) as connection:
        command.downgrade(_config(connection), "0013")

    assert migrate.upgrade(database)

    newer = journal.record(replace(old, attempt=2))
    with storage.read() as stores:
        assert [stores.steps.asked(step).is_of_older_version for step in (older, newer)] == [True, False]
        assert [stores.steps.card(step) for step in (older, newer)] == [[], ["a", "b"]]
        assert stores.steps.prompt(older) == ["ask"]


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(bookwright.__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def _bring_to(database: Database, revision: str) -> None:
    with database.write(Failpoint.MIGRATE) as connection:
        command.upgrade(_config(connection), revision)


def test_the_newest_revision_is_that_of_the_migrations_folder() -> None:
    scripts = ScriptDirectory(str(Path(bookwright.__file__).parent / "migrations"))

    assert scripts.get_current_head() == migrate.HEAD


def test_the_tables_are_what_the_migrations_make(empty: Database) -> None:
    _bring_to(empty, "head")

    with empty.read() as connection:
        difference = compare_metadata(MigrationContext.configure(connection), metadata)

    assert difference == []


def test_a_file_that_is_made_at_once_is_the_one_that_all_migrations_make(tmp_path: Path) -> None:
    made, migrated = (open_database(load_settings(home=tmp_path / name)) for name in ("made", "migrated"))
    _bring_to(migrated, "head")

    migrate.upgrade(made)

    found, expected = _all_of(made), _all_of(migrated)
    for database in (made, migrated):
        database.dispose()
    assert {"books", "steps", "alembic_version"} < expected["rows"].keys()
    assert expected["rows"]["studio"] == ["(1, 0, 0)"]
    assert found == expected


def _all_of(database: Database) -> dict[str, dict[str, object]]:
    """What a file is made of, in no order, and its rows."""
    with database.read() as connection:
        schema = inspect(connection)
        parts = {
            "columns": schema.get_multi_columns(), "keys": schema.get_multi_pk_constraint(),
            "foreign keys": schema.get_multi_foreign_keys(), "uniques": schema.get_multi_unique_constraints(),
            "checks": schema.get_multi_check_constraints(),
        }  # fmt: skip
        found: dict[str, dict[str, object]] = {
            part: {table: sorted(map(repr, [of] if isinstance(of, dict) else of)) for (_, table), of in tables.items()}
            for part, tables in parts.items()
        }
        names = schema.get_table_names()
        rows = {name: sorted(str(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))) for name in names}
        others = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type <> 'table'"))
        return found | {"rows": rows, "indexes, triggers and views": dict(map(tuple, others))}


def test_a_database_that_alembic_took_back_to_nothing_is_made_anew(empty: Database) -> None:
    with empty.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))

    assert migrate.upgrade(empty)

    assert revision(empty) == migrate.HEAD


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database: Database) -> None:
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(DatabaseTooNew, match="9999"):
        migrate.upgrade(database)

    assert revision(database) == "9999"


def test_two_workers_that_start_at_once_make_one_schema(empty: Database) -> None:
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(migrate.upgrade, [empty, empty]))

    assert any(done)
    assert revision(empty) == migrate.HEAD
    with empty.read() as connection:
        assert set(metadata.tables) < set(inspect(connection).get_table_names())
