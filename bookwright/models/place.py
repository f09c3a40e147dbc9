"""Places in a manuscript: a node's label or a chapter's number, and what comes before what."""

import re
from bisect import bisect_right
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator

_LABEL = re.compile(r"1(?:\.[1-9][0-9]{0,8})+", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)


class Place(BaseModel):
    """The beginning of a unit: `"1.2.3"` is a node's label, `7` or `"7"` the seventh chapter.

    In files and JSON it is that number or that text, nothing more.
    """

    model_config = ConfigDict(frozen=True)

    label: str | None = None
    chapter: int | None = Field(default=None, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1:
            value = value.get("label") or value.get("chapter")
        text = str(value).strip() if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
        if _LABEL.fullmatch(text):
            return {"label": text}
        if _NUMBER.fullmatch(text):
            return {"chapter": int(text)}
        raise ValueError("is no place; give a chapter's number such as 7, or a node's label such as 1.2.3")

    @model_serializer
    def _write(self) -> int | str:
        return self.label or self.chapter or 1

    def __str__(self) -> str:
        """Return it in words: `"chapter 7"`, `"1.2.3"`."""
        return self.label or f"chapter {self.chapter}"


def order_of(label: str) -> tuple[int, ...]:
    """Return a label's sort key for reading order: `"1.10"` comes after `"1.2"`, and a unit after the one above it."""
    return tuple(int(ordinal) for ordinal in label.split("."))


class ReadingOrder(BaseModel):
    """The chapters of a book as far as they are known, which let chapter numbers and labels be compared."""

    model_config = ConfigDict(frozen=True)

    chapters: tuple[str, ...] = ()
    """Their labels in reading order; for a book without chapters those of its highest units."""

    def chapter_of(self, label: str) -> int:
        """Return the number of the chapter that a unit lies in, or of the one that it begins with."""
        if label not in self._numbers:
            here = order_of(label)
            before = bisect_right(self._orders, here)  # the last of these may be the one that it lies in
            is_inside = before > 0 and here[: len(self._orders[before - 1])] == self._orders[before - 1]
            self._numbers[label] = before if is_inside else before + 1
        return self._numbers[label]

    def number(self, place: Place) -> int:
        """Return the number of a place's chapter."""
        return place.chapter or self.chapter_of(place.label or "1")

    def has_come(self, place: Place | None, at: str) -> bool:
        """Whether the unit `at` begins at a place or after it; None has come from the start."""
        if place is None:
            return True
        if place.label is not None:
            return order_of(place.label) <= order_of(at)
        return self.chapter_of(at) >= (place.chapter or 1)

    def is_here(self, place: Place | None, at: str) -> bool:
        """Whether a place lies in the unit `at`, or `at` lies in the place's unit."""
        if place is None:
            return False
        if place.label is None:
            return self.chapter_of(at) == place.chapter
        there, here = order_of(place.label), order_of(at)
        shorter = min(len(there), len(here))
        return there[:shorter] == here[:shorter]

    def is_before(self, place: Place, at: str) -> bool:
        """Whether a place's unit has ended where the unit `at` begins."""
        if place.label is None:
            return (place.chapter or 1) < self.chapter_of(at)
        return order_of(place.label) < order_of(at) and not self.is_here(place, at)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {}

    @cached_property
    def _orders(self) -> tuple[tuple[int, ...], ...]:
        return tuple(order_of(chapter) for chapter in self.chapters)
