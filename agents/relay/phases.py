"""The phase filter: what belongs to a later phase of an entry is not there yet, in its lists and in its texts.

Source: DETAILS "Phase filter" and fault 3; REQUIREMENTS I-23.
"""

from bookwright.models.codex.entries import CodexEntry, folded
from bookwright.models.errors import UnknownPhase


def filter_phases(entry: CodexEntry, current: str | None) -> CodexEntry:
    """Return an entry as it stands in its phase `current`: later phases and the sections that tell of them are gone.

    None is before the first phase: only what belongs to no phase is left.

    Raises:
        UnknownPhase: The entry has no such phase.
    """
    begun = entry.phases[: _index(entry, current) + 1]
    names = {folded(phase.name) for phase in begun}
    sections = tuple(s for s in entry.sections if s.phase is None or folded(s.phase) in names)
    return entry.model_copy(update={"phases": begun, "sections": sections})


def is_history(phase: str | None, current: str | None) -> bool:
    """Whether a section of a phase tells of what is over."""
    return phase is not None and current is not None and folded(phase) != folded(current)


def _index(entry: CodexEntry, current: str | None) -> int:
    if current is None:
        return -1
    for index, phase in enumerate(entry.phases):
        if folded(phase.name) == folded(current):
            return index
    known = ", ".join(repr(phase.name) for phase in entry.phases) or "none"
    raise UnknownPhase(f"{entry.name!r} has no phase {current!r}; its phases are {known}")
