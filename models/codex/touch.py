"""How a change of a codex record affects a text that was made under an earlier version of it."""

from dataclasses import dataclass
from enum import StrEnum

from bookwright.models.codex.record import RecordKind


class Touch(StrEnum):
    """The way in which the record affected the text."""

    SHOWN = "shown"
    """Something of it stood in a prompt that made the text, or would stand there now."""
    CHECKED = "checked"
    """A model that reviewed the text was told of it, or would be now."""
    HELD_BACK = "held back"
    """Something was taken out of a prompt or refused for its sake, or would be now."""
    TOLD = "told"
    """The text itself gives away what it says now."""


@dataclass(frozen=True)
class Rewording:
    """A record that an author has changed since a text was made that it could have touched."""

    kind: RecordKind
    slug: str
    old: int
    """The version that stood when the text was made."""
    new: int
    is_removed: bool
    touch: Touch
    news: tuple[str, ...] = ()
    """What a writer may read of it now and could not then, a line each."""


@dataclass(frozen=True)
class Giveaway:
    """A chapter that tells what a record keeps which an author has added since."""

    label: str
    kind: RecordKind
    slug: str
