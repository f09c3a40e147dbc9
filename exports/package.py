"""A ZIP that is written piece by piece, so that a book of any length needs the memory of one piece."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Any, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo


class Package:
    """A context manager that completes the file unless the block fails; the same pieces make the same bytes."""

    def __init__(self, path: Path, moment: datetime) -> None:
        self._moment = moment.timetuple()[:6]
        self._sink = _Sink(path, "w")
        self._archive = ZipFile(self._sink, "w")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if any(raised):
            self._sink.is_given_up = True
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


class _Sink(FileIO):
    """A file that takes nothing more once a write has failed: `ZipFile` writes on while it is being closed."""

    is_given_up = False

    def write(self, data: Any, /) -> int:
        left = memoryview(data)
        while left and not self.is_given_up:
            try:
                left = left[super().write(left) :]
            except OSError:
                self.is_given_up = True
                raise
        return len(data)

    def close(self) -> None:
        with suppress(OSError):  # what was written is synced by whoever moves the file to its place
            super().close()
