"""Length as a contract: what a unit is given, what a model is asked for, when a draft is off."""

import math
from dataclasses import dataclass

from bookwright.models.frozen import FrozenModel

TOLERANCE = 0.15
"""A single unit lands within this share of its target. Source: DESIGN section 4."""

MENDED = 0.05
"""Whoever refines a text is asked to come this near, and a text that has to be mended is brought no nearer."""

_LAST_UNIT, _LAST_NEAREST = 0.10, 0.02
"""The most and the least share of its target that a book's last unit may miss, whatever the book has room for."""

LAST_KEEPS = 0.95
"""Share of its plan that the last child keeps, however much its elders overran."""

_ELDER_PAYS = 0.05
"""Share of its length that a waiting child pays at once for what its elders overran."""

CLASS_BOUNDS = (200_000, 1_000_000)
"""Characters below which a book is short, and up to which it is medium. Source: I-05."""

WORDS_PER_CHARACTER = 0.6
"""Converts the class bounds where a length counts words."""


class LengthRecord(FrozenModel):
    """How a book's models have answered lengths so far."""

    ratio: float = 1.0
    """Delivered over asked, smoothed; 0.7 for a model that writes too little."""

    def updated(self, asked: int, delivered: int, weight: float = 0.3) -> "LengthRecord":
        """The record after one more draft."""
        seen = min(max(delivered / max(asked, 1), 0.25), 4.0)
        return LengthRecord(ratio=(1 - weight) * self.ratio + weight * seen)

    def to_ask(self, target: int) -> int:
        """What to ask of the model so that about `target` comes back; bounded either way."""
        return max(1, round(target / min(max(self.ratio, 0.6), 1.6)))


@dataclass(frozen=True)
class LengthRange:
    """How short and how long a text may be, in its language's unit."""

    low: int
    high: int

    def hold(self, length: int) -> bool:
        """True for a length within them."""
        return self.low <= length <= self.high

    def within(self, other: "LengthRange") -> "LengthRange":
        """These limits, held to others."""
        return LengthRange(max(self.low, other.low), min(self.high, other.high))


def range_of(target: int, tolerance: float = TOLERANCE) -> LengthRange:
    """How long a text may be that is to have `target`."""
    miss = math.floor(target * tolerance + 1e-9)
    return LengthRange(target - miss, target + miss)


def contract_of(length: int) -> float:
    """The share of its length that a finished book may miss. Source: DESIGN section 4."""
    return 0.03 if length >= 20_000 else 0.05


def range_of_last(target: int, before: int, total: int) -> LengthRange:
    """How long the last unit of a book of `total` may be where `before` stands already.

    As far off as the book has room for; but it is never made to pay for more than its own.
    """
    room = contract_of(total) * total
    most, least = (range_of(target, share) for share in (_LAST_UNIT, _LAST_NEAREST))
    low, high = math.ceil(total - room) - before, math.floor(total + room) - before
    return LengthRange(min(max(low, most.low), least.low), max(min(high, most.high), least.high))


def length_class(length: int, counts_words: bool) -> str:
    """Tell `"short"`, `"medium"` or `"long"` for a book of this length. Source: S3-049, I-05."""
    factor = WORDS_PER_CHARACTER if counts_words else 1.0
    low, high = (bound * factor for bound in CLASS_BOUNDS)
    if length < low:
        return "short"
    return "medium" if length <= high else "long"


def is_off(target: int, actual: int, tolerance: float = TOLERANCE) -> bool:
    """True if a draft misses its target by more than the tolerance."""
    return abs(actual - target) > tolerance * target


def spread(total: int, weights: list[int]) -> list[int]:
    """Share `total` out in proportion to `weights`, in whole units of at least 1 that add up to it."""
    if not weights:
        return []
    return [1 + share for share in _shares(max(total - len(weights), 0), weights)]


def _shares(total: int, weights: list[int]) -> list[int]:
    """Share `total` out in proportion to `weights`; what rounding leaves goes to the greatest of them."""
    whole = sum(max(weight, 1) for weight in weights)
    shares = [total * max(weight, 1) // whole for weight in weights]
    shares[weights.index(max(weights))] += total - sum(shares)
    return shares


def spread_after(owed: int, planned: list[int]) -> list[int]:
    """Share what a unit still owes out to the children that wait, the last of them the unit's last.

    What elders left is given out in proportion. What they overran is paid in small shares, first by the others; the
    last pays only when it waits alone, and keeps `LAST_KEEPS` of its plan. What nobody pays, the unit overruns.
    """
    debt = sum(planned) - owed
    if debt <= 0:  # shared on top of the plans, since a share of the whole, rounded down, may be less than its plan
        return [length + more for length, more in zip(planned, _shares(-debt, planned), strict=True)]
    if len(planned) == 1:
        return [max(owed, math.ceil(planned[0] * LAST_KEEPS))]
    *others, last = planned
    paid = min(debt, sum(int(length * _ELDER_PAYS) for length in others))
    return [*spread(sum(others) - paid, others), last]


class ChildLength(FrozenModel):
    """What the engine grants the next child of an incremental division."""

    length: int
    is_last: bool


def grant_child_length(
    remaining: int, proposed: int | None, usual: int, bounds: tuple[int, int], limit: int | None = None,
    *, before: int | None = None,
) -> ChildLength:  # fmt: skip
    """Grant the next child its length; the engine, not the model, ends a division.

    The proposal is held to the level's bounds, to `limit` (how much may be written at once, for
    levels that are written) and to what is left. Near the end what is left is shared evenly by
    the last children, so that none is a stump, and the one that takes all the rest is the last; if the
    one before it, which was granted `before`, overran, it has nearly as much all the same.
    Source: DESIGN section 4.
    """
    low, high = bounds
    granted = min(max(proposed or usual, low), high, limit or high)
    if remaining >= 2.5 * granted:
        return ChildLength(length=granted, is_last=False)
    sharers = max(round(remaining / granted), 1)
    if limit is not None:
        sharers = max(sharers, -(-remaining // limit))
    share = max(-(-remaining // sharers), 1)
    if sharers == 1 and before is not None:
        share = max(share, math.ceil(min(before, granted) * LAST_KEEPS))
    return ChildLength(length=share, is_last=sharers == 1)


def division_is_over(remaining: int, usual: int) -> bool:
    """True when what is left is within the tolerance of one child, and no child is worth it."""
    return remaining < usual * TOLERANCE
