"""Checks files of weights by their size and SHA-256."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[int, int], None]
"""Hears how many bytes are there and how many there will be."""


@dataclass(frozen=True)
class WeightFile:
    """A file of weights, with the size and hash that it must have."""

    name: str
    size: int
    """In bytes."""
    sha256: str


def is_genuine(path: Path, file: WeightFile, folder: Path) -> bool:
    """Check a file's size and hash; the hash once, then a stamp in `folder` vouches for the same file."""
    state = path.stat()
    if state.st_size != file.size:
        return False
    stamp, vouched = folder / f"{file.name}.checked", f"{file.sha256} {state.st_size} {state.st_mtime_ns}"
    with suppress(OSError, UnicodeDecodeError):
        if stamp.read_text() == vouched:
            return True
    if file_hash(path) != file.sha256:
        return False
    with suppress(OSError):  # without a stamp it is only checked again
        folder.mkdir(parents=True, exist_ok=True)
        stamp.write_text(vouched)
    return True


def file_hash(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
