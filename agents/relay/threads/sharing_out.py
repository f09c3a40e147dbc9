"""Decides which part of a chapter carries out an order, so that not every part's writer is given it."""

from collections.abc import Sequence
from enum import StrEnum

from bookwright.models.tree.place import ChapterPart, ReadingOrder
from bookwright.storage.index.ranking import terms

_LEAST_SHARED = 2
"""Words that a part's goal has of what is to come out in it, and most others have not."""
_NEARLY = 0.6
"""A later part is as fit for an ending as the fittest from this share of its words on."""


class OrderTurn(StrEnum):
    """Where an order belongs in a chapter in which nothing names it."""

    FIRST = "first"
    LAST = "last"


def falls_to(at: str, words: str, reading: ReadingOrder, turn: OrderTurn) -> bool:
    """Whether the unit `at` is the part of its chapter that an order falls to, or holds it, or is the chapter.

    It falls to the part whose goal names most of what it is about; where none does, to the first or the last. The
    same tree gives the same answer, so no two parts are given one order.
    """
    path = at.split(".")
    for siblings in reading.parts_at(at):
        if siblings:
            depth = siblings[0].label.count(".") + 1
            if _chosen(siblings, words, turn).label != ".".join(path[:depth]):
                return False
    return True


def _chosen(siblings: Sequence[ChapterPart], words: str, turn: OrderTurn) -> ChapterPart:
    wanted = set(terms(words))
    held = [wanted & set(terms(part.told)) for part in siblings]
    common = set.intersection(*held) if len(held) > 1 else set()
    scores = [len(own - common) for own in held]
    best = max(scores)
    if turn is OrderTurn.FIRST:
        return siblings[scores.index(best)] if best else siblings[0]
    if best < _LEAST_SHARED:
        return siblings[-1]
    fit = [part for part, score in zip(siblings, scores, strict=True) if score >= best * _NEARLY]
    return fit[-1]
