"""When something happens in the story, which is not when it is told."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from bookwright.models.frozen import StrictModel
from bookwright.models.text.lazy_pattern import lazy_pattern
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
