"""The style that a book keeps to: where it was taken from, and its figures."""

from enum import StrEnum

from pydantic import Field

from bookwright.models.frozen import FrozenModel
from bookwright.models.text.figures import StyleProfile


class StyleSource(StrEnum):
    """What a style was measured of."""

    SAMPLE = "sample"
    """A text of the author's choice."""
    CHAPTERS = "chapters"
    """The book's own first chapters."""


class StyleGuide(FrozenModel):
    """A style guide's structure; its text is what writers read."""

    source: StyleSource
    chapters: int = Field(default=0, ge=0)
    """How many of the first chapters it was measured of; 0 for a sample."""
    profile: StyleProfile
    passages: tuple[str, ...] = ()
    """Some sentences in a row, a paragraph a line: what writers hear it by. None in a guide of an older version."""
