"""What a time in words says, as figures; what nobody can read says nothing.

Four languages, whatever the book's own: a writer of a Chinese book may say `"day 3"`.
"""

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from bookwright.models.story_time import lexicon
from bookwright.models.story_time.lexicon import number_in
from bookwright.models.story_time.times import BEGINNING, FOREVER, Offset, Span, TimeReading, days_in

_FEW = (2.0, 9.0)
_DAY = (1.0, 0.0)
"""What Korean words for so many days count."""
_LONGEST_SHORT = 2
"""Figures of a year that could be an era's."""


@lru_cache(maxsize=4096)
def read_time(words: str) -> TimeReading:
    """Read a time; nothing that is said twice counts twice, and the first of two days is the one that counts."""
    text = " ".join(unicodedata.normalize("NFKC", words).casefold().split())
    text, anchor = _without_anchor(text)
    offset, rest = _offset(text, anchor)
    if offset is None and anchor and lexicon.SAME.fullmatch(text):
        offset = Offset(0.0, 0.0, anchor)
    number = lexicon.NUMBERED_DAY.search(rest)
    if number is not None:
        rest = rest[: number.start()] + " " + rest[number.end() :]
    year, month, day = _date(rest)
    counted = number_in(next(filter(None, number.groups()))) if number else None
    return TimeReading(year, month, day, counted, _part(text), _weekday(rest), offset)


def _without_anchor(text: str) -> tuple[str, str]:
    """The text with `@` for what the time is counted from, and that."""
    found = lexicon.ANCHOR.search(text)
    if found is not None:
        anchor = found["label"] or f"#{number_in(next(filter(None, (found['en'], found['zh'], found['ko']))))}"
    else:
        found, anchor = lexicon.BEGINNING.search(text), BEGINNING
    if found is None or anchor == "#None":
        return text, ""
    return f"{text[: found.start()]}@{text[found.end() :]}", anchor


def _offset(text: str, anchor: str) -> tuple[Offset | None, str]:
    """How far from its anchor the time is, and the text without what says so."""
    for pattern in lexicon.AMOUNTS:
        found = pattern.search(text)
        if found is not None and (span := _amount(found)) and _stands_bare(text, found):
            return replace(span, anchor=anchor), f"{text[: found.start()]} {text[found.end() :]}"
    for word, days in lexicon.NEARBY:
        if (found := word.search(text)) and _stands_bare(text, found):
            return Offset(days, days, anchor, is_whole=True), f"{text[: found.start()]} {text[found.end() :]}"
    for pattern in lexicon.LOOSE:
        if found := pattern.search(text):
            is_back = bool(lexicon.BACK.search(found["way"]))
            return Offset(-FOREVER if is_back else 0.0, 0.0 if is_back else FOREVER, anchor), text
    return None, text


def _stands_bare(text: str, found: re.Match[str]) -> bool:
    """False where what comes before it is what it is counted from, which nobody here knows, such as a war."""
    return found.group().isascii() or lexicon.BARE.fullmatch(text[: found.start()]) is not None


def _amount(found: re.Match[str]) -> Offset | None:
    unit, many, way = found["unit"], (found["many"] or "").strip(), found["way"]
    counts = _counts(many, unit)
    if counts is None:
        return None
    span, fuzz = next((size for name, size in lexicon.UNITS.items() if re.fullmatch(name, unit)), _DAY)
    low, high = (counts[0] * span - fuzz * min(counts[0], 1.0)), counts[1] * span + fuzz * min(counts[1], 1.0)
    if lexicon.BACK.search(way):
        low, high = -high, -low
    return Offset(low, high, is_whole=span >= 1)


def _counts(many: str, unit: str) -> tuple[float, float] | None:
    """From how many to how many; a few are two to nine."""
    if unit in lexicon.KOREAN_DAYS:
        return (float(lexicon.KOREAN_DAYS[unit]),) * 2
    if not many:
        return _FEW if unit.endswith("s") else (1.0, 1.0) if unit.isascii() else None
    if re.fullmatch(lexicon.FEW, many):
        return (10.0, 90.0) if many.endswith("十") else _FEW
    if re.fullmatch(lexicon.HALF, many):
        return (0.5, 0.5)
    number = number_in(many)
    return None if number is None else (float(number), float(number))


def _date(text: str) -> tuple[int | None, int | None, int | None]:
    """Year, month and day of the month; no month where the three are no date."""
    found = _found_date(text)
    if found is None:
        return None, None, None
    said = found.groupdict()
    year = number_in((said.get("year") or said.get("bc") or "").lstrip("-"))
    if year is not None:
        year += next((more for era, more in lexicon.ERAS.items() if text[: found.start()].endswith(era)), 0)
        is_negative = (said.get("year") or "").startswith("-") or lexicon.BEFORE_CHRIST.search(text) is not None
        year = 1 - year if is_negative else year
    month, day = _month(said.get("month") or ""), number_in(said.get("day") or "")
    if month is None or not 1 <= month <= 12 or (day is not None and not 1 <= day <= days_in(year, month)):
        return year, None, None
    return year, month, day


def _found_date(text: str) -> re.Match[str] | None:
    found = next((one for one in lexicon.CJK_DATE.finditer(text) if _is_year(text, one)), None)
    return found or next((one for pattern in lexicon.DATES if (one := pattern.search(text))), None)


def _weekday(text: str) -> int | None:
    """The day of the week that is named; of several, as in a span of days, the one right before the date."""
    named = sorted((one.start(), index) for index, name in enumerate(lexicon.WEEKDAYS) for one in name.finditer(text))
    date = _found_date(text)
    before = [index for at, index in named if date is not None and at < date.start()]
    return before[-1] if before else next((index for _, index in named), None)


def _is_year(text: str, found: re.Match[str]) -> bool:
    """Whether a number before 年 counts years from a beginning that is known: not the third year of an emperor."""
    before, figures = text[: found.start()].rstrip(), found["year"]
    if (figures.isdigit() and len(figures) > _LONGEST_SHORT) or any(before.endswith(era) for era in lexicon.ERAS):
        return True
    return len(figures) >= 4 or not re.search(r"[一-鿿가-힣]$", before) or before[-1] in "第元前제暦历曆"


def _month(name: str) -> int | None:
    named = next((index for index, month in enumerate(lexicon.MONTHS, 1) if name and month.startswith(name[:3])), None)
    return named if named is not None else number_in(name)


def _part(text: str) -> Span | None:
    if hour := lexicon.HOUR.search(text):
        start = int(hour["hour"]) / 24 + int(hour["minute"]) / 1440
        return start, start + 1 / 1440
    return next((span for word, span in lexicon.PARTS if word.search(text)), None)
