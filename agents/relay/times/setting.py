"""When a unit is set, as whoever plans, writes or checks it is told: in words, and how far from other chapters."""

from collections.abc import Iterator
from dataclasses import dataclass

from bookwright.models.story_time.reading import read_time
from bookwright.models.story_time.times import YEAR, days_between
from bookwright.models.tree.place import ReadingOrder, order_of
from bookwright.prompts.render import render_part

_MONTH, _WEEK = 30.44, 7.0
_VAGUE = 0.25
"""Of a distance, how much of it may be unknown before nobody can say how far it is."""
_YEARS = 1.9
"""Years from which on two years that are told without a day are so many years apart."""
_MOST_LINES = 16
"""Chapters of which a reviewer is told when they are set: the last ones before a unit, and those behind it."""


@dataclass(frozen=True)
class Distance:
    """How far a unit is set from a chapter that was told before it."""

    chapter: int
    amount: int
    unit: str
    """`"year"`, `"month"`, `"week"`, `"day"`, or empty for the same day."""
    is_before: bool = False


@dataclass(frozen=True)
class Setting:
    """When a unit is set."""

    when: str
    distances: tuple[Distance, ...] = ()
    """From the chapter right before it, and from the one that is nearest in the story."""


def setting_of(label: str, reading: ReadingOrder) -> Setting | None:
    """Return when a unit is set; None where nobody has said."""
    time = reading.clock.time_of(label)
    if time is None:
        return None
    offset = read_time(time.when).offset
    before = [] if offset is not None and offset.anchor else list(_distances_before(label, reading))
    nearest = sorted(before, key=lambda own: abs(own[0]))[:1]
    return Setting(time.when, tuple(dict.fromkeys(distance for _, distance in (*before[-1:], *nearest))))


def told_setting(label: str, reading: ReadingOrder, locale: str) -> str:
    """Return the line that says when a unit is set; empty where nobody has said."""
    found = setting_of(label, reading)
    return render_part("story/_setting", locale, setting=found) if found else ""


def setting_lines(label: str, reading: ReadingOrder, locale: str) -> tuple[str, ...]:
    """Return when chapters are set, a line each: the unit's own first, then others, those nearest to it."""
    clock = reading.clock
    own = clock.time_of(label)
    others = [each for each in reading.chapters if each != label and clock.time_of(each) is not None]
    here = reading.chapter_of(label)
    shown = sorted(sorted(others, key=lambda each: abs(reading.chapter_of(each) - here))[:_MOST_LINES], key=order_of)
    lines = [f"{label}: {own}"] if own else []
    named = "第 {} 章（{}）：{}" if locale == "zh" else "chapter {} ({}): {}"
    return (*lines, *(named.format(reading.chapter_of(each), each, clock.time_of(each)) for each in shown))


def _distances_before(label: str, reading: ReadingOrder) -> Iterator[tuple[float, Distance]]:
    """The chapters before a unit from which it can be told how far it is, with the days."""
    clock = reading.clock
    here = clock.at(label)
    for number, chapter in enumerate(reading.chapters[: reading.chapter_of(label) - 1], 1):
        if clock.time_of(chapter) is None:
            continue
        days = days_between(clock.at(chapter), here)
        if days is not None and (found := _distance(number, *days)):
            yield (days[0] + days[1]) / 2, found


def _distance(chapter: int, low: float, high: float) -> Distance | None:
    middle = (low + high) / 2
    size = abs(middle)
    if size < 1 and high - low <= 2:
        return Distance(chapter, 0, "")
    if high - low > max(2.0, 2 * _VAGUE * size, 2 * (YEAR + 1) if size >= _YEARS * YEAR else 0.0):
        return None
    unit, length = next(
        (name, days) for name, days in (("year", YEAR), ("month", _MONTH), ("week", _WEEK), ("day", 1.0))
        if size >= _YEARS * days or name == "day"
    )  # fmt: skip
    return Distance(chapter, max(round(size / length), 1), unit, middle < 0)
