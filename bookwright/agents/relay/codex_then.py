"""A codex as it stood when something was made, and as it would have stood with what an author says now."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bookwright.models.codex import CodexEntry, Secret
from bookwright.models.codex_merge import Keyed, keyed, unkeyed
from bookwright.models.codex_record import Origin, Record, RecordKind, Stored, kind_of
from bookwright.models.errors import InvalidEntry
from bookwright.models.foreshadowing import Foreshadowing
from bookwright.models.place import ReadingOrder
from bookwright.models.sight import SeenEntry, see

RecordSlot = tuple[RecordKind, str]
"""A register and an id: what has versions."""


class CodexReader(Protocol):
    """A codex, to be read: the repository's, or one of another time."""

    def entries(self) -> list[CodexEntry]:
        """Return the characters and the pieces of the world."""
        ...

    def secrets(self) -> list[Secret]:
        """Return the secrets."""
        ...

    def threads(self) -> list[Foreshadowing]:
        """Return the threads of foreshadowing."""
        ...

    def reading_order(self) -> ReadingOrder:
        """Return the chapters as far as they are there."""
        ...

    def seen_at(self, label: str, story_now: float | None = None) -> list[SeenEntry]:
        """Return every entry as it stands at a unit."""
        ...


class CodexHolder(Protocol):
    """Whoever has a codex."""

    @property
    def codex(self) -> CodexReader:
        """The codex."""
        ...


@dataclass(frozen=True)
class CodexThen:
    """The records of one moment, in the order in which they came."""

    records: tuple[Record, ...]
    reading: ReadingOrder

    @property
    def codex(self) -> "CodexThen":
        """Itself, to whom asks for the codex of a place."""
        return self

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

    def seen_at(self, label: str, story_now: float | None = None) -> list[SeenEntry]:
        """Return every entry as it stands at a unit."""
        return [see(entry, label, self.reading, story_now) for entry in self.entries()]

    def only(self, slot: RecordSlot) -> "CodexThen":
        """Return what one record alone makes of it."""
        return CodexThen(tuple(record for record in self.records if slot_of(record) == slot), self.reading)

    def where(self, slot: RecordSlot, record: Record | None) -> "CodexThen":
        """Return it with another version of one record; None takes it out."""
        changed = (record if slot_of(known) == slot else known for known in self.records)
        return CodexThen(tuple(known for known in changed if known is not None), self.reading)


def slot_of(record: Record) -> RecordSlot:
    """Return what a record is a version of."""
    return kind_of(record), record.id


class CodexHistory:
    """All versions of all records of a codex."""

    def __init__(self, versions: Iterable[Stored[Record]], reading: ReadingOrder) -> None:
        self._slots: dict[RecordSlot, list[Stored[Record]]] = {}
        for stored in versions:
            self._slots.setdefault(slot_of(stored.record), []).append(stored)
        self._reading = reading

    @property
    def is_an_authors(self) -> bool:
        """True if an author ever had a hand in it; what only extractions made is never taken back."""
        return any(stored.origin is Origin.AUTHOR for versions in self._slots.values() for stored in versions)

    def known_at(self, moment: float) -> int:
        """Return the newest row of a time, for what was made before it was recorded what its making knew."""
        rows = [each for versions in self._slots.values() for each in versions if each.recorded_at <= moment]
        return max((each.id for each in rows), default=0)

    def at(self, known: int) -> CodexThen:
        """Return the codex as it stood at a row."""
        found = (self.standing(slot, known) for slot in self._slots)
        return CodexThen(tuple(stored.record for stored in found if stored is not None), self._reading)

    def standing(self, slot: RecordSlot, known: int) -> Stored[Record] | None:
        """Return the version of a record that stood at a row; None if there was none."""
        before = [stored for stored in self._slots[slot] if stored.id <= known]
        return before[-1] if before and not before[-1].is_removed else None

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
        found: dict[RecordSlot, Record | None] = {}
        for slot, versions in self._slots.items():
            before = self.standing(slot, known)
            later = [stored for stored in versions if stored.id > known]
            if before is None or all(stored.origin is not Origin.AUTHOR for stored in later):
                continue
            after = _revised(before.record, versions, len(versions) - len(later))
            if after != before.record:
                found[slot] = after
        return found

    def added_since(self, known: int) -> list[Record]:
        """Return the records that an author has added since a row and that stand."""
        fresh = [slot for slot in self._slots if self.standing(slot, known) is None]
        newest = [self.newest(slot) for slot in fresh]
        return [stored.record for stored in newest if stored.id > known and _is_an_authors(stored)]


def _is_an_authors(stored: Stored[Record]) -> bool:
    return stored.origin is Origin.AUTHOR and not stored.is_removed


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
