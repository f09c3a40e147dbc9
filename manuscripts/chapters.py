"""Recognising where the chapters of a manuscript begin, in four languages and without a model.

What a format marks as headings is believed; where it marks none, lines are headings by their wording and by their
numbers, which have to go on as those of a book do. So a table of contents, a heading told twice and a line of prose
that begins with "Chapter 3" are none.
"""

import re
from collections.abc import Sequence

from bookwright.manuscripts.assembling import assembled
from bookwright.manuscripts.blocks import Block, ManuscriptSource
from bookwright.manuscripts.cutting import bearable, bounded, cut_up
from bookwright.manuscripts.found import FoundBook, HeadingMark
from bookwright.manuscripts.headings.marked import marked_headings
from bookwright.manuscripts.headings.unmarked import unmarked_headings
from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language

_FAR_MORE = 3
"""Headings by their wording go before the marked ones where there are so many times as many."""
_LONGEST_HEADING = 200


def recognise(source: ManuscriptSource, language: Language, pattern: str = "") -> FoundBook:
    """Cut a manuscript into its chapters.

    `pattern` is the author's own word for what a heading is: a regular expression that matches it from its beginning;
    a group named `title`, or the first group, is the chapter's title.

    Raises:
        InvalidInput: It is no regular expression, or no line matches it.
    """
    blocks = bearable(_without_title(source))
    marks = _by_pattern(blocks, pattern) if pattern else _by_itself(blocks)
    found = assembled(blocks, marks) if marks else cut_up(blocks, language)
    if not found.chapters:
        raise InvalidInput("nothing of a story stands below its headings")
    return bounded(found, language)


def _without_title(source: ManuscriptSource) -> Sequence[Block]:
    """Leave out a title page's heading: it says what the file says of itself."""
    first = source.blocks[0]
    return source.blocks[1:] if first.level and first.text.casefold() == source.title.casefold() else source.blocks


def _by_itself(blocks: Sequence[Block]) -> list[HeadingMark]:
    marked = marked_headings(blocks)
    if len(marked) * _FAR_MORE >= len(blocks):
        return marked
    spoken = unmarked_headings(blocks)
    return spoken if len(spoken) > _FAR_MORE * len(marked) else marked or spoken


def _by_pattern(blocks: Sequence[Block], pattern: str) -> list[HeadingMark]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InvalidInput(f"--chapter-pattern is no regular expression: {error}") from None
    marks = [
        HeadingMark(index, _title(found), block.text.strip())
        for index, block in enumerate(blocks)
        if len(block.text) <= _LONGEST_HEADING and (found := compiled.match(block.text.strip()))
    ]
    if not marks:
        raise InvalidInput(f"no line of it matches --chapter-pattern {pattern!r}")
    return marks


def _title(found: re.Match[str]) -> str:
    named = found.groupdict().get("title")
    return (named or (found.group(1) if found.re.groups else "") or found.string).strip()
