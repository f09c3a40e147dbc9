"""When something happens in the story, which is not when it is told: in words, in figures, and as a span."""

import re
from dataclasses import dataclass
from enum import StrEnum
from math import floor, isinf
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from bookwright.models.frozen import StrictModel
from bookwright.models.text.language import lazy_pattern
from bookwright.models.text.plain import one_line

MOST_LETTERS = 200


def _one_line(value: Any) -> Any:
    return one_line(value) if isinstance(value, str) else value


class StoryTime(StrictModel):
    """A time of the story in words: a date, a year, a numbered day, or so long before or after a unit.

    The words stay as they were said. `models/story_time/reading.py` reads them, `models/story_time/clock.py` compares.
    """

    when: Annotated[str, BeforeValidator(_one_line), Field(min_length=1, max_length=MOST_LETTERS)]
    """Such as `"the evening of day 3"`, `"12 March 1923"`, `"two days before 1.4"`, `"十年前"`."""
    order: float | None = Field(default=None, allow_inf_nan=False)
    """Sorts times that nobody can read, such as `"the Year of the Fox"`, among each other; None where nobody has said.

    It goes before the words, and is compared with other orders only.
    """

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        return {"when": value} if isinstance(value, str) else value

    def __str__(self) -> str:
        """Return the words."""
        return self.when


_STATED = lazy_pattern(
    r"^[ \t>*_#-]*(?:when|time|story time|时间|時間|故事时间|时候|時|とき|いつ|시간|때|시점)[ \t*_]*[:：][ \t*_]*"
    r"(?P<when>\S.*?)[ \t*_]*$",
    re.IGNORECASE | re.MULTILINE,
)


def stated_time(text: str) -> str:
    """Return what a line such as `When: the evening of day 3` says in a design or an outline; empty without one."""
    found = _STATED.search(text)
    return found["when"] if found else ""


def asked_time(words: str) -> StoryTime:
    """Return a time as somebody types it; a bare number is an order as well."""
    try:
        return StoryTime(when=words, order=float(words))
    except ValueError:
        return StoryTime(when=words)


def story_time(words: str) -> StoryTime | None:
    """Return what a model or an author's page says as a time; None for nothing, and what is too long is cut."""
    line = one_line(words)[:MOST_LETTERS].strip()
    return StoryTime(when=line) if line else None


Span = tuple[float, float]

FOREVER = float("inf")
BEGINNING = "^"
"""The anchor of a time that is counted from where the story begins."""


@dataclass(frozen=True)
class Offset:
    """So many days after something; before it where they are negative."""

    low: float
    high: float
    anchor: str = ""
    """A unit's label, `"#2"` for a chapter, `BEGINNING`, or empty for the unit told right before."""
    is_whole: bool = False
    """It is counted in days or nights, so that a part of the day tells more."""


@dataclass(frozen=True)
class TimeReading:
    """What some words say of a time; None where they are silent."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    """Of the month."""
    number: int | None = None
    """Of a day that the story counts."""
    part: Span | None = None
    """Of the day, as shares of it."""
    weekday: int | None = None
    """From 0, Monday."""
    offset: Offset | None = None

    @property
    def is_comparable(self) -> bool:
        """Whether it could be set beside another time."""
        return self.year is not None or self.day is not None or self.number is not None or self.offset is not None


def days_in(year: int | None, month: int) -> int:
    """Return how many days a month has; February 29 in a year that nobody knows."""
    if month == 2:
        return 29 if year is None or (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def day_number(year: int, month: int, day: int) -> int:
    """Return the number of a date's day in the Gregorian calendar, with 0 for the day before 1 January of year 1.

    Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
    """
    year -= month <= 2
    era, within = divmod(year, 400)
    of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146097 + within * 365 + within // 4 - within // 100 + of_year - 305


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

    def at(self, part: Span | None) -> "Moment":
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


def days_between(one: Moments, other: Moments) -> Span | None:
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
