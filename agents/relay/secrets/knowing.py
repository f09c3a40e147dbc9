"""What people in a unit can know of a secret, by the story's clock; what readers may know is `coming_out`'s."""

from collections.abc import Iterable

from bookwright.models.codex.entries import Knower, Secret
from bookwright.models.tree.place import ReadingOrder


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
