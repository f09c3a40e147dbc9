"""Copies SQLite while books are being written, and puts a copy back in one transaction of SQLite's own."""

import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, select, update

from bookwright.failpoints import Failpoint, reach
from bookwright.models.book import BookState
from bookwright.models.errors import DatabaseDamaged, InvalidInput, UnusableBackup
from bookwright.models.settings import Settings
from bookwright.storage.backup.backup_file import BackedUpBook, Contents
from bookwright.storage.engine import migrate
from bookwright.storage.engine.condition import faults
from bookwright.storage.engine.database import Database, opened_database
from bookwright.storage.engine.sqlite import damaged, sqlite_driver, sqlite_error
from bookwright.storage.files.file_system import dated, require_room, sync, whole
from bookwright.storage.lease import Holder, refuse_if_held
from bookwright.storage.tables import allowances, books, passages

RESTS = {
    "state": BookState.PAUSED.value,
    "reason": "restored from a backup",
    "advice": "`bookwright resume` goes on from the state that was backed up",
}
"""What a book that was being written says after a restore."""

_LOG_FILES = ("-wal", "-shm")
_TABLES = "SELECT name FROM {}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite|_%' ESCAPE '|'"
_STATEMENTS = "SELECT sql FROM restored.sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'table' DESC, rowid"
_NOW = "(julianday('now') - 2440587.5) * 86400.0"
_HOLDERS = f"SELECT id, lease_owner, lease_expires - {_NOW} FROM main.books WHERE lease_owner IS NOT NULL"


def copy_out(path: Path, target: Path) -> Contents:
    """Write one committed state of a database to a new file, compact and checked; writers are not held up.

    Raises:
        InvalidInput: There is no database, or none of ours.
        DatabaseDamaged: It is broken; a copy would be no backup.
    """
    if not path.exists():
        raise InvalidInput(f"there is no database {str(path)!r}; no book was begun")
    require_room(target.parent, 2 * _size(path))
    with _opened(path) as source:
        source.execute("VACUUM INTO ?", (str(target),))
    return _contents(target)


def prepare(copy: Path, settings: Settings) -> None:
    """Make a database that was unpacked fit to take over: checked, of the newest schema, held by nobody.

    Passages get numbers that no index has seen, so that an index which is newer than the backup, on
    whatever host, is found out: its stamp counts rows that are no longer there.

    Raises:
        UnusableBackup: It is not whole.
    """
    with opened_database(settings.model_copy(update={"database_url": f"sqlite:///{copy}"})) as database:
        if found := faults(database, is_deep=True):
            raise UnusableBackup(f"the database in the backup is damaged: {found[0]}")
        migrate.upgrade(database)
        _let_go(database)
    sync(copy)


def put_back(path: Path, copy: Path, busy_seconds: float) -> Path | None:
    """Let a prepared copy take a database's place; return where what it replaced is kept, None if that was nothing.

    All rows change in one transaction, so every process sees the old state or the new one, and a kill leaves one
    of them. Only a file that SQLite cannot read any more is replaced as a file.

    Raises:
        BookHeld: A living worker holds a book; nothing was changed.
        StorageError: The database could not be written; nothing was changed.
    """
    require_room(path.parent, 3 * max(_size(path), _size(copy)))
    try:
        with _opened(path, busy_seconds) as live:
            return _replace_rows(live, path, copy)
    except DatabaseDamaged:
        kept = _keep_files(path)
        _replace_file(path, copy)
        return kept


def _replace_rows(live: Any, path: Path, copy: Path) -> Path | None:
    live.execute("PRAGMA foreign_keys = OFF")
    live.execute("ATTACH ? AS restored", (str(copy),))
    live.execute("BEGIN IMMEDIATE")
    try:
        present = _names(live, "main")
        tokens = _tokens(live) if "books" in present else []
        kept = _keep_copy(path) if present else None
        for name in present:
            live.execute(f'DROP TABLE main."{name}"')
        for (statement,) in live.execute(_STATEMENTS).fetchall():
            live.execute(statement)
        for name in _names(live, "restored"):
            live.execute(f'INSERT INTO main."{name}" SELECT * FROM restored."{name}"')
        live.executemany("UPDATE main.books SET lease_token = max(lease_token, ? + 1) WHERE id = ?", tokens)
        reach("before", Failpoint.RESTORE)
        live.execute("COMMIT")
    except BaseException:
        if live.in_transaction:
            live.execute("ROLLBACK")
        raise
    reach("after", Failpoint.RESTORE)
    live.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    return kept


def _tokens(live: Any) -> list[tuple[int, str]]:
    """Make sure that no living worker holds a book; return the leases' tokens, which must not be given out again."""
    refuse_if_held([Holder(*row) for row in live.execute(_HOLDERS).fetchall()])
    return list(live.execute("SELECT lease_token, id FROM main.books").fetchall())


def _keep_copy(path: Path) -> Path:
    """Copy what is committed page by page, which a damaged file bears too; the caller holds the write lock."""
    kept = dated(path, "replaced")
    with (
        whole(kept, Failpoint.KEEP_REPLACED) as unfinished,
        _opened(path) as source,
        closing(sqlite_driver().connect(str(unfinished))) as target,
    ):
        source.backup(target)
    return kept


def _keep_files(path: Path) -> Path:
    """Keep a file that SQLite cannot read under another name, and its log beside it."""
    kept = dated(path, "replaced")
    for suffix in (*_LOG_FILES, ""):
        file = path.with_name(path.name + suffix)
        if file.exists():
            with whole(kept.with_name(kept.name + suffix), Failpoint.KEEP_REPLACED) as unfinished:
                shutil.copyfile(file, unfinished)
    return kept


def _replace_file(path: Path, copy: Path) -> None:
    """Make a copy the database; an old log goes first, for SQLite would take it for the new one's."""
    reach("before", Failpoint.RESTORE)
    for suffix in _LOG_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    copy.replace(path)
    sync(path)
    reach("after", Failpoint.RESTORE)


def _let_go(database: Database) -> None:
    with database.write(Failpoint.PREPARE_RESTORE) as connection:
        connection.execute(update(books).where(books.c.state == BookState.WRITING.value).values(RESTS))
        free = {"lease_owner": None, "lease_expires": 0.0, "lease_token": books.c.lease_token + 1}
        connection.execute(update(books).values(free))
        connection.execute(delete(allowances))  # only a book that is being written has one
        first, last = connection.execute(select(func.min(passages.c.id), func.max(passages.c.id))).one()
        if first is not None:
            start = max(time.time_ns() // 1_000, last + 1)
            connection.execute(update(passages).values(id=passages.c.id - first + start))


def _contents(copy: Path) -> Contents:
    with _opened(copy) as connection:
        found = [str(fault) for (fault,) in connection.execute("PRAGMA quick_check(1)").fetchall()]
        if found != ["ok"]:
            raise damaged(found[0])
        if not {"alembic_version", "books"} <= set(_names(connection, "main")):
            raise InvalidInput("the database holds nothing of bookwright's; there is nothing to back up")
        [(now,)] = connection.execute(f"SELECT {_NOW}").fetchall()
        [(revision,)] = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        rows = connection.execute("SELECT id, title, state, calls FROM books ORDER BY id").fetchall()
    fields = BackedUpBook.model_fields
    return Contents(
        database="sqlite", server=sqlite_driver().sqlite_version, revision=revision, made_at=now,
        books=tuple(BackedUpBook.model_validate(dict(zip(fields, row, strict=True))) for row in rows),
    )  # fmt: skip


@contextmanager
def _opened(path: Path, busy_seconds: float = 0) -> Iterator[Any]:
    """A connection of the driver's own; what it raises is told as a `StorageError`."""
    driver = sqlite_driver()
    try:
        with closing(driver.connect(str(path), timeout=busy_seconds, isolation_level=None)) as connection:
            connection.execute("PRAGMA page_size = 8192")  # as `open_database` does; for a file that is made here
            yield connection
    except driver.Error as error:
        raise sqlite_error(str(error), path) from error


def _names(connection: Any, schema: str) -> list[str]:
    return [str(name) for (name,) in connection.execute(_TABLES.format(schema)).fetchall()]


def _size(path: Path) -> int:
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
