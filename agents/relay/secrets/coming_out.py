"""Whether a secret is told already, due in a unit, or still kept; recording that it was told; and who can know it.

What readers know goes by what was printed, what people in a unit can know by the story's clock.

Source: DESIGN section 10, items 2 and 6.
"""

from collections.abc import Iterable
from enum import StrEnum

from bookwright.models.codex.entries import Knower, Secret, Telling, TellingType
from bookwright.models.tree.place import ReadingOrder

MOST_ORDERS = 4
"""Chapters that are told to let a secret out; where all of them failed, only a person is told."""


class SecretState(StrEnum):
    """How a secret stands where a unit begins."""

    KEPT = "kept"
    DUE = "due"
    """It is to come out here: its place is here, or has passed and nobody has told it."""
    PENDING = "pending"
    """Its place has come, and telling it is not for this unit any more."""
    TOLD = "told"


def state_of(secret: Secret, at: str, reading: ReadingOrder) -> SecretState:
    """Return how a secret stands for the unit `at`, by what was printed before it.

    One whose place has passed without any record counts as told: nobody looked when that place was written.
    """
    before = [event for event in secret.events if reading.is_before(event.place, at)]
    if any(event.type is TellingType.TOLD for event in before):
        return SecretState.TOLD
    place = secret.revealed_at
    if place is None or not (reading.has_come(place, at) or reading.is_here(place, at)):
        return SecretState.KEPT
    if len(before) >= MOST_ORDERS:
        return SecretState.PENDING
    if reading.is_here(place, at):
        return SecretState.DUE
    if before:  # what was missed is made good where it can be: not in a flashback to before it happens
        return SecretState.PENDING if is_yet_to_happen(secret, at, reading) else SecretState.DUE
    return SecretState.PENDING if reading.number(place) == reading.chapter_of(at) else SecretState.TOLD


def is_late(secret: Secret, at: str, reading: ReadingOrder) -> bool:
    """Whether an earlier chapter was to let a secret out and did not."""
    return any(reading.is_before(event.place, at) for event in secret.events if event.type is TellingType.MISSED)


def is_out(secret: Secret, at: str, reading: ReadingOrder) -> bool:
    """Whether nothing of a secret is to be kept in the unit `at`: its place has come, or it was told."""
    has_come = secret.revealed_at is not None and reading.has_come(secret.revealed_at, at)
    return has_come or state_of(secret, at, reading) is SecretState.TOLD


def due_in_chapter(secret: Secret, at: str, reading: ReadingOrder) -> bool:
    """Whether a secret is to have come out once the chapter `at` is written, whatever was recorded of it there."""
    return not reading.holds_chapters(at) and state_of(secret, at, reading) is SecretState.DUE


def recorded(secret: Secret, event: Telling | None, at: str, reading: ReadingOrder) -> Secret:
    """Return a secret with what the unit `at` did for it in place of what an earlier text of that unit did."""
    kept = [own for own in secret.events if not reading.is_here(own.place, at)]
    events = tuple(sorted([*kept, *([event] if event else [])], key=lambda own: reading.number(own.place)))
    return secret if events == secret.events else secret.model_copy(update={"events": events})


def told_in(secret: Secret) -> Telling | None:
    """Return where a secret came out; None as long as it has not."""
    return next((event for event in secret.events if event.type is TellingType.TOLD), None)


def is_yet_to_happen(secret: Secret, at: str, reading: ReadingOrder) -> bool:
    """Whether a unit is set before what a secret tells of, so that nobody in it can know it."""
    return secret.happens_at is not None and reading.clock.has_come(secret.happens_at, at) is False


def unaware_at(secret: Secret, at: str, reading: ReadingOrder) -> tuple[str, ...]:
    """Return who comes to know a secret and does not know it yet where a unit is set."""
    return tuple(own.name for own in secret.known_by if not may_know(own, at, reading))


def may_know(knower: Knower, at: str, reading: ReadingOrder) -> bool:
    """Whether somebody can know a secret where a unit is set; True where nobody can tell."""
    return knower.since is None or reading.clock.has_come(knower.since, at) is not False


def unknown_yet(secrets: Iterable[Secret], at: str, reading: ReadingOrder) -> tuple[str, ...]:
    """Return a line for each secret that nobody, or not everybody, can know where a unit is set; its id first."""
    lines = []
    for secret in secrets:
        if is_yet_to_happen(secret, at, reading):
            lines.append(f"{secret.id}: {secret.content}")
        elif unaware := unaware_at(secret, at, reading):
            lines.append(f"{secret.id}: {secret.content} ({', '.join(unaware)})")
    return tuple(lines)
