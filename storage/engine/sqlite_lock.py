"""Who holds SQLite's locks, as far as the kernel tells."""

import os
from pathlib import Path

_LOCKS = Path("/proc/locks")
_WRITE_LOCK = 120
"""The byte of the `-shm` file that a writer locks. Source: sqlite.org/walformat.html, "WAL locks"."""

_READ_LOCKS = range(_WRITE_LOCK + 3, _WRITE_LOCK + 8)
"""The bytes that readers share, in the same place."""


def locker(database: Path) -> str:
    """Name the process that has locked a database: `"process 812 (sqlite3)"`, or `"another process"`."""
    try:
        inode = database.with_name(f"{database.name}-shm").stat().st_ino
        lines = _LOCKS.read_text().splitlines()
    except OSError:
        return "another process"  # only Linux tells
    for line in lines:
        process = _writer(line.split(), inode)
        if process:
            return f"process {process} ({_command(process)})"
    return "another process"


def readers(database: Path) -> list[str]:
    """Name the other processes that are reading a database in a transaction; empty where nobody tells."""
    try:
        inode = database.with_name(f"{database.name}-shm").stat().st_ino
        lines = _LOCKS.read_text().splitlines()
    except OSError:
        return []
    processes = sorted({_reader(line.split(), inode) for line in lines} - {0, os.getpid()})
    return [f"process {process} ({_command(process)})" for process in processes]


def _reader(fields: list[str], inode: int) -> int:
    match fields:
        case [_, "POSIX", _, "READ", process, file, first, _] if file.endswith(f":{inode}"):
            return int(process) if int(first) in _READ_LOCKS else 0
    return 0


def _writer(fields: list[str], inode: int) -> int:
    """Read a line of /proc/locks: `1: POSIX ADVISORY WRITE 812 fe:01:4711 120 120`; 0 if it is another lock."""
    match fields:
        case [_, "POSIX", _, "WRITE", process, file, first, last] if file.endswith(f":{inode}"):
            reaches = last == "EOF" or int(last) >= _WRITE_LOCK
            return int(process) if int(first) <= _WRITE_LOCK and reaches else 0
    return 0


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return "of another user"
