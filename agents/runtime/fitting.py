"""Makes a talk fit what its model can read: which turns go before a model. Pure."""

from collections.abc import Sequence


def left_out(sizes: Sequence[int], question: int, room: int) -> set[int]:
    """Return the places of the turns to leave out, so that the rest takes no more than `room`.

    The oldest go first, then what tools brought since the question, the oldest first; the question and
    the last turn always stay, even where they are too much.

    Args:
        sizes: Tokens of each turn.
        question: The place of what the person asked last; -1 if that stands before all turns.
        room: Tokens.
    """
    gone: set[int] = set()
    excess = sum(sizes) - room
    for place in (*range(question), *range(question + 1, len(sizes) - 1)):
        if excess <= 0:
            break
        gone.add(place)
        excess -= sizes[place]
    return gone
