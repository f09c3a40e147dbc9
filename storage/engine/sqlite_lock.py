"""Who holds SQLite's locks, as far as the kernel tells."""

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path

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
