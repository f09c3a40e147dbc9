"""What holds of an entry at a place: by the manuscript's clock what readers may know, by the story's what has happened.

Source: DESIGN section 10.
"""

from pydantic import BaseModel, ConfigDict

from bookwright.models.codex.entries import CodexEntry, Section, StoryTime
from bookwright.models.tree.place import ReadingOrder


class SeenSection(BaseModel):
    """A section with what both clocks say of it."""

    model_config = ConfigDict(frozen=True)

    section: Section
    reader_may_know: bool
    has_happened: bool | None = None
    """By the moment that is told of; None where either moment has no order."""


class SeenEntry(BaseModel):
    """An entry as it stands at a place."""

    model_config = ConfigDict(frozen=True)

    entry: CodexEntry
    phase: str | None = None
    """The phase it is in; None without phases, and before the first."""
    is_there: bool = True
    """False before its first phase begins."""
    sections: tuple[SeenSection, ...] = ()


def phase_at(entry: CodexEntry, at: str, reading: ReadingOrder) -> str | None:
    """Return the last phase that has begun at the unit `at`.

    A phase that nobody has placed begins with the book if it is the first, else not yet.
    """
    begun = [
        phase.name
        for index, phase in enumerate(entry.phases)
        if (phase.begins is not None or index == 0) and reading.has_come(phase.begins, at)
    ]
    return begun[-1] if begun else None


def see(entry: CodexEntry, at: str, reading: ReadingOrder, story_now: float | None = None) -> SeenEntry:
    """Read both clocks for an entry at the unit `at`, whose story time has the order `story_now`, if it has one."""
    phase = phase_at(entry, at, reading)
    sections = tuple(
        SeenSection(
            section=section,
            reader_may_know=reading.has_come(section.known_from, at),
            has_happened=_has_happened(section.happens_at, story_now),
        )
        for section in entry.sections
    )
    return SeenEntry(entry=entry, phase=phase, is_there=phase is not None or not entry.phases, sections=sections)


def _has_happened(time: StoryTime | None, story_now: float | None) -> bool | None:
    if time is None or time.order is None or story_now is None:
        return None
    return time.order <= story_now
