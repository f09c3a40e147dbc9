"""What a backup file is: a ZIP with one database in it and a manifest that says what it holds.

Any ZIP tool opens it, and `bookwright.db` in it is an ordinary SQLite file.
"""

import hashlib
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from bookwright import __version__
from bookwright.failpoints import Failpoint
from bookwright.models.errors import UnusableBackup
from bookwright.models.frozen import FrozenModel
from bookwright.storage.files.file_system import whole

_MANIFEST = "manifest.json"
_DATA = {"sqlite": "bookwright.db", "postgresql": "bookwright.dump"}
_FORMAT: Literal[1] = 1
_PIECE = 1 << 20
_LEVEL = 1
"""Most of a book is compressed already."""


class BackedUpBook(FrozenModel):
    """One book of a backup."""

    id: str
    title: str
    state: str
    calls: int


class Contents(FrozenModel):
    """What a database held when it was backed up."""

    database: Literal["sqlite", "postgresql"]
    server: str
    """The version of SQLite, or of the Postgres server."""
    tool: str = ""
    """The major version of `pg_dump`; empty for SQLite."""
    revision: str
    made_at: float
    """Seconds since 1970, by the database's clock."""
    books: tuple[BackedUpBook, ...]


class Manifest(Contents):
    """What a backup says of itself."""

    format: Literal[1] = _FORMAT
    bookwright: str = __version__
    data: str
    """The member of the ZIP that is the database."""
    bytes: int
    sha256: str
    """Of the database, as 64 hexadecimal digits."""


def write_backup(path: Path, data: Path, contents: Contents) -> Manifest:
    """Put a copy of a database and its manifest into a backup file, which appears whole or not at all."""
    with data.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256")
    packing = zipfile.ZIP_DEFLATED if contents.database == "sqlite" else zipfile.ZIP_STORED
    with (
        whole(path, Failpoint.BACKUP) as unfinished,
        zipfile.ZipFile(unfinished, "w", packing, compresslevel=_LEVEL) as archive,
    ):
        with data.open("rb") as source, archive.open(_DATA[contents.database], "w", force_zip64=True) as target:
            shutil.copyfileobj(source, target, _PIECE)
        sums = {"data": _DATA[contents.database], "bytes": data.stat().st_size, "sha256": digest.hexdigest()}
        manifest = Manifest.model_validate(contents.model_dump() | sums)
        archive.writestr(_MANIFEST, manifest.model_dump_json(indent=2))
    return manifest


def read_manifest(path: Path) -> Manifest:
    """Read what a backup says of itself; `UnusableBackup` where it is none, or of a kind that is not known here."""
    with _opened(path) as (_, manifest):
        return manifest


def unpack(path: Path, target: Path) -> None:
    """Take the database out of a backup and make sure that it is the one that was put in.

    Raises:
        UnusableBackup: The file is no backup, or was changed or cut short.
    """
    with _opened(path) as (archive, manifest), archive.open(manifest.data) as source, target.open("wb+") as file:
        shutil.copyfileobj(source, file, _PIECE)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256")
    if digest.hexdigest() != manifest.sha256:
        raise UnusableBackup(f"{str(path)!r} is damaged: what it holds is not what was backed up")


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise UnusableBackup(f"there is no file {str(path)!r}") from None
    except OSError as error:
        raise UnusableBackup(f"{str(path)!r} cannot be read ({error.strerror}); name one that you may read") from None
    try:
        with file, zipfile.ZipFile(file) as archive:
            yield archive, Manifest.model_validate_json(archive.read(_MANIFEST))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UnusableBackup(f"the manifest of {str(path)!r} cannot be read: {where} {first['msg']}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError) as error:
        raise UnusableBackup(f"{str(path)!r} is no whole backup of bookwright ({error})") from None
