"""What an author remarks on words of a text: a note to oneself until it becomes an order to a model."""

from enum import StrEnum

from bookwright.models.frozen import FrozenModel

LONGEST_QUOTE, LONGEST_CONTEXT, LONGEST_WORDS = 2_000, 80, 4_000


class CommentState(StrEnum):
    """What became of a comment."""

    OPEN = "open"
    WAITING = "waiting"
    """An order for the next revision."""
    ORDERED = "ordered"
    """A model was told to see to it."""
    DONE = "done"
    """Its author has laid it aside."""


class Anchor(FrozenModel):
    """Where a comment stands, by the words themselves: other words before them do not move it away."""

    quote: str
    before: str = ""
    after: str = ""


class Comment(FrozenModel):
    """A comment on a passage of a unit's text."""

    id: int
    label: str
    """Of the unit that holds the text."""
    anchor: Anchor
    words: str
    state: CommentState
    seen: int = 0
    """The version of the text for which it was ordered; 0 before."""
    created_at: float
