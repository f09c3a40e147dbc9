"""Length as a contract: what a unit is given, what a model is asked for, when a draft is off."""

from pydantic import BaseModel, ConfigDict

TOLERANCE = 0.15
"""A single unit lands within this share of its target. Source: DESIGN section 4."""

CLASS_BOUNDS = (200_000, 1_000_000)
"""Characters below which a book is short, and up to which it is medium. Source: I-05."""

WORDS_PER_CHARACTER = 0.6
"""Converts the class bounds where a length counts words."""


class LengthRecord(BaseModel):
    """How a book's models have answered lengths so far."""

    model_config = ConfigDict(frozen=True)

    ratio: float = 1.0
    """Delivered over asked, smoothed; 0.7 for a model that writes too little."""

    def updated(self, asked: int, delivered: int, weight: float = 0.3) -> "LengthRecord":
        """The record after one more draft."""
        seen = min(max(delivered / max(asked, 1), 0.25), 4.0)
        return LengthRecord(ratio=(1 - weight) * self.ratio + weight * seen)

    def to_ask(self, target: int) -> int:
        """What to ask of the model so that about `target` comes back; bounded either way."""
        return max(1, round(target / min(max(self.ratio, 0.6), 1.6)))


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
    """Share `total` out in proportion to `weights`, in whole units that add up to `total`.

    Every share is at least 1. Raises nothing: empty weights give an empty list.
    """
    if not weights:
        return []
    total = max(total, len(weights))
    whole = sum(max(weight, 1) for weight in weights)
    shares = [1 + (total - len(weights)) * max(weight, 1) // whole for weight in weights]
    shares[weights.index(max(weights))] += total - sum(shares)
    return shares


class ChildLength(BaseModel):
    """What the engine grants the next child of an incremental division."""

    model_config = ConfigDict(frozen=True)

    length: int
    is_last: bool


def grant_child_length(
    remaining: int, proposed: int | None, usual: int, bounds: tuple[int, int], limit: int | None = None
) -> ChildLength:
    """Grant the next child its length; the engine, not the model, ends a division.

    The proposal is held to the level's bounds, to `limit` (how much may be written at once, for
    levels that are written) and to what is left. Near the end what is left is shared evenly by
    the last children, so that none is a stump, and the one that takes all the rest is the last.
    Source: DESIGN section 4.
    """
    low, high = bounds
    granted = min(max(proposed or usual, low), high, limit or high)
    if remaining >= 2.5 * granted:
        return ChildLength(length=granted, is_last=False)
    sharers = max(round(remaining / granted), 1)
    if limit is not None:
        sharers = max(sharers, -(-remaining // limit))
    return ChildLength(length=max(-(-remaining // sharers), 1), is_last=sharers == 1)


def division_is_over(remaining: int, usual: int) -> bool:
    """True when what is left is within the tolerance of one child, and no child is worth it."""
    return remaining < usual * TOLERANCE
