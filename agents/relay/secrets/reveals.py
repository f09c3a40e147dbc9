"""Orders to let secrets out: what a reader is to know by the end of a unit."""

from collections.abc import Iterable

from bookwright.agents.relay.secrets.coming_out import due_in_chapter, is_late
from bookwright.agents.relay.secrets.matching import Matcher
from bookwright.agents.relay.threads.sharing_out import OrderTurn, falls_to
from bookwright.models.codex.entries import Importance, Secret
from bookwright.models.frozen import FrozenModel
from bookwright.models.tree.place import ReadingOrder

GRAVEST = tuple(Importance)
"""The gravest first."""


class Reveal(FrozenModel):
    """An order to let a secret out: what a reader is to know by the end of a unit."""

    secret: str
    content: str
    is_late: bool = False
    """An earlier chapter was to tell it and did not."""


def reveals_at(secrets: Iterable[Secret], at: str, reading: ReadingOrder, matcher: Matcher) -> tuple[Reveal, ...]:
    """Return what is to come out in the unit `at` itself, the gravest first; of a chapter in parts, mostly in the last.

    Nothing of what the `matcher` finds stands in it.
    """
    own = [secret for secret in secrets if comes_out_in(secret, at, reading)]
    found = [
        Reveal(secret=secret.id, content=content, is_late=is_late(secret, at, reading))
        for secret in sorted(own, key=lambda secret: GRAVEST.index(secret.importance))
        if (content := matcher.redact(secret.content))
    ]
    return tuple(found)


def comes_out_in(secret: Secret, at: str, reading: ReadingOrder) -> bool:
    """Whether it is for the unit `at` itself to let a secret out."""
    about = f"{secret.content}\n{secret.related_entity}"
    return due_in_chapter(secret, at, reading) and falls_to(at, about, reading, OrderTurn.LAST)
