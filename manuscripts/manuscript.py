"""A manuscript as data: the blocks that its file gives, and the parts and chapters that were found in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bookwright.models.text.prose import is_scene_break
from bookwright.models.wording import counted


class Block(NamedTuple):
    """One paragraph, or one line that may be a heading."""

    text: str
    level: int = 0
    """The depth of the heading that the format marks it as, from 1; 0 for text."""
    is_apart: bool = False
    """A blank line, or the end of another paragraph, stands before it."""


@dataclass(frozen=True)
class ManuscriptSource:
    """A whole manuscript, read but not yet understood."""

    blocks: Sequence[Block]
    format: str
    """`"txt"`, `"md"`, `"html"`, `"epub"` or `"docx"`."""
    title: str = ""
    author: str = ""
    language: str = ""
    """As the file names it, such as `"zh-CN"`; empty where it does not."""
    encoding: str = ""
    notes: tuple[str, ...] = ()
    """What a person should know before they trust it."""


def notes_left_out(count: int) -> tuple[str, ...]:
    """Say how many footnotes and the like do not come along."""
    return (f"left out: {counted(count, 'note')} to the text",) if count else ()


@dataclass(frozen=True)
class HeadingMark:
    """A heading that counts."""

    index: int
    """The block that it is."""
    title: str
    """Without its number; empty if it is a number alone."""
    heading: str
    """As it stands in the manuscript."""
    blocks: int = 1
    """Of how many blocks it consists: a title may stand below its number."""
    is_part: bool = False
    is_matter: bool = False
    """What stands below it is no part of the story, such as a table of contents."""
    leaves_part: bool = False
    """A chapter that stands beside the parts and not in one."""


@dataclass(frozen=True)
class _Headed:
    heading: str
    """As it stands in the manuscript; empty for one without."""
    title: str

    @property
    def name(self) -> str:
        """What it is called: its heading, with the title that stood in a line of its own."""
        if not self.title or self.title in self.heading:
            return self.heading
        return f"{self.heading.rstrip('.:：')}{': ' if self.heading.isascii() else ' '}{self.title}".strip()


@dataclass(frozen=True)
class FoundPart(_Headed):
    """A volume or part."""


@dataclass(frozen=True)
class FoundChapter(_Headed):
    """A chapter as the manuscript has it: its heading in two parts and its paragraphs, in order."""

    paragraphs: tuple[str, ...]
    part: int | None = None
    """The place of its part, from 0; None where it stands in none."""

    @property
    def text(self) -> str:
        """Its prose, paragraphs set apart by a blank line."""
        return "\n\n".join(self.paragraphs)

    @property
    def opening(self) -> str:
        """Its first paragraph."""
        return opening_of(self.paragraphs)

    @property
    def size(self) -> int:
        """Its characters."""
        return sum(map(len, self.paragraphs))


@dataclass(frozen=True)
class FoundBook:
    """A manuscript with its chapters told apart."""

    chapters: tuple[FoundChapter, ...]
    parts: tuple[FoundPart, ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""
    """What stands on its title page, before the first heading; empty if nothing does."""
    author: str = ""
    has_headings: bool = True
    """False where it was cut by its length, since nothing in it is a heading."""


def opening_of(paragraphs: Sequence[str]) -> str:
    """Return the first paragraph that is no break between scenes."""
    return next((paragraph for paragraph in paragraphs if not is_scene_break(paragraph)), "")
