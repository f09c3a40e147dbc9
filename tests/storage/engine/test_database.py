"""How SQLite and Postgres are opened, and what a write transaction promises."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, literal, select, text
from sqlalchemy.engine.interfaces import CacheStats
from sqlalchemy.exc import IntegrityError, ResourceClosedError

from bookwright.failpoints import Failpoint
from bookwright.models.errors import DatabaseUnreachable, InvalidSetting, StorageError, UnwritableFolder
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine.database import Database, database_now, free_megabytes, make_home, open_database
from bookwright.storage.engine.sqlite import SAFE_SQLITE, sqlite_driver
from bookwright.storage.stores import BookStorage
from tests.storage.conftest import BOOK
from tests.support.postgres import PostgresServer


def pragma(database: Database, name: str) -> object:
    with database.read() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


@pytest.mark.parametrize(
    ("name", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("page_size", 8_192), ("foreign_keys", 1), ("busy_timeout", 30_000)],
)
def test_sqlite_is_opened_for_paid_replies(database: Database, name: str, value: object) -> None:
    assert pragma(database, name) == value


def test_the_driver_has_no_wal_fault(database: Database) -> None:
    with database.read() as connection:
        version = connection.exec_driver_sql("SELECT sqlite_version()").scalar_one()

    assert tuple(map(int, version.split("."))) >= SAFE_SQLITE
    assert sqlite_driver().sqlite_version == version


def test_what_one_engine_compiled_serves_the_next(tmp_path: Path) -> None:
    hits = []
    for folder in ("one", "two"):
        opened = open_database(load_settings(home=tmp_path / folder))
        with opened.read() as connection:
            result = connection.execute(select(database_now().label("told_by_one_test_alone")))
            hits.append(result.context.cache_hit)
        opened.dispose()

    assert hits == [CacheStats.CACHE_MISS, CacheStats.CACHE_HIT]


@pytest.mark.postgres
def test_what_one_engine_compiled_for_a_server_serves_the_next_unless_that_escapes_otherwise(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    hits, other = [], postgres.new_database()
    postgres.run(f'ALTER DATABASE "{other}" SET standard_conforming_strings = off')
    alike = postgres.url(postgres.new_database())
    for url in (alike, alike.replace("postgresql:", "postgresql+psycopg:"), postgres.url(other)):
        opened = open_database(load_settings(home=tmp_path, database_url=url))
        with opened.read() as connection:
            result = connection.execute(select(literal(r"a\n", literal_execute=True).label("told_by_two_servers")))
            hits.append(result.context.cache_hit)
            assert result.scalar_one() == r"a\n"
        opened.dispose()

    assert hits == [CacheStats.CACHE_MISS, CacheStats.CACHE_HIT, CacheStats.CACHE_MISS]


def test_a_thread_keeps_its_connection_to_sqlite_and_one_within_another_has_its_own(tmp_path: Path) -> None:
    database = open_database(load_settings(home=tmp_path / "kept"))
    taken: list[object] = []
    event.listen(database.engine, "checkout", lambda *call: taken.append(call))
    for _ in range(3):
        with database.write(Failpoint.EDIT_BOOK) as connection:
            connection.execute(text("SELECT 1"))
        with database.look() as connection:
            connection.execute(text("SELECT 1"))
    assert len(taken) == 1

    with database.look() as connection, database.write(Failpoint.EDIT_BOOK) as within:
        connection.execute(text("SELECT 1"))
        assert within.connection.dbapi_connection is not connection.connection.dbapi_connection
    assert len(taken) == 2
    database.dispose()


def test_what_failed_leaves_nothing_open_on_the_connection_that_is_kept(tmp_path: Path) -> None:
    database = open_database(load_settings(home=tmp_path / "failed"))
    with pytest.raises(ResourceClosedError), database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("CREATE TABLE gone (a INTEGER)")).one()

    other = open_database(load_settings(home=tmp_path / "failed", busy_seconds=0.1))
    with other.write(Failpoint.EDIT_BOOK) as connection:
        tables = connection.execute(text("SELECT name FROM sqlite_master")).scalars().all()
    assert tables == []
    other.dispose()
    database.dispose()


def test_a_process_that_was_forked_does_not_use_its_parents_connection(tmp_path: Path) -> None:
    database = open_database(load_settings(home=tmp_path / "forked"))
    with database.look() as connection:
        connection.execute(text("SELECT 1"))
        mine = connection.connection.dbapi_connection
    database.engine.pool.dispose()  # what rests in SQLAlchemy's own pool is another matter

    child = os.fork()
    if child == 0:
        try:
            with database.look() as connection:
                os._exit(int(connection.connection.dbapi_connection is mine))
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    database.dispose()


def test_a_writer_begins_at_once_and_a_reader_does_not(database: Database) -> None:
    begun: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *call: begun.append(call[2]))

    with database.read() as connection:
        connection.execute(text("SELECT 1"))
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("SELECT 1"))

    assert [line for line in begun if line.startswith("BEGIN")] == ["BEGIN", "BEGIN IMMEDIATE"]


def test_a_writer_waits_for_a_short_lock_of_another_process(database: Database, storage: BookStorage) -> None:
    other = sqlite_driver().connect(str(database.engine.url.database), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, lambda: other.execute("COMMIT")).start()

    with storage.write() as stores:
        stores.books.change(BOOK, title="Kept")

    with storage.read() as stores:
        assert stores.books.get(BOOK).title == "Kept"
    other.close()


def test_a_reader_sees_the_last_commit_while_another_writes(storage: BookStorage) -> None:
    with storage.write() as writing:
        writing.books.change(BOOK, title="Uncommitted")
        with storage.read() as reading:
            assert reading.books.get(BOOK).title == "The Log"


def test_an_error_leaves_nothing_behind(storage: BookStorage) -> None:
    def write_half() -> None:
        with storage.write() as stores:
            stores.books.change(BOOK, title="Half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()

    with storage.read() as stores:
        assert stores.books.get(BOOK).title == "The Log"


def test_a_row_without_its_book_is_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("INSERT INTO briefs VALUES ('nowhere', 1, '{}', 0)"))


@pytest.mark.parametrize("title", ["null\x00null", "lone \ud800 half", "plain", "守塔人"])
@pytest.mark.parametrize("backing", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_no_character_a_model_may_send_is_refused(storage: BookStorage, title: str) -> None:
    with storage.write() as stores:
        stores.nodes.change(stores.nodes.root().key, title=title)

    with storage.read() as stores:
        assert stores.nodes.root().title == title.replace("\x00", "").replace("\ud800", "?")


@pytest.mark.parametrize("backing", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_clock_is_the_databases_and_goes_on_within_a_transaction(database: Database) -> None:
    with database.read() as connection:
        first, second = (connection.execute(select(database_now())).scalar_one() for _ in range(2))

    assert 1_700_000_000 < first <= second


def test_the_folder_is_made(tmp_path: Path) -> None:
    open_database(load_settings(home=tmp_path / "a" / "b")).dispose()

    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_many_workers_may_open_one_folder_at_once(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path)

    with ThreadPoolExecutor(8) as pool:
        for opened in pool.map(lambda _: make_home(settings), range(800)):
            assert opened is None

    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path / "100% mine? #1 書")

    database = open_database(settings)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("CREATE TABLE t (x)"))
    database.dispose()

    assert settings.database_path.is_file()
    assert [path.name for path in tmp_path.iterdir()] == [settings.home.name]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(UnwritableFolder, match="BOOKWRIGHT_HOME"):
        open_database(load_settings(home=tmp_path / "file" / "home"))


def test_an_address_names_the_sqlite_file(tmp_path: Path) -> None:
    database = open_database(load_settings(home=tmp_path, database_url=f"sqlite:///{tmp_path}/other.db"))
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("CREATE TABLE t (x)"))
    database.dispose()

    assert (tmp_path / "other.db").is_file()
    assert not (tmp_path / "bookwright.db").exists()


def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="database address"):
        open_database(load_settings(home=tmp_path, database_url="postgresql://host:port:x/name"))


def test_free_room_is_that_of_the_data_folder(settings: Settings) -> None:
    assert free_megabytes(settings) > 0


@pytest.mark.postgres
def test_postgres_keeps_each_commit_and_a_server_that_is_gone_is_told(postgres: PostgresServer, tmp_path: Path) -> None:
    settings: Settings = load_settings(home=tmp_path, database_url=postgres.url())
    database = open_database(settings)
    with database.read() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar_one() == "on"
    assert not database.is_sqlite
    database.dispose()

    gone = open_database(load_settings(home=tmp_path, database_url="postgresql://postgres@127.0.0.1:1/x"))
    with pytest.raises(DatabaseUnreachable), gone.read() as connection:
        connection.execute(text("SELECT 1"))
    with pytest.raises(DatabaseUnreachable), gone.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(text("SELECT 1"))


@pytest.mark.postgres
@pytest.mark.parametrize("way", [Database.read, Database.snapshot, Database.look])
def test_a_server_that_goes_away_after_the_last_statement_of_a_read_is_told_as_such(
    way: Callable[[Database], AbstractContextManager[Connection]], postgres: PostgresServer, tmp_path: Path
) -> None:
    database = open_database(load_settings(home=tmp_path, database_url=postgres.url()))

    def hang_up(connection: Connection) -> None:
        served_by = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        postgres.run(f"SELECT pg_terminate_backend({served_by}, 10000)")  # and wait for its end

    with pytest.raises(DatabaseUnreachable), way(database) as connection:
        hang_up(connection)

    database.dispose()


@pytest.mark.postgres
def test_a_user_who_may_not_connect_to_a_database_of_postgres_is_told_so(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    name = postgres.new_database()
    postgres.run("CREATE ROLE outsider LOGIN")
    postgres.run(f'REVOKE CONNECT ON DATABASE "{name}" FROM PUBLIC')
    address = postgres.url(name).replace("postgres@", "outsider@")
    database = open_database(load_settings(home=tmp_path, database_url=address))

    with pytest.raises(StorageError, match=r"names may not do that .*; let the owner"), database.read():
        pass
