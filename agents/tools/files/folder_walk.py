"""What lies in a folder and below it, within a bound of entries and time; links are never followed."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from bookwright.agents.tools.files.paths import DEEPEST, VERSION_CONTROL
from bookwright.agents.tools.files.sandbox import TEMPORARY, kind_of
from bookwright.agents.tools.tool import PartialReasons

MOST_ENTRIES = 20_000
MOST_SECONDS = 2.0
_NOTED = 20

IGNORED = VERSION_CONTROL | {
    "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache", "build",
    "dist", "target",
}  # fmt: skip
"""Folders of version control and builds, which hold nothing of a book."""


class WalkBounds:
    """How much a tool may still look at; counts as it goes."""

    def __init__(self, entries: int, seconds: float) -> None:
        """Begin to count now."""
        self._entries = entries
        self._ends = monotonic() + seconds
        self.broken = ""
        """Which bound was met, as the end of a sentence; empty while none is."""
        self.seen = 0
        """Entries looked at."""
        self.unread: list[str] = []
        """Files and folders that could not be read, a few of them by their paths."""

    @property
    def seconds_left(self) -> float:
        """Never below 0."""
        return max(self._ends - monotonic(), 0.0)

    def take(self) -> bool:
        """Count one entry; false once a bound is met."""
        if self.seen >= self._entries:
            self.broken = f"the limit of {self._entries} entries was reached"
        elif self.seconds_left == 0:
            self.out_of_time()
        else:
            self.seen += 1
        return not self.broken

    def could_not_read(self, path: str) -> None:
        """Note what was left out."""
        if len(self.unread) < _NOTED:
            self.unread.append(path)

    def out_of_time(self) -> None:
        """Say that the time has run out."""
        self.broken = "the time ran out"

    def reasons(self) -> PartialReasons:
        """Why an answer is only partial: what these bounds left out."""
        short = PartialReasons()
        if self.broken:
            short.add(f"Not all was looked at: {self.broken}.", "Name a smaller folder in path.", truncated=True)
        if self.unread:
            lacking = f"Left out as unreadable or too large: {', '.join(self.unread[:3])}."
            short.add(lacking, "Go on without them.", failed_items=self.unread)
        return short


@dataclass(frozen=True)
class FolderEntry:
    """One name in a folder."""

    name: str
    kind: str
    """`file`, `dir`, `link` or `other`."""
    modified: float
    """Seconds since the epoch."""


@dataclass(frozen=True)
class NameFilter:
    """Which names are looked at."""

    takes_hidden: bool = False
    takes_ignored: bool = False
    """Whether the folders of version control and builds are."""

    def takes(self, entry: FolderEntry) -> bool:
        """Whether an entry is among them; files of ours that are still being written never are."""
        is_hidden = entry.name.startswith(".") and not self.takes_hidden
        if is_hidden or entry.name.startswith(TEMPORARY):
            return False
        return self.takes_ignored or entry.kind != "dir" or entry.name.casefold() not in IGNORED


def entries_of(folder: int, bounds: WalkBounds) -> list[FolderEntry]:
    """The entries of an open folder by name, as far as the bounds allow."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not bounds.take():
                break
            with suppress(FileNotFoundError):  # gone since it was listed
                about = entry.stat(follow_symlinks=False)
                found.append(FolderEntry(entry.name, kind_of(about), about.st_mtime))
    return sorted(found, key=lambda entry: entry.name)


def walk(
    folder: int,
    bounds: WalkBounds,
    choice: NameFilter,
    enters: Callable[[tuple[str, ...]], bool] = lambda _: True,
    above: tuple[str, ...] = (),
) -> Iterator[tuple[tuple[str, ...], FolderEntry]]:
    """Every entry below an open folder but folders, with its names from there; files before what lies deeper.

    `enters` says whether a folder, by its names, is worth entering. Folders that cannot be read are noted in `bounds`.
    `above` holds the names that led to the folder, where it lies below the first.
    """
    entries = [entry for entry in entries_of(folder, bounds) if choice.takes(entry)]
    for entry in entries:
        if entry.kind != "dir":
            yield (*above, entry.name), entry
    for entry in entries:
        inner = (*above, entry.name)
        if entry.kind != "dir" or len(inner) > DEEPEST or bounds.broken or not enters(inner):
            continue
        try:
            descriptor = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        except OSError:
            bounds.could_not_read("/".join(inner))
            continue
        try:
            yield from walk(descriptor, bounds, choice, enters, inner)
        finally:
            os.close(descriptor)
