"""`back_up` and `restore`: all books of an installation as one file, by the database's own means.

Only the database is kept: indexes, exports and Prefect's records are made of it again.
"""

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bookwright.models.errors import InvalidInput, UnusableBackup, UnwritableFolder
from bookwright.models.settings import Settings
from bookwright.storage.backup import postgres as backup_postgres
from bookwright.storage.backup import sqlite as backup_sqlite
from bookwright.storage.backup.backup_file import Manifest, read_manifest, unpack, write_backup
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import database_file, make_home
from bookwright.storage.files.file_system import scratch


@dataclass(frozen=True)
class BackedUp:
    """A backup that was made."""

    path: Path
    manifest: Manifest


@dataclass(frozen=True)
class Restored:
    """What a restore did."""

    manifest: Manifest
    kept: str | None
    """Where what was replaced is kept: a file, or a schema of the Postgres database; None if there was nothing."""


def default_path(settings: Settings) -> Path:
    """Return where a backup is written unless told otherwise: a name of the moment, in the data folder."""
    return settings.home / "backups" / f"bookwright-{datetime.now():%Y%m%d-%H%M%S-%f}.zip"


def back_up(settings: Settings, path: Path) -> BackedUp:
    """Write all books to a file; books may be written meanwhile. The file appears whole or not at all.

    A path without an ending such as `.zip` is a folder, made if need be, and gets a file named after the moment.
    What lies there already is never replaced.

    Raises:
        InvalidInput: There is nothing to back up, no tool to do it, or a file of that name.
        StorageError: The database could not be read.
    """
    file = database_file(settings)
    if path.is_dir() or (not path.suffix and not path.exists()):
        path = path / default_path(settings).name
    if path.exists():
        raise InvalidInput(f"{str(path)!r} is there already; name another file, or a folder to put one beside it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch(path.with_name("bookwright.copy")) as copy:
            contents = backup_postgres.copy_out(settings, copy) if file is None else backup_sqlite.copy_out(file, copy)
            return BackedUp(path, write_backup(path, copy, contents))
    except OSError as error:
        raise UnwritableFolder(f"{str(path)!r} cannot be written ({error.strerror or error})") from None


def restore(settings: Settings, path: Path) -> Restored:
    """Let a backup take the place of all books; what it replaces is kept beside it.

    The file is checked before anything is touched. Until the one moment in which everything changes, and if it
    does not come, the books are as they were.

    Raises:
        UnusableBackup: The file is no whole backup, or of another kind of database, or of a newer version.
        BookHeld: A living worker holds a book; nothing was changed.
        StorageError: The database could not be written; nothing was changed.
    """
    manifest = read_manifest(path)
    _check(manifest, settings)
    make_home(settings)
    file = database_file(settings)
    folder = settings.home if file is None else file.parent
    try:
        with scratch(folder / "bookwright.restoring") as copy:
            unpack(path, copy)
            if file is None:
                kept = backup_postgres.put_back(settings, copy, manifest)
            else:
                backup_sqlite.prepare(copy, settings)
                replaced = backup_sqlite.put_back(file, copy, settings.busy_seconds)
                kept = str(replaced) if replaced else None
    except OSError as error:
        raise UnwritableFolder(f"{str(folder)!r} cannot be written ({error.strerror or error})") from None
    shutil.rmtree(settings.home / "index", ignore_errors=True)  # made again from the database; see `prepare`
    return Restored(manifest, kept)


def _check(manifest: Manifest, settings: Settings) -> None:
    here = "postgresql" if database_file(settings) is None else "sqlite"
    if manifest.database != here:
        raise UnusableBackup(
            f"this is a backup of {manifest.database} and the books here are in {here}; "
            "restore it where BOOKWRIGHT_DATABASE_URL names a database of its kind"
        )
    if manifest.revision not in migrate.known_revisions():
        raise UnusableBackup(
            f"the backup stands at revision {manifest.revision!r}, which this version does not know; "
            f"install bookwright {manifest.bookwright} or newer"
        )
