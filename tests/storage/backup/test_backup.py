"""Backups, and what a restore makes of them, on both databases."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import gethostname as hostname

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import func, insert, select

import bookwright
from bookwright.failpoints import Failpoint
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookHeld, InvalidInput, LeaseLost
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.backup.backup import BackedUp, back_up, restore
from bookwright.storage.backup.backup_file import read_manifest
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import open_database
from bookwright.storage.engine.sqlite import sqlite_error
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import allowances, books, steps
from tests.storage.backup.content import content
from tests.storage.conftest import BACKINGS, BOOK, BRIEF
from tests.storage.shelves import Shelf
from tests.support.postgres import PostgresServer


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


@pytest.fixture
def shelf(settings: Settings, storage: BookStorage) -> Iterator[Callable[[], Shelf]]:
    """Takes the book's lease, as a worker that comes after another does."""

    def take() -> Shelf:
        with storage.write() as stores:
            stores.books.change(BOOK, lease_expires=0.0)
            lease = Lease.take(stores.connection, BOOK, "a test", 60)
            return Shelf(settings, storage, Journal(storage, lease), stores.nodes.root())

    return take


@pytest.fixture
def empty_url(backing: str, request: pytest.FixtureRequest) -> str:
    """The address of a database without a table; empty for SQLite."""
    if backing == "sqlite":
        return ""
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url(server.new_database())


def rows(settings: Settings):
    database = open_database(settings)
    with database.read() as connection:
        found = connection.execute(select(books)).all()
    database.dispose()
    return {row.id: row for row in found}


def test_a_restore_brings_everything_back(settings, shelf, tmp_path):
    held = shelf()
    held.fill(3)
    index = held.index()
    index.catch_up(held.journal)
    held.record_step()
    before = content(settings)

    made = back_up(settings, tmp_path / "b" / "kept.zip")
    held.storage.database.dispose()
    with held.storage.write() as stores:
        stores.books.change(BOOK, lease_expires=0.0)
        stores.books.delete(BOOK)
        stores.books.create("other", BRIEF)
    done = restore(settings, made.path)

    assert content(settings) == before
    assert [book.id for book in done.manifest.books] == [BOOK]
    assert (read_manifest(made.path), made.manifest.revision) == (made.manifest, migrate.HEAD)


def test_a_book_that_was_being_written_rests_with_a_reason(settings, shelf, tmp_path):
    held = shelf()
    with held.storage.write() as stores:
        stores.books.set_state(BOOK, BookState.WRITING)
        stores.connection.execute(insert(allowances).values(book=BOOK, cost=1, tokens=1))
    made = back_up(settings, tmp_path / "kept.zip")
    with held.storage.write() as stores:
        stores.books.change(BOOK, lease_expires=0.0)

    restore(settings, made.path)

    row = rows(settings)[BOOK]
    assert (row.state, row.reason, row.lease_owner) == ("paused", "restored from a backup", None)
    with held.storage.read() as stores:
        assert stores.connection.execute(select(func.count()).select_from(allowances)).scalar_one() == 0


def test_a_worker_of_before_the_restore_can_write_nothing(settings, shelf, tmp_path):
    made = back_up(settings, tmp_path / "kept.zip")
    for _ in range(5):
        stale = shelf()
    with stale.storage.write() as stores:
        stores.books.change(BOOK, lease_expires=0.0)

    restore(settings, made.path)
    shelf()

    with pytest.raises(LeaseLost):
        stale.record_step()


def test_a_restore_is_refused_while_a_living_worker_holds_a_book(settings, shelf, tmp_path):
    made = back_up(settings, tmp_path / "kept.zip")
    held = shelf()
    held.fill(1)
    before = content(settings)

    with pytest.raises(BookHeld, match="a test"):
        restore(settings, made.path)

    assert content(settings) == before
    held.record_step()


def test_a_dead_workers_lease_holds_nothing_up(settings, storage, tmp_path):
    pid = dead_process()
    made = back_up(settings, tmp_path / "kept.zip")
    with storage.write() as stores:
        Lease.take(stores.connection, BOOK, f"process {pid} on {hostname()}", 600)

    restore(settings, made.path)

    assert rows(settings)[BOOK].lease_owner is None


def test_what_is_replaced_is_kept(settings, storage, tmp_path):
    made = back_up(settings, tmp_path / "kept.zip")
    with storage.write() as stores:
        stores.books.create("newer", BRIEF)

    done = restore(settings, made.path)

    assert set(rows(settings)) == {BOOK}
    if settings.database_url:
        with storage.read() as stores:
            kept = stores.connection.exec_driver_sql(f'select id from "{done.kept}".books').scalars().all()
    else:
        kept = list(rows(settings.model_copy(update={"database_url": f"sqlite:///{done.kept}"})))
    assert set(kept) == {BOOK, "newer"}


def test_an_index_that_is_newer_than_the_backup_is_found_out(settings, shelf, tmp_path, caplog):
    """Another host's index comes back; the book then goes on to as many passages as that one holds."""
    before = shelf()
    before.fill(70)
    close(before)
    made = back_up(settings, tmp_path / "kept.zip")
    lost = shelf()
    for number in range(30):
        lost.add(f"Marguerite burned letter number {number}.")
    close(lost)
    lost.storage.database.dispose()
    with lost.storage.write() as stores:
        stores.books.change(BOOK, lease_expires=0.0)
    shutil.copytree(settings.home / "index", tmp_path / "elsewhere")

    restore(settings, made.path)
    assert not (settings.home / "index").exists()
    shutil.copytree(tmp_path / "elsewhere", settings.home / "index")
    after = shelf()
    for number in range(30):
        after.add(f"Marguerite hid lantern number {number}.")
    index = after.index()
    index.catch_up(after.journal)
    after.record_step()

    question = ["What did Marguerite do?", "Who burned a letter?"]
    kinds = [DocumentKind.DESIGN, DocumentKind.SUMMARY]
    held = [(p.id, p.score) for p in index.search(question, kinds, 50)]
    scanned = [(p.id, p.score) for p in after.index(is_holder=False).search(question, kinds, 50)]
    index.close()
    assert "is built again" in caplog.text
    assert held == scanned
    assert len(held) == 50


def dead_process() -> int:
    """The number of a process that has ended."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def close(held: Shelf) -> None:
    index = held.index()
    index.catch_up(held.journal)
    held.record_step()
    index.search(["anything"], [DocumentKind.DESIGN], 1)
    index.close()


@pytest.mark.parametrize("text", ["attempt to write a readonly database", "unable to open database file"])
def test_a_database_file_that_this_user_may_not_use_is_named(text):
    assert str(sqlite_error(text, Path("/books/b.db"))).startswith(f"this user may not use '/books/b.db' ({text}); let")


def test_a_backup_of_an_older_version_is_upgraded(settings, tmp_path, empty_url):
    old = load_settings(home=tmp_path / "old", database_url=empty_url)
    migrate_to(old, "0001")

    made = back_up(old, tmp_path / "old.zip")
    restore(settings, made.path)

    assert made.manifest.revision == "0001"
    database = open_database(settings)
    with database.read() as connection:
        assert migrate.current_revision(connection) == migrate.HEAD
    database.dispose()


def migrate_to(settings: Settings, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(bookwright.__file__).parent / "migrations"))
    database = open_database(settings)
    with database.write(Failpoint.MIGRATE) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    database.dispose()


def test_a_backup_holds_one_state_of_a_book_that_is_being_written(settings, shelf, tmp_path):
    held = shelf()
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            held.record_step()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = [back_up(settings, tmp_path / "0.zip")]
        while writer.is_alive() and (len(made) < 5 or calls(made[-1]) == calls(made[0])):
            made.append(back_up(settings, tmp_path / f"{len(made)}.zip"))
    finally:
        done.set()
        writer.join()

    with held.storage.write() as stores:
        stores.books.change(BOOK, lease_expires=0.0)
    for backup in made:
        restore(settings, backup.path)
        with held.storage.read() as stores:
            recorded = stores.connection.execute(select(func.count()).select_from(steps)).scalar_one()
        assert rows(settings)[BOOK].calls == recorded == calls(backup)
    assert calls(made[-1]) > calls(made[0])


def calls(made: BackedUp) -> int:
    """How many model calls a backup says that its one book has made."""
    return made.manifest.books[0].calls


def test_a_path_without_an_ending_is_a_folder_and_nothing_that_lies_there_is_replaced(settings, shelf, tmp_path):
    shelf().record_step()

    made = back_up(settings, tmp_path / "some" / "backups")
    kept = made.path.read_bytes()
    with pytest.raises(InvalidInput, match="is there already"):
        back_up(settings, made.path)

    assert made.path.parent == tmp_path / "some" / "backups"
    assert (made.path.suffix, made.path.read_bytes()) == (".zip", kept)


def test_two_backups_in_one_second_lie_beside_each_other_in_their_order(settings, shelf, tmp_path):
    shelf().record_step()

    made = [back_up(settings, tmp_path / "backups").path for _ in range(3)]

    assert sorted((tmp_path / "backups").iterdir()) == made


def test_nothing_to_back_up_is_bad_input(tmp_path, empty_url):

    with pytest.raises(InvalidInput):
        back_up(load_settings(home=tmp_path / "home", database_url=empty_url), tmp_path / "kept.zip")

    assert not (tmp_path / "kept.zip").exists()
