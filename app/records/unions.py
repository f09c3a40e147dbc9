"""Putting two entries of a codex together, and taking an earlier version of a record up again."""

from bookwright.app.access import OpenBook, at_rest
from bookwright.flows.revision.record_edits import check_change
from bookwright.flows.revision.revise import void_unfinished
from bookwright.models.codex.entries import CodexEntry
from bookwright.models.codex.merging import pointing_at, united
from bookwright.models.codex.record import Origin, Record, RecordKind, Stored
from bookwright.models.errors import InvalidInput
from bookwright.storage.stores import Stores

KIND = RecordKind.ENTRY


def unite(opened: OpenBook, kept: str, other: str) -> list[Stored[Record]]:
    """Put one entry into another while the book rests; returns the next versions of both, and of what named it.

    Raises:
        EntryNotFound: One of them is not there.
        InvalidEntry: They are of two kinds, or the same one.
    """
    with at_rest(opened.storage) as stores:
        codex = stores.codex
        into, gone = codex.get(KIND, kept), codex.get(KIND, other)
        assert isinstance(into.record, CodexEntry)  # the register holds nothing else
        assert isinstance(gone.record, CodexEntry)
        whole = united(into.record, gone.record, codex.reading_order())
        void_unfinished(stores)
        removed = codex.remove(KIND, gone.record.id, gone.version, Origin.AUTHOR)
        stands = codex.edit(whole, into.version, Origin.AUTHOR)
        codex.suggestions.move(KIND, gone.record.id, whole.id)
        return [stands, removed, *_renamed(stores, gone.record, whole)]


def take_up(opened: OpenBook, kind: RecordKind, name: str, version: int) -> Stored[Record]:
    """Make an earlier version of a record its newest while the book rests; one that was taken out is there again.

    Raises:
        InvalidInput: There is no such version, or it stands already.
        EntryNotFound: There never was such a record.
        NameTaken: Another entry has one of its names by now.
    """
    with at_rest(opened.storage) as stores:
        versions = stores.codex.history(kind, name)
        newest = versions[-1]
        old = next((stored for stored in versions if stored.version == version), None)
        if old is None:
            raise InvalidInput(f"the {kind.noun} {name!r} has no version {version}; it has 1 to {newest.version}")
        if not newest.is_removed and old.record == newest.record:
            raise InvalidInput(f"the {kind.noun} {name!r} reads as in version {version} already")
        void_unfinished(stores)
        if newest.is_removed:
            return stores.codex.add(old.record, Origin.AUTHOR)
        check_change(newest.record, old.record)
        return stores.codex.edit(old.record, newest.version, Origin.AUTHOR)


def _renamed(stores: Stores, gone: CodexEntry, kept: CodexEntry) -> list[Stored[Record]]:
    found = []
    for kind in (RecordKind.SECRET, RecordKind.FORESHADOWING):
        for stored in stores.codex.current(kind):
            after = pointing_at(stored.record, gone, kept)
            if after != stored.record:
                found.append(stores.codex.edit(after, stored.version, Origin.AUTHOR))
    return found
