"""Finds files of a book's folder that a person renamed or copied, by their front matter."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from bookwright.exports.vault.names import NOTES
from bookwright.flows.vault.conflict_files import is_conflict
from bookwright.flows.vault.rendering import is_blank
from bookwright.storage.files.vault_folder import VaultFolder

_LOOKED_AT = 4_000
"""Bytes at a file's beginning in which it says which page it is."""
_PAGE = re.compile(r"^id: *[\"']?([a-z_]+/[0-9]+)[\"']?\s*$", re.MULTILINE)
_BOOK = re.compile(r"^book: *[\"']?([a-z0-9-]+)[\"']?\s*$", re.MULTILINE)
_RECORD = re.compile(r"^# (entry|secret|foreshadowing) (\S+), version [0-9]+\s*$", re.MULTILINE)


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
    try:
        head = (folder.read(path) or b"")[:_LOOKED_AT].decode("utf-8-sig", "ignore").replace("\r", "\n")
    except OSError:
        return ""
    if record := _RECORD.search(head):
        return f"{record[1]}/{record[2]}"
    page, of = _PAGE.search(head), _BOOK.search(head)
    return page[1] if page and of and of[1] == book else ""


def _is_hidden(path: str) -> bool:
    """True for what systems and editors leave behind."""
    return any(part.startswith((".", "~")) or part.endswith(("~", ".swp")) for part in path.split("/"))
