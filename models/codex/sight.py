"""An entry as of one unit: by the manuscript's order what readers may know, by the story's clock what has happened.

Source: DESIGN section 10.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bookwright.models.codex.entries import CodexEntry, Section, folded
from bookwright.models.frozen import FrozenModel
from bookwright.models.story_time.times import Comparison, Moments, StoryTime, compare
from bookwright.models.tree.place import Place, ReadingOrder


class SeenSection(FrozenModel):
    """A section with what both clocks say of it."""

    section: Section
    reader_may_know: bool
    """By the manuscript: its place has come, and that of its phase."""
    has_happened: bool | None = None
    """By the story, where the unit is set; None where nobody can tell."""
    was_told: bool = False
    """The manuscript has come as far in the story before, so readers have it although it is still to happen here."""

    @property
    def is_later(self) -> bool:
        """Whether readers may know it, and nobody in the unit can: in a flashback, what comes of it all."""
        return self.reader_may_know and self.has_happened is False and self.was_told


class SeenEntry(FrozenModel):
    """An entry as it stands at a place."""

    entry: CodexEntry
    phase: str | None = None
    """The phase it is in, by the story's clock where that can be told; None without phases, and before the first."""
    is_there: bool = True
    """False before the manuscript comes to its first phase."""
    is_later: bool = False
    """The manuscript has come to it, and the unit is set before it begins."""
    sections: tuple[SeenSection, ...] = ()


@dataclass(frozen=True)
class Sight:
    """A unit from which a codex is looked at, on both clocks."""

    at: str
    reading: ReadingOrder
    now: StoryTime | None = None
    """When it is set, where that is asked of another time than the unit's own."""

    def see(self, entry: CodexEntry) -> SeenEntry:
        """Read both clocks for an entry: return it as it stands there."""
        phase, told = self._phase(entry, self._has_begun), self._phase(entry, self._is_told)
        return SeenEntry(
            entry=entry, phase=phase, is_there=told is not None or not entry.phases,
            is_later=bool(entry.phases) and phase is None and told is not None,
            sections=tuple(self._section(entry, section) for section in entry.sections),
        )  # fmt: skip

    def has_come(self, time: StoryTime | None) -> bool | None:
        """Whether something has happened where the unit is set; None where nobody can tell."""
        found = compare(self.reading.clock.of(time), self._moments) if time else None
        return None if found is None else found is not Comparison.AFTER

    @property
    def _moments(self) -> Moments:
        """When the unit is set."""
        return self.reading.clock.of(self.now) if self.now else self.reading.clock.at(self.at)

    def _section(self, entry: CodexEntry, section: Section) -> SeenSection:
        index = next((i for i, own in enumerate(entry.phases) if folded(own.name) == folded(section.phase or "")), None)
        is_told = index is None or self._is_told(entry, index)
        happened = self.has_come(section.happens_at)
        if index is not None and is_told and not self._has_begun(entry, index):
            happened = False
        return SeenSection(
            section=section, reader_may_know=is_told and self.reading.has_come(section.known_from, self.at),
            has_happened=happened,
            was_told=section.happens_at is None or self.reading.clock.was_told(section.happens_at, self.at),
        )  # fmt: skip

    def _phase(self, entry: CodexEntry, begun: Callable[[CodexEntry, int], bool]) -> str | None:
        """The last phase of which that holds."""
        return next((entry.phases[i].name for i in reversed(range(len(entry.phases))) if begun(entry, i)), None)

    def _is_told(self, entry: CodexEntry, index: int) -> bool:
        """By the manuscript; a phase that nobody has placed has begun if it is the first, or if its time has come."""
        phase = entry.phases[index]
        if phase.begins is None:
            return index == 0 or self.has_come(phase.happens_at) is True
        return self.reading.has_come(phase.begins, self.at)

    def _has_begun(self, entry: CodexEntry, index: int) -> bool:
        """By the story's clock: its own time, or when the unit happens in which it begins; else by the manuscript."""
        phase = entry.phases[index]
        begun = self.has_come(phase.happens_at)
        if begun is None and phase.begins is not None and not self.reading.clock.is_empty:
            begun = self._has_passed(self.reading.label_at(phase.begins))
        return self._is_told(entry, index) if begun is None else begun

    def _has_passed(self, label: str) -> bool | None:
        """Whether a unit lies before this one in the story; None where it is the same time, or nobody can tell."""
        if not label or self.reading.is_here(Place(label=label), self.at):
            return None
        found = compare(self.reading.clock.at(label), self._moments)
        return None if found in (None, Comparison.SAME) else found is Comparison.BEFORE
