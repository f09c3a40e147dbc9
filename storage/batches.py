"""Rows and values cut into batches, as many as one statement or call should take."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")


def batches(items: Iterable[_Item], size: int = 500) -> Iterator[list[_Item]]:
    """Yield the items in order, at most `size` at a time."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
