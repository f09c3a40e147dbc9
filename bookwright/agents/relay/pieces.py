"""Every text of a codex as one kind of piece, with how much of it may be told at a place.

Source: DESIGN section 10, item 2; DETAILS "Visibility levels".
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.agents.relay.foreshadowing import level_at
from bookwright.agents.relay.phases import filter_phases, is_history
from bookwright.models.codex import Importance, Secret, Visibility
from bookwright.models.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.place import ReadingOrder
from bookwright.models.sight import SeenEntry, SeenSection

_SUBTLETY = {Importance.CRITICAL: 9, Importance.HIGH: 7, Importance.MEDIUM: 5, Importance.LOW: 3}
SECTION_SUBTLETY = 5


_GRAVEST = (Importance.CRITICAL, Importance.HIGH, Importance.MEDIUM, Importance.LOW)


@dataclass(frozen=True)
class Piece:
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


def section_level(seen: SeenEntry, section: SeenSection) -> Visibility:
    """Return how much of a section may be told: nothing before either clock has come to it."""
    is_due = seen.is_there and section.reader_may_know and section.has_happened is not False
    return section.section.visibility if is_due and _has_begun(seen, section) else Visibility.HIDDEN


def secret_level(secret: Secret, at: str, reading: ReadingOrder) -> Visibility:
    """Return how much of a secret may be told in the unit `at`: all of it from its place on."""
    is_out = secret.revealed_at is not None and reading.has_come(secret.revealed_at, at)
    return Visibility.USE if is_out else secret.visibility


def secrets_in_force(secrets: Iterable[Secret], at: str, reading: ReadingOrder) -> list[Secret]:
    """Return what is secret in the unit `at`, the gravest first, and of those what comes out first."""
    kept = [secret for secret in secrets if secret_level(secret, at, reading) < Visibility.USE]
    last = len(reading.chapters) + 1
    return sorted(kept, key=lambda own: (_GRAVEST.index(own.importance), _number(own, reading, last)))


def _number(secret: Secret, reading: ReadingOrder, last: int) -> int:
    return last if secret.revealed_at is None else reading.number(secret.revealed_at)


def pieces_of(seen: SeenEntry) -> list[Piece]:
    """Every section of an entry, those of later phases as hidden ones."""
    return [
        Piece(
            source=seen.entry.kind.value, id=seen.entry.id, text=section.section.text,
            level=section_level(seen, section), name=section.section.name,
            is_history=is_history(section.section.phase, seen.phase),
            allowed=section.section.allowed_expressions, forbidden=section.section.forbidden_keywords,
        )
        for section in seen.sections
    ]  # fmt: skip


def other_pieces(
    secrets: Iterable[Secret], threads: Iterable[Foreshadowing], at: str, reading: ReadingOrder
) -> list[Piece]:
    """Return secrets and the payoffs of threads as pieces."""
    return [
        *(_of_secret(secret, at, reading) for secret in secrets),
        *(_of_thread(thread, at, reading) for thread in threads),
    ]


def is_unknown(seen: SeenEntry, pieces: list[Piece]) -> bool:
    """Whether not even the existence of an entry is to be known."""
    return not seen.is_there or (bool(pieces) and all(piece.level is Visibility.HIDDEN for piece in pieces))


def _of_secret(secret: Secret, at: str, reading: ReadingOrder) -> Piece:
    return Piece(
        source="secret", id=secret.id, text=secret.content, level=secret_level(secret, at, reading),
        about=secret.related_entity, allowed=secret.allowed_expressions, forbidden=secret.forbidden_keywords,
        subtlety=_SUBTLETY[secret.importance],
    )  # fmt: skip


def _of_thread(thread: Foreshadowing, at: str, reading: ReadingOrder) -> Piece:
    """The payoff is what a thread holds back; its seed comes with the instruction to plant it."""
    is_in_force = thread.status is not ThreadStatus.ABANDONED
    return Piece(
        source="foreshadowing", id=thread.id, text=thread.payoff.content, level=level_at(thread, at, reading),
        allowed=thread.ai_visibility.allowed_expressions,
        forbidden=thread.ai_visibility.forbidden_keywords if is_in_force else (),
        subtlety=thread.subtlety_level,
    )  # fmt: skip


def _has_begun(seen: SeenEntry, section: SeenSection) -> bool:
    if section.section.phase is None:
        return True
    kept = filter_phases(seen.entry, seen.phase).sections
    return section.section in kept
