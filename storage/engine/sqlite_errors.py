"""Translates SQLite's error messages into errors of ours."""

from pathlib import Path

from bookwright.models.errors import DatabaseBusy, DatabaseDamaged, DiskFull, StorageError
from bookwright.storage.engine.sqlite_lock import locker


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
    return StorageError(f"the database fails: {text}")
