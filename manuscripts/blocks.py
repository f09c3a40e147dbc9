"""A manuscript as its file gives it: paragraphs in order, and what the format itself says of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


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
    """`"txt"`, `"md"`, `"epub"` or `"docx"`."""
    title: str = ""
    author: str = ""
    language: str = ""
    """As the file names it, such as `"zh-CN"`; empty where it does not."""
    encoding: str = ""
    notes: tuple[str, ...] = ()
    """What a person should know before they trust it."""


def notes_left_out(count: int) -> tuple[str, ...]:
    """Say how many footnotes and the like do not come along."""
    return (f"left out: {count:,} note{'s' * (count != 1)} to the text",) if count else ()
