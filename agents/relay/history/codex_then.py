"""The codex as it stood at an earlier time, and as it would have stood with an author's later changes."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.merging import Keyed, keyed, unkeyed
from bookwright.models.codex.record import Origin, Record, RecordKind, Stored, kind_of
from bookwright.models.codex.sight import SeenEntry, Sight
from bookwright.models.errors import InvalidEntry
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.place import ReadingOrder
from bookwright.storage.repositories.codex import CodexRepository

RecordSlot = tuple[RecordKind, str]
"""A register and an id: what has versions."""


@dataclass(frozen=True)
class CodexThen:
    """The codex of one moment: its records, oldest first."""

    records: tuple[Record, ...]
    reading: ReadingOrder

    def entries(self) -> list[CodexEntry]:
        """Return the characters and the pieces of the world."""
        return [record for record in self.records if isinstance(record, CodexEntry)]

    def secrets(self) -> list[Secret]:
        """Return the secrets."""
        return [record for record in self.records if isinstance(record, Secret)]

    def threads(self) -> list[Foreshadowing]:
        """Return the threads of foreshadowing."""
        return [record for record in self.records if isinstance(record, Foreshadowing)]

    def reading_order(self) -> ReadingOrder:
        """Return the chapters as they are known now: a place compares the same however many came after."""
        return self.reading

    def seen_at(self, label: str, story_now: StoryTime | None = None) -> list[SeenEntry]:
        """Return every entry as it stands at a unit."""
        return list(map(Sight(label, self.reading, story_now).see, self.entries()))

    def with_entries(self, matters: Callable[[CodexEntry], bool]) -> "CodexThen":
        """Return it with those of its entries that matter; secrets and threads stay."""
        kept = (record for record in self.records if not isinstance(record, CodexEntry) or matters(record))
        return CodexThen(tuple(kept), self.reading)

    def where(self, slot: RecordSlot, record: Record | None) -> "CodexThen":
        """Return it with another version of one record; None takes it out."""
        changed = (record if slot_of(known) == slot else known for known in self.records)
        return CodexThen(tuple(known for known in changed if known is not None), self.reading)


CodexReader = CodexRepository | CodexThen
"""A codex, to be read: the book's own, or one of another time."""


def slot_of(record: Record) -> RecordSlot:
    """Return what a record is a version of."""
    return kind_of(record), record.id


class CodexHistory:
    """All versions of all records of a codex."""

    def __init__(self, versions: Iterable[Stored[Record]], reading: ReadingOrder) -> None:
        """Take the versions in the order in which they came."""
        self._slots: dict[RecordSlot, list[Stored[Record]]] = {}
        for stored in versions:
            self._slots.setdefault(slot_of(stored.record), []).append(stored)
        self._ids = {slot: [stored.id for stored in found] for slot, found in self._slots.items()}
        said = {slot: [one.id for one in found if one.origin is Origin.AUTHOR] for slot, found in self._slots.items()}
        self._said = {slot: ids[-1] for slot, ids in said.items() if ids}
        """The row of an author's last word on each record that one had a hand in."""
        self._revised: dict[tuple[RecordSlot, int], Record | None] = {}
        self.reading = reading

    @property
    def is_an_authors(self) -> bool:
        """True if an author ever had a hand in it; what only extractions made is never taken back."""
        return bool(self._said)

    @property
    def said(self) -> int:
        """The row of an author's last word; 0 where there is none."""
        return max(self._said.values(), default=0)

    def every(self) -> Iterable[tuple[RecordSlot, Record]]:
        """Return all versions of all records, each with what it is a version of."""
        return ((slot, stored.record) for slot, found in self._slots.items() for stored in found)

    def known_at(self, moment: float) -> int:
        """Return the newest row of a time, for what was made before it was recorded what its making knew."""
        rows = [each for versions in self._slots.values() for each in versions if each.recorded_at <= moment]
        return max((each.id for each in rows), default=0)

    def at(self, known: int) -> CodexThen:
        """Return the codex as it stood at a row."""
        found = (self.standing(slot, known) for slot in self._slots)
        return CodexThen(tuple(stored.record for stored in found if stored is not None), self.reading)

    def standing(self, slot: RecordSlot, known: int) -> Stored[Record] | None:
        """Return the version of a record that stood at a row; None if there was none."""
        place = bisect_right(self._ids[slot], known)
        before = self._slots[slot][place - 1] if place else None
        return None if before is None or before.is_removed else before

    def newest(self, slot: RecordSlot) -> Stored[Record]:
        """Return the last version of a record, which may be that it was taken out."""
        return self._slots[slot][-1]

    def rows(self, slot: RecordSlot) -> set[int]:
        """Return the rows of a record's versions."""
        return {stored.id for stored in self._slots[slot]}

    def changed_since(self, known: int) -> dict[RecordSlot, Record | None]:
        """Return the records that stood at a row and that an author has changed since, as they would stand then.

        What an extraction has added or moved on is left out of account: the book went on, and nobody took anything
        back. None for a record that was taken out.
        """
        standing = ((slot, self.standing(slot, known)) for slot, said in self._said.items() if said > known)
        revised = {slot: (before.record, self._now(slot, before)) for slot, before in standing if before is not None}
        return {slot: after for slot, (before, after) in revised.items() if after != before}

    def _now(self, slot: RecordSlot, before: Stored[Record]) -> Record | None:
        """A version as it would stand with all that an author said after it."""
        if (slot, before.id) not in self._revised:
            after = bisect_right(self._ids[slot], before.id)
            self._revised[slot, before.id] = _revised(before.record, self._slots[slot], after)
        return self._revised[slot, before.id]

    def added_since(self, known: int) -> list[Record]:
        """Return the records that an author has added since a row and that stand: entries as that author left them.

        What pages have added to an entry is kept from nobody; of a secret and a thread they only say where it was told.
        """
        added = (slot for slot, said in self._said.items() if said > known and self.standing(slot, known) is None)
        stored = ((self.standing(slot, self._said[slot]), self.newest(slot)) for slot in added)
        there = [(own.record, newest.record) for own, newest in stored if own is not None and not newest.is_removed]
        return [own if isinstance(own, CodexEntry) else newest for own, newest in there]


def _revised(record: Record, versions: Sequence[Stored[Record]], first: int) -> Record | None:
    """Lay on a record what the author's versions from the `first` on changed of the versions before them."""
    values = keyed(record)
    for before, after in zip(versions[first - 1 :], versions[first:], strict=False):
        if after.origin is not Origin.AUTHOR:
            continue
        if after.is_removed:
            return None
        values = _laid(values, keyed(before.record), keyed(after.record))
    try:
        return unkeyed(record, values)
    except InvalidEntry:  # what went on and what was changed fit no record together
        return versions[-1].record


def _laid(values: Keyed, before: Keyed, after: Keyed) -> Keyed:
    """Return nested values with what differs between two others laid over them."""
    result = dict(values)
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if key not in after:
            result.pop(key, None)
        elif isinstance(old, dict) and isinstance(new, dict) and isinstance(result.get(key), dict):
            result[key] = _laid(result[key], old, new)
        else:
            result[key] = new
    return result
