"""Every text of a codex as a `CodexText`: section, secret or payoff, with how much of it may be told at a place.

Source: DESIGN section 10, item 2; DETAILS "Visibility levels", "Phase filter" and fault 3; REQUIREMENTS I-23.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bookwright.agents.relay.secrets import coming_out
from bookwright.agents.relay.secrets.coming_out import SecretState
from bookwright.agents.relay.threads.foreshadowing import as_before, level_at
from bookwright.models.codex.entries import Importance, Secret, Visibility, folded
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEventType, ThreadStatus
from bookwright.models.codex.sight import SeenEntry, SeenSection
from bookwright.models.tree.place import ReadingOrder

_SUBTLETY = {Importance.CRITICAL: 9, Importance.HIGH: 7, Importance.MEDIUM: 5, Importance.LOW: 3}
SECTION_SUBTLETY = 5


@dataclass(frozen=True)
class CodexText:
    """One text with its level, wherever it is from."""

    source: str
    id: str
    text: str
    level: Visibility
    name: str = ""
    """Of a section."""
    about: str = ""
    is_history: bool = False
    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    subtlety: int = SECTION_SUBTLETY
    is_told: bool = False
    """Readers have read it."""
    is_owed: bool = False
    """Its place has come and it is not told: it is no fact yet, and an order where it is due."""
    told_in: int | None = None
    """The number of the chapter in which it came out, where that is known."""
    is_later: bool = False
    """The unit is set before it happens: nobody in it can know it."""
    unaware: tuple[str, ...] = ()
    """Who comes to know it later than the unit is set."""


def section_level(seen: SeenEntry, section: SeenSection) -> Visibility:
    """Return how much of a section may be told: nothing before either clock has come to it."""
    is_due = seen.is_there and section.reader_may_know and section.has_happened is not False
    return section.section.visibility if is_due and _has_begun(seen, section) else Visibility.HIDDEN


def section_texts(seen: SeenEntry) -> list[CodexText]:
    """Every section of an entry, those of later phases as hidden ones.

    What readers have and what is still to happen where the unit is set is left out: it is neither shown nor kept back.
    """
    return [
        CodexText(
            source=seen.entry.kind.value, id=seen.entry.id, text=section.section.text,
            level=section_level(seen, section), name=section.section.name,
            is_history=_is_history(section.section.phase, seen.phase),
            allowed=section.section.allowed_expressions, forbidden=section.section.forbidden_keywords,
        )
        for section in seen.sections
        if not section.is_later
    ]  # fmt: skip


def is_unknown(seen: SeenEntry, pieces: Sequence[CodexText]) -> bool:
    """Whether not even the existence of an entry is to be known."""
    return not seen.is_there or (bool(pieces) and all(piece.level is Visibility.HIDDEN for piece in pieces))


def secret_text(secret: Secret, at: str, reading: ReadingOrder) -> CodexText:
    """Return a secret with how much of it may be told in the unit `at`: all of it from its place on, and once told."""
    state, telling = coming_out.state_of(secret, at, reading), coming_out.told_in(secret)
    is_told, came_out = state is SecretState.TOLD, telling.place if telling else secret.revealed_at
    return CodexText(
        source="secret", id=secret.id, text=secret.content,
        level=Visibility.USE if coming_out.is_out(secret, at, reading) else secret.visibility,
        about=secret.related_entity, allowed=secret.allowed_expressions, forbidden=secret.forbidden_keywords,
        subtlety=_SUBTLETY[secret.importance], is_told=is_told, is_owed=state in (SecretState.DUE, SecretState.PENDING),
        told_in=reading.number(came_out) if came_out and is_told else None,
        is_later=coming_out.is_yet_to_happen(secret, at, reading), unaware=coming_out.unaware_at(secret, at, reading),
    )  # fmt: skip


def payoff_text(thread: Foreshadowing, at: str, reading: ReadingOrder) -> CodexText:
    """Return the payoff of a thread: what it holds back. Its seed comes with the instruction to plant it."""
    is_in_force = thread.status is not ThreadStatus.ABANDONED
    before = as_before(thread, at, reading)
    is_told = before.status is ThreadStatus.REVEALED
    paid = [event.place for event in before.timeline.events if event.type is ThreadEventType.REVEAL]
    return CodexText(
        source="foreshadowing", id=thread.id, text=thread.payoff.content, level=level_at(thread, at, reading),
        allowed=thread.ai_visibility.allowed_expressions,
        forbidden=thread.ai_visibility.forbidden_keywords if is_in_force else (),
        subtlety=thread.subtlety_level, is_told=is_told, is_owed=not is_told,
        told_in=reading.number(paid[-1]) if paid and is_told else None,
    )  # fmt: skip


def _has_begun(seen: SeenEntry, section: SeenSection) -> bool:
    """Whether the entry has come to the section's phase; what belongs to no phase is always there."""
    if section.section.phase is None:
        return True
    if seen.phase is None:
        return False
    phases = [folded(phase.name) for phase in seen.entry.phases]
    return folded(section.section.phase) in phases[: phases.index(folded(seen.phase)) + 1]


def _is_history(phase: str | None, current: str | None) -> bool:
    """Whether a section of a phase tells of what is over."""
    return phase is not None and current is not None and folded(phase) != folded(current)
