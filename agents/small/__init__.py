"""The `small` profile: what code does for models too weak to do it, as pure functions."""

from bookwright.agents.small.events import distinct_events
from bookwright.agents.small.grammar import narrow_grammar, prose_grammar
from bookwright.agents.small.premise import closing_of, names_in, opening_of, pronoun_of, things_in
from bookwright.agents.small.sampling import sampling_extra
from bookwright.agents.small.scoring import better_of, prose_score
from bookwright.agents.small.telling import (
    PIECE_TOKENS,
    PIECES,
    carried,
    ended,
    is_enough,
    joined,
    prefill_for,
    trimmed,
)

__all__ = [
    "PIECES",
    "PIECE_TOKENS",
    "better_of",
    "carried",
    "closing_of",
    "distinct_events",
    "ended",
    "is_enough",
    "joined",
    "names_in",
    "narrow_grammar",
    "opening_of",
    "prefill_for",
    "pronoun_of",
    "prose_grammar",
    "prose_score",
    "sampling_extra",
    "things_in",
    "trimmed",
]
