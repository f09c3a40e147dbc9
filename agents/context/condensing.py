"""Texts that every prompt needs and has no room for: made small once by a model, and found again by their content.

Source: DESIGN section 9, "Pruner": a model condenses only what must be there and does not fit.
"""

from bookwright.agents.context.allocation import OWN_PART
from bookwright.agents.context.components import BY_TAG
from bookwright.models.profile import Profile
from bookwright.storage.repositories.texts import text_hash

_SHARE = BY_TAG["book_level_design"].share
_PART = 0.3
"""Of the block's room, for each of the two texts in it: the author's premise and the book's design.

What is left goes to the sentences of the whole design that bear most on the task in hand.
"""


def room_of(profile: Profile) -> int:
    """Return how many tokens of a premise, or of a book's design, a prompt of the walk has room for."""
    return round((profile.context_budget["planner"] - OWN_PART) * _SHARE * _PART)


def name_of(text: str, profile: Profile) -> str:
    """Return the journal's name for condensing a text: the same text for the same room is the same step."""
    return f"condense.{text_hash(text)[:16]}.{room_of(profile)}"
