"""Settling what both sides of a merge changed, place by place."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from bookwright.app.branches.merge_plan import OURS, THEIRS, Conflict
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.text.merge import stretches


def stretches_of(conflict: Conflict) -> list[tuple[str, str]]:
    """Return a conflict as stretches of text, what stands here and what stands there; twice the same where they agree.

    What is no prose, or cannot be laid together, is one stretch.
    """
    if conflict.kind is DocumentKind.PROSE and conflict.merged:
        found = stretches(conflict.base, conflict.ours, conflict.theirs)
        runs = groupby(found, key=lambda pair: pair[0] == pair[1])
        return [pair for is_same, run in runs for pair in ([_joined(run)] if is_same else run)]
    return [(conflict.ours, conflict.theirs)]


def _joined(run: Iterable[tuple[str, str]]) -> tuple[str, str]:
    text = "".join(mine for mine, _ in run)
    return text, text


def choice_of(conflict: Conflict, sides: Sequence[str]) -> str:
    """Return how a conflict is settled: a side for each of its stretches that do not agree, in order.

    Raises:
        InvalidInput: A place was left open.
    """
    found = stretches_of(conflict)
    open_places = [mine != theirs for mine, theirs in found]
    if len(sides) != max(sum(open_places), 1) or not set(sides) <= {OURS, THEIRS}:
        raise InvalidInput("At each place either the words that stand here are to stand, or those of the branch.")
    if len(found) == 1:
        return sides[0]
    left = iter(sides)
    return "".join((mine if next(left) == OURS else theirs) if mine != theirs else mine for mine, theirs in found)
