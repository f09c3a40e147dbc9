"""What a provider's cache serves of a prompt: what an earlier one, not long before it, began with, too."""

from collections import deque
from collections.abc import Sequence
from itertools import takewhile

from bookwright.agents.backends.protocol import Request
from bookwright.agents.backends.schema import tools_request

REMEMBERED = 40
"""Prompts back that a provider's cache still holds: minutes, at the pace of real models."""

LEAST_CACHED = 1_024
"""Tokens below which no provider caches a prefix."""


class PrefixCache:
    """The prompts that a cache still holds, as their parts."""

    def __init__(self) -> None:
        self._held: deque[tuple[str, ...]] = deque(maxlen=REMEMBERED)

    def share_of(self, parts: tuple[str, ...], tokens: int) -> int:
        """Return how many of a prompt's tokens the cache serves, by its share of the letters; hold the prompt."""
        letters = sum(map(len, parts))
        served = max((len(shared_prefix(parts, held)) for held in self._held), default=0)
        self._held.append(parts)
        share = tokens * served // max(letters, 1)
        return share if share >= LEAST_CACHED else 0


def parts_of(request: Request) -> tuple[str, ...]:
    """Return the texts of a request in the order in which a provider reads them."""
    prompt, turns = request.prompt, (part for turn in request.corrections for part in (turn.reply, turn.problem))
    return tuple(part for part in (prompt.system, tools_request(request), *prompt.blocks, *turns) if part)


def shared_prefix(one: Sequence[str], other: Sequence[str]) -> str:
    """Return the longest beginning that two prompts have in common."""
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))
    shared = "\n\n".join(one[:same])
    if same < min(len(one), len(other)):
        pairs = zip(one[same], other[same], strict=False)
        shared += "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared
