"""Spans of story time, and how two of them stand to each other where that can be told."""

from dataclasses import dataclass
from enum import StrEnum
from math import floor, isinf

from bookwright.models.story_time.figures import Offset, TimeReading, day_number, days_in

CALENDAR, DAYS, YEARLESS, ORDERS = "calendar", "days", "date", "order"
"""What times are counted on: the calendar, the story's own days, dates without a year, orders that an author gave."""
YEAR = 365.2425
"""Days of a year."""
_NOMINAL_YEAR = 2000
_SLIGHT = 1e-9
"""Less than any time of a story."""
_HALF_YEAR = 183
"""Days by which two dates without a year may lie apart and still be told in order."""


class Comparison(StrEnum):
    """How one time stands to another."""

    BEFORE = "before"
    SAME = "same"
    AFTER = "after"


@dataclass(frozen=True)
class Moment:
    """A span on one axis, in days (for `ORDERS` in orders), from `low` to before `high`."""

    axis: str
    low: float
    high: float

    @property
    def is_from_unit(self) -> bool:
        """Whether it is counted from a unit's own time, whenever that is."""
        return self.axis.startswith("@")

    def moved(self, offset: Offset) -> "Moment":
        """Return the span that lies so far from this one; one counted in days keeps no hour."""
        if isinf(offset.low) or isinf(offset.high):
            return Moment(self.axis, *((offset.low, self.low) if isinf(offset.low) else (self.high, offset.high)))
        if not offset.is_whole or isinf(self.high - self.low):
            return Moment(self.axis, self.low + offset.low, self.high + offset.high)
        last = floor(self.low) if self.high - self.low <= 1 else floor(self.high) - 1
        return Moment(self.axis, floor(self.low) + offset.low, last + 1 + offset.high)

    def at(self, part: tuple[float, float] | None) -> "Moment":
        """Return a part of the day, if the span is one day."""
        if part is None or self.high - self.low != 1:
            return self
        return Moment(self.axis, self.low + part[0], self.low + part[1])


def whenever(label: str) -> Moment:
    """Return the time of a unit on an axis of its own, on which so far from it can be told whenever it is."""
    return Moment(f"@{label}", 0.0, 1.0)


Moments = tuple[Moment, ...]
"""One time, on each axis on which it is known."""


def compare(one: Moments, other: Moments) -> Comparison | None:
    """Return how a time stands to another; None where nobody can tell."""
    others = {moment.axis: moment for moment in other}
    for mine in sorted(one, key=lambda moment: moment.axis != ORDERS):  # what an author ordered goes first
        yours = others.get(mine.axis)
        if yours is None or (mine.axis == YEARLESS and abs(mine.low - yours.low) >= _HALF_YEAR):
            continue
        if (found := _on_one_axis(mine, yours)) is not None:
            return found
    return None


def _on_one_axis(mine: Moment, yours: Moment) -> Comparison | None:
    if mine == yours:
        return None if isinf(mine.high - mine.low) else Comparison.SAME
    is_moved = mine.is_from_unit and abs((mine.high - mine.low) - (yours.high - yours.low)) < _SLIGHT
    if mine.high <= yours.low or (is_moved and mine.low < yours.low):
        return Comparison.BEFORE
    return Comparison.AFTER if yours.high <= mine.low or (is_moved and yours.low < mine.low) else None


def days_between(one: Moments, other: Moments) -> tuple[float, float] | None:
    """Return the least and the most days from one time to another; None where nobody can tell."""
    others = {moment.axis: moment for moment in other if moment.axis != ORDERS}
    pairs = [(mine, others[mine.axis]) for mine in one if mine.axis in others]
    spans = [(yours.low - mine.high, yours.high - mine.low) for mine, yours in pairs]
    known = [span for span in spans if not isinf(span[0]) and not isinf(span[1])]
    return min(known, key=lambda span: span[1] - span[0], default=None)


def stated(reading: TimeReading) -> Moments:
    """Return what a time says by itself; a day's number counts only where it is counted from nothing else."""
    found = []
    if reading.year is not None:
        found.append(_dated(CALENDAR, reading.year, reading.month, reading.day).at(reading.part))
    elif reading.day is not None and reading.month is not None:
        found.append(_dated(YEARLESS, _NOMINAL_YEAR, reading.month, reading.day).at(reading.part))
    if reading.number is not None and reading.offset is None:
        found.append(Moment(DAYS, float(reading.number), reading.number + 1.0).at(reading.part))
    return tuple(found)


def _dated(axis: str, year: int, month: int | None, day: int | None) -> Moment:
    first = day_number(year, month or 1, day or 1)
    last = day_number(year, month or 12, day or days_in(year, month or 12))
    return Moment(axis, float(first), last + 1.0)
