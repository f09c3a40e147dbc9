"""Whether a secret is told already, due in a unit, or still kept; and recording that it was told.

Source: DESIGN section 10, items 2 and 6.
"""

from enum import StrEnum

from bookwright.agents.relay.secrets.knowing import is_yet_to_happen
from bookwright.models.codex.entries import Secret, Telling, TellingType
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
    if before and len(before) >= MOST_ORDERS:
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
    events = [*kept, *([event] if event else [])]
    ordered = sorted(events, key=lambda own: reading.number(own.place))
    return secret if tuple(ordered) == secret.events else secret.model_copy(update={"events": tuple(ordered)})


def told_in(secret: Secret) -> Telling | None:
    """Return where a secret came out; None as long as it has not."""
    return next((event for event in secret.events if event.type is TellingType.TOLD), None)
