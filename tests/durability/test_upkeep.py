"""Backups, restores and pruning that are killed: what is left is the old state or the new one, nothing between.

The crash suite kills them too, in scenarios whose two states are alike; here they differ.
Source: issue "Nothing lost, nothing paid twice", item 7.
"""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import select

from bookwright import failpoints
from bookwright.failpoints import Failpoint
from bookwright.flows.upkeep import prune
from bookwright.models.settings import Settings
from bookwright.storage.backup.backup import back_up, restore
from bookwright.storage.backup.backup_file import read_manifest
from bookwright.storage.engine.database import open_database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.retention import Keep
from bookwright.storage.tables import documents, metadata, steps, texts
from tests.cli.shelf import a_book
from tests.support.books import make_book, make_settings
from tests.support.postgres import PostgresServer

BACKINGS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
RESTORING = [
    f"{when}:{point}"
    for point in (Failpoint.KEEP_REPLACED, Failpoint.PREPARE_RESTORE, Failpoint.RESTORE)
    for when in ("before", "after")
]
KILLS = 12
PATIENCE_SECONDS = 60

State = dict[str, int]


@dataclass(frozen=True)
class Kept:
    """An installation with three books, of which the first, `lamp`, is in its backup."""

    settings: Settings
    backup: Path
    server: PostgresServer | None
    """The one that has its database, which nobody is connected to; None for SQLite."""


@pytest.fixture(scope="module", params=BACKINGS)
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """One on either database, made once for all tests, which work on copies."""
    folder, server, url = tmp_path_factory.mktemp("kept"), None, ""
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        url = server.url(server.new_database(request.getfixturevalue("postgres_template")))
    made = make_settings(folder / "home", database_url=url)
    a_book(made).database.dispose()
    backup = back_up(made, folder / "kept.zip").path
    for name in ("second", "third"):
        make_book(made, "Rain fell. " * 500, identity=name).database.dispose()
    return Kept(made, backup, server)


@pytest.fixture
def settings(kept: Kept, tmp_path: Path) -> Settings:
    """Those of a copy of that installation."""
    home = shutil.copytree(kept.settings.home, tmp_path / "home")
    if kept.server is None:
        return kept.settings.model_copy(update={"home": home})
    name = kept.server.new_database(kept.settings.database_url.rpartition("/")[2])
    return kept.settings.model_copy(update={"home": home, "database_url": kept.server.url(name)})


@pytest.fixture
def backup(kept: Kept, tmp_path: Path) -> Path:
    """A copy of its backup."""
    return Path(shutil.copy(kept.backup, tmp_path / "kept.zip"))


def state(settings: Settings) -> State:
    """How many rows each table has: tells the two states, and any mixture of them, apart."""
    database = open_database(settings)
    with database.read() as connection:
        found = {table.name: len(connection.execute(select(table)).all()) for table in metadata.sorted_tables}
        found["whole"] = connection.dialect.name != "sqlite" or (
            connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
        )
    database.dispose()
    return found


def start(work: Callable[[], object], spec: str = "") -> int:
    """Fork a process in a group of its own that does some work; returns its pid."""
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        code = 1
        try:
            failpoints.arm(spec)
            work()
            code = 0
        finally:
            os._exit(code)
    return pid


def is_killed(pid: int) -> bool:
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize("place", RESTORING)
def test_a_killed_restore_leaves_the_old_books_or_the_new_ones(settings: Settings, backup: Path, place: str) -> None:
    old = state(settings)

    killed = is_killed(start(lambda: restore(settings, backup), f"{place}=kill"))
    left = state(settings)
    restore(settings, backup)

    new = state(settings)
    assert killed
    assert left == (new if place == f"after:{Failpoint.RESTORE}" else old)
    assert (old["books"], new["books"]) == (3, 1)
    assert not list(settings.home.glob(".*.part*"))


@pytest.mark.parametrize("kept", BACKINGS[1:], indirect=True)
def test_a_server_that_has_done_all_but_the_end_leaves_the_old_books(settings: Settings, backup: Path) -> None:
    old = state(settings)

    pid = start(lambda: restore(settings, backup), "before:restore=stop")
    try:
        os.waitpid(pid, os.WUNTRACED)
        wait_for(settings, "idle in transaction")
    finally:
        os.kill(pid, signal.SIGKILL)  # alone: the server's client goes on to the end of what it was given
    wait_for(settings)

    assert is_killed(pid)
    assert state(settings) == old


def wait_for(settings: Settings, *states: str) -> None:
    """Wait until those who have something to do in a Postgres database are in these states; none are at its end."""
    busy = "datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
    deadline = time.monotonic() + PATIENCE_SECONDS
    with psycopg.connect(settings.database_url, autocommit=True) as connection:
        while connection.execute(f"SELECT state FROM pg_stat_activity WHERE {busy}").fetchall() != [*zip(states)]:
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.mark.parametrize(
    "place", ["before:keep_replaced:1", "after:keep_replaced:1", "before:restore", "after:restore"]
)
def test_a_killed_restore_of_a_broken_file_can_be_done_again(tmp_path: Path, place: str) -> None:
    settings = make_settings(tmp_path / "home")
    a_book(settings).database.dispose()
    made, new = back_up(settings, tmp_path / "kept.zip"), state(settings)
    broken = b"no database " * 1_000
    settings.database_path.write_bytes(broken)

    killed = is_killed(start(lambda: restore(settings, made.path), f"{place}=kill"))
    is_replaced = settings.database_path.read_bytes() != broken
    restore(settings, made.path)

    assert killed
    assert is_replaced == (place == "after:restore")
    assert state(settings) == new
    assert any(path.read_bytes() == broken for path in settings.home.glob("bookwright.db.replaced-*"))


@pytest.mark.slow
def test_a_restore_that_is_killed_at_any_moment_leaves_one_state(tmp_path: Path) -> None:
    settings = make_settings(tmp_path / "home")
    a_book(settings).database.dispose()
    small = back_up(settings, tmp_path / "small.zip")
    for number in range(20):
        make_book(settings, "Rain fell. " * 2_000, identity=f"book-{number}").database.dispose()
    large = back_up(settings, tmp_path / "large.zip")
    began = time.monotonic()
    restore(settings, small.path)
    few, seconds = state(settings), time.monotonic() - began
    restore(settings, large.path)
    many, lot = state(settings), random.Random(7)

    for number in range(KILLS):
        chosen = (small, large)[number % 2]
        pid = start(lambda path=chosen.path: restore(settings, path))  # type: ignore[misc]
        time.sleep(seconds * lot.random())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

        assert state(settings) in (few, many)
    restore(settings, large.path)
    assert state(settings) == many


@pytest.mark.parametrize("place", ["before:backup", "after:backup"])
def test_a_killed_backup_leaves_a_whole_file_or_none_and_the_old_one_alone(
    settings: Settings, backup: Path, place: str
) -> None:
    old, new = backup.read_bytes(), backup.with_name("new.zip")

    killed = is_killed(start(lambda: back_up(settings, new), f"{place}=kill"))

    assert killed
    assert backup.read_bytes() == old
    assert new.exists() is place.startswith("after")
    if new.exists():
        assert len(read_manifest(new).books) == 3
    back_up(settings, backup.with_name("next.zip"))
    assert not list(backup.parent.glob(".*.part*"))


@pytest.mark.parametrize("place", ["before:prune:1", "after:prune:1"])
def test_a_killed_pruning_takes_nothing_that_is_needed(settings: Settings, place: str) -> None:
    database = open_database(settings)
    with database.read() as connection:
        book = BookRepository(connection).get("lamp")
    database.engine.dispose(close=False)

    killed = is_killed(start(lambda: prune(open_database(settings), book, settings, Keep(last=0)), f"{place}=kill"))

    with database.read() as connection:
        needed = set(connection.execute(select(steps.c.reply)).scalars())
        needed |= set(connection.execute(select(documents.c.text_hash)).scalars())
        there = set(connection.execute(select(texts.c.hash)).scalars())
    database.dispose()
    assert killed
    assert (needed < there) if place.startswith("before") else (needed == there)
