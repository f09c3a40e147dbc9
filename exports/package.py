"""A ZIP that is written piece by piece, so that a book of any length needs the memory of one piece."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo


class Package:
    """A context manager that completes the file unless the block fails; the same pieces make the same bytes."""

    def __init__(self, path: Path, moment: datetime) -> None:
        self._moment = moment.timetuple()[:6]
        self._sink = _Sink(path)
        self._archive = ZipFile(self._sink, "w")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if any(raised):
            self._sink.give_up()
        try:
            self._archive.close()
        finally:
            self._sink.close()

    def put(self, name: str, pieces: Iterable[str | bytes], *, is_stored: bool = False) -> None:
        """Write one file of the package; `is_stored` keeps it from being compressed."""
        info = ZipInfo(name, self._moment)
        info.compress_type, info.external_attr = ZIP_STORED if is_stored else ZIP_DEFLATED, 0o644 << 16
        with self._archive.open(info, "w") as file:
            for piece in pieces:
                file.write(piece.encode() if isinstance(piece, str) else piece)


class _Sink:
    """A file that takes nothing more once a write has failed: `ZipFile` writes on while it is being closed."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._is_given_up = False

    def write(self, data: bytes) -> int:
        left = memoryview(data)
        while left and not self._is_given_up:
            try:
                left = left[self._file.write(left) :]
            except OSError:
                self.give_up()
                raise
        return len(data)

    def give_up(self) -> None:
        self._is_given_up = True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def close(self) -> None:
        with suppress(OSError):  # what was written is synced by whoever moves the file to its place
            self._file.close()
