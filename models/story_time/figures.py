"""What a time in words comes to, as figures; `reading.py` makes them of the words."""

from dataclasses import dataclass

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
