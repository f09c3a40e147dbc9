"""Cutting texts, and rows of them, to what a prompt has room for, in tokens."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from bookwright.flows.deps import Deps

_T = TypeVar("_T")


def cut_to_tokens(text: str, room: float, deps: Deps) -> str:
    """Return the beginning of a text that has about so many tokens."""
    tokens = deps.desk.count_tokens(text)
    return text if tokens <= room else text[: round(len(text) * room / tokens)]


def batches_of(items: Iterable[_T], tokens_of: Callable[[_T], float], room: float) -> list[list[_T]]:
    """Share items out to batches that one call has room for, in order; what is larger than the room stands alone."""
    batches: list[list[_T]] = []
    taken = 0.0
    for item in items:
        tokens = tokens_of(item)
        if not batches or taken + tokens > room:
            batches.append([])
            taken = 0.0
        batches[-1].append(item)
        taken += tokens
    return batches
