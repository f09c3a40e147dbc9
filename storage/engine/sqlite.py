"""SQLite itself: which library is used, what its error messages mean, and which process holds its locks."""

import importlib
import os
import sqlite3
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

from bookwright.models.errors import DatabaseBusy, DatabaseDamaged, DiskFull, StorageError

SAFE_SQLITE = (3, 51, 3)
"""The first SQLite without the WAL-reset fault that can corrupt under two writers."""


def sqlite_driver() -> Any:
    """The DB-API module to use: the interpreter's own where it is safe, else the newer wheel."""
    if sqlite3.sqlite_version_info >= SAFE_SQLITE:
        return sqlite3
    try:
        return importlib.import_module("pysqlite3.dbapi2")
    except ImportError:
        return sqlite3  # not on every platform; `doctor` names the fault


def is_damage(text: str) -> bool:
    """Whether SQLite's own words mean that the file is broken."""
    return "malformed" in text or "not a database" in text


def damaged(text: str) -> DatabaseDamaged:
    """Say that the file is broken, and what to do."""
    return DatabaseDamaged(
        f"the database is damaged ({text}); keep a copy of the file, then `bookwright restore FILE` puts a backup "
        "in its place"
    )


def sqlite_error(text: str, path: Path) -> StorageError:
    """Name what SQLite says went wrong with the file at `path`."""
    if is_damage(text):
        return damaged(text)
    if "full" in text or "disk I/O" in text:
        return DiskFull(f"the database could not be written: {text}; make room and try again")
    if "locked" in text or "busy" in text:
        return DatabaseBusy(f"{locker(path)} has locked the database; let it end, or end it, and try again")
    if "readonly" in text or "unable to open" in text:
        return StorageError(f"this user may not use {str(path)!r} ({text}); let it read and write it and its folder")
    return StorageError(f"the database fails: {text}")


_LOCKS = Path("/proc/locks")
_WRITE_LOCK = 120
"""The byte of the `-shm` file that a writer locks. Source: sqlite.org/walformat.html, "WAL locks"."""

_READ_LOCKS = range(_WRITE_LOCK + 3, _WRITE_LOCK + 8)
"""The bytes that readers share, in the same place."""


def locker(database: Path) -> str:
    """Name the process that has locked a database: `"process 812 (sqlite3)"`, or `"another process"`."""
    for kind, process, first, last in _locks(database):
        if kind == "WRITE" and process and first <= _WRITE_LOCK <= last:
            return _named(process)
    return "another process"


def readers(database: Path) -> list[str]:
    """Name the other processes that are reading a database in a transaction; empty where nobody tells."""
    processes = {process for kind, process, first, _ in _locks(database) if kind == "READ" and first in _READ_LOCKS}
    return [_named(process) for process in sorted(processes - {0, os.getpid()})]


def _locks(database: Path) -> Iterator[tuple[str, int, int, float]]:
    """Yield kind, process, first and last byte of each lock on a database's `-shm` file, as far as the kernel tells.

    A line of its list: `1: POSIX ADVISORY WRITE 812 fe:01:4711 120 120`.
    """
    try:
        inode = database.with_name(f"{database.name}-shm").stat().st_ino
        lines = _LOCKS.read_text().splitlines()
    except OSError:
        return  # only Linux tells
    for line in lines:
        match line.split():
            case [_, "POSIX", _, kind, process, file, first, last] if file.endswith(f":{inode}"):
                yield kind, int(process), int(first), inf if last == "EOF" else int(last)


def _named(process: int) -> str:
    try:
        command = Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        command = "of another user"
    return f"process {process} ({command})"
