"""Files of a book's folder that are no page's: conflicts laid out, words set aside, pages renamed or copied."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bookwright.exports.vault.names import NOTES
from bookwright.exports.vault.page_text import OPEN, is_untouched, sealed
from bookwright.flows.vault.rendering import is_blank, readable, sum_of
from bookwright.models.text.diff import has_marks
from bookwright.storage.files.vault_folder import VaultFolder

_CONFLICT = ".conflict"
_SEAL_LINE = re.compile(rf"^(.*){OPEN}$", re.MULTILINE)
_MINE = re.compile(rb"^(?:# )?mine: \"?([0-9a-f]{16})", re.MULTILINE)

_LOOKED_AT = 4_000
"""Bytes at a file's beginning in which it says which page it is."""
_PAGE = re.compile(r"^id: *[\"']?([a-z_]+/[0-9]+)[\"']?\s*$", re.MULTILINE)
_BOOK = re.compile(r"^book: *[\"']?([a-z0-9-]+)[\"']?\s*$", re.MULTILINE)
_RECORD = re.compile(r"^# (entry|secret|foreshadowing) (\S+), version [0-9]+\s*$", re.MULTILINE)


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


@dataclass
class Strays:
    """Files whose names are no page's."""

    unknown: list[str] = field(default_factory=list)
    """All of them."""
    moved: dict[str, str] = field(default_factory=dict)
    """By the place of a page of which there is no file: the one file that says that it is this page."""
    copies: dict[str, str] = field(default_factory=dict)
    """Other files that say which page they are, each with that page's place."""


def strays_in(
    folder: VaultFolder, book: str, places: Mapping[str, str], lacking: Collection[str], known: Collection[str]
) -> Strays:
    """Find a book's strays.

    `places` are its pages' paths by their keys, `lacking` those of which there is no file, `known` the composed
    paths that are pages', by their names of now and before.
    """
    paths = [path for path in folder.files((NOTES,)) if composed(path) not in known and not _is_hidden(path)]
    found = Strays(paths)
    for path in paths:
        place = None if is_conflict(path) else places.get(_key_in(folder, path, book))
        if place is not None:
            found.copies[path] = place
    for place in set(found.copies.values()) & set(lacking):
        named = [path for path, other in found.copies.items() if other == place]
        if len(named) == 1:
            found.moved[place] = named[0]
            del found.copies[named[0]]
    found.unknown = [path for path in paths if path not in found.moved.values()]
    return found


def is_there(folder: VaultFolder, path: str) -> bool:
    """True where something stands there that is more than an empty file, or that cannot be told."""
    try:
        content = folder.read(path)
    except OSError:
        return True
    return content is not None and not is_blank(content)


def composed(path: str) -> str:
    """A path as it is compared: some file systems take names apart."""
    return unicodedata.normalize("NFC", path)


def _key_in(folder: VaultFolder, path: str, book: str) -> str:
    """Return the key of the page that a file says it is; empty where it says none, or another book's."""
    head = (readable(folder, path) or b"")[:_LOOKED_AT].decode("utf-8-sig", "ignore").replace("\r", "\n")
    if record := _RECORD.search(head):
        return f"{record[1]}/{record[2]}"
    page, of = _PAGE.search(head), _BOOK.search(head)
    return page[1] if page and of and of[1] == book else ""


def _is_hidden(path: str) -> bool:
    """True for what systems and editors leave behind."""
    return any(part.startswith((".", "~")) or part.endswith(("~", ".swp")) for part in path.split("/"))
