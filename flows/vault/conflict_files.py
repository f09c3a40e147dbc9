"""Files that `sync` writes beside others: both sides of a conflict, and copies of a person's words among the notes."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bookwright.exports.vault.names import NOTES
from bookwright.exports.vault.page_text import OPEN, is_untouched, sealed
from bookwright.flows.vault.rendering import sum_of
from bookwright.models.text.diff import has_marks
from bookwright.storage.files.vault_folder import VaultFolder

_CONFLICT = ".conflict"
_SEAL_LINE = re.compile(rf"^(.*){OPEN}$", re.MULTILINE)
_MINE = re.compile(rb"^(?:# )?mine: \"?([0-9a-f]{16})", re.MULTILINE)


def conflict_path(path: str) -> str:
    """Return the file in which a file's conflict is laid out."""
    name = PurePosixPath(path)
    return str(name.with_name(f"{name.stem}{_CONFLICT}{name.suffix}"))


def is_conflict(path: str) -> bool:
    """Tell whether a file is one that a conflict was laid out in."""
    return PurePosixPath(path).stem.endswith(_CONFLICT)


def is_of(conflict: bytes, content: bytes) -> bool:
    """Tell whether a conflict was laid out of that file, or does not say of which."""
    found = _MINE.search(conflict)
    return found is None or found[1] == _mark(content)


def lay_out(folder: VaultFolder, path: str, both: str, content: bytes) -> None:
    """Put both sides of a conflict beside a file, unless somebody is at work on them; raise `OSError`, as files do."""
    beside = conflict_path(path)
    there = folder.read(beside)
    if there is not None and not is_untouched(there):
        if has_marks(there.decode("utf-8", "replace")):
            return
        set_aside(folder, beside)  # it was settled, and the book has gone on since
    told = rf"\g<0>\n\g<1>mine: {_mark(content).decode()}"
    folder.write(beside, sealed(_SEAL_LINE.sub(told, both, count=1)))


def set_aside(folder: VaultFolder, path: str) -> None:
    """Keep what a person made of a file among the notes; raise `OSError` if it cannot be read or written."""
    content = folder.read(path)
    if content is not None:
        folder.write(next(free for free in _aside(path) if not folder.has(free)), content)


def _aside(path: str) -> Iterator[str]:
    name = PurePosixPath(path)
    yield f"{NOTES}/{name.name}"
    yield from (f"{NOTES}/{name.stem} {number}{name.suffix}" for number in range(2, 10_000))


def _mark(content: bytes) -> bytes:
    return sum_of(content)[:16].encode()
