"""The seal of an embedded index: the sizes or hashes of its files when they were last known to be whole.

Chroma's native code can crash the process on a file that was cut short or has other bytes than it
wrote, so no file is opened that the seal does not know.
"""

import json
import zlib
from pathlib import Path

from bookwright.failpoints import Failpoint, around

_PIECE = 2**20


class Seal:
    """A file beside the index's files, taken away while the index is open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "seal.json"

    def put(self, *, is_by_content: bool = False) -> None:
        """Vouch for the files: by their sizes, which is cheap, or by every byte, once nobody writes them any more."""
        seal = {name: (path.stat().st_size, _checksum(path) if is_by_content else None) for name, path in self._files()}
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(seal))
        with around(Failpoint.SEAL_INDEX):
            new.replace(self._file)

    def take(self) -> bool:
        """Take the seal away, before anything is opened; True if the files are those that it knows.

        One that was put on by sizes admits longer files: nothing is ever deleted, so they only grow.

        Raises:
            OSError: There is none; the index was open when its worker died before it held anything.
        """
        seal = json.loads(self._file.read_text())
        self._file.unlink()
        files = dict(self._files())
        return all(name in files and _is_as_sealed(files[name], *known) for name, known in seal.items())

    def is_on(self) -> bool:
        """True if somebody vouches for the files."""
        return self._file.exists()

    def _files(self) -> list[tuple[str, Path]]:
        """The files that hold vectors; the rest is SQLite's, which finds its own damage."""
        return [(path.relative_to(self._folder).as_posix(), path) for path in self._folder.rglob("*.bin")]


def _is_as_sealed(path: Path, size: int, checksum: int | None) -> bool:
    if checksum is None:
        return path.stat().st_size >= size
    return path.stat().st_size == size and _checksum(path) == checksum


def _checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            value = zlib.crc32(piece, value)
    return value
