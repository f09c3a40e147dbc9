"""Headings that the format itself marks: which of their levels is that of the chapters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bookwright.manuscripts.headings.candidates import THIN
from bookwright.manuscripts.headings.lines import Heading, Rank, heading_in, is_contents
from bookwright.manuscripts.manuscript import Block, HeadingMark

_LEAST_HEADINGS = 2
_SPACES = re.compile(r"[ \t\n]+")
"""A wide space in a heading is its author's."""


@dataclass(frozen=True)
class _Head:
    index: int
    level: int
    text: str
    read: Heading | None
    body: int
    """Characters up to the next heading."""
    below: str = ""
    """Its title, where that is a heading of its own below the number."""

    @property
    def rank(self) -> Rank | None:
        """What it stands above by its wording; None where that does not tell."""
        return self.read.rank if self.read else None


def marked_headings(blocks: Sequence[Block]) -> list[HeadingMark]:
    """Return the headings of chapters and parts that a format marks; none where they and a title are fewer than two."""
    every = _heads(blocks)
    below = _without_title(every)
    heads = _with_titles_below(below)
    story = [head for head in heads if not is_contents(head.text)]
    if len(story) + len(every) - len(below) < _LEAST_HEADINGS:
        return []
    level = _chapter_level(story)
    after = dict(zip((head.index for head in story), story[1:], strict=False))
    return [
        _mark(head, level, after.get(head.index)) for head in heads if head.level <= level or is_contents(head.text)
    ]


def _heads(blocks: Sequence[Block]) -> list[_Head]:
    found: list[_Head] = []
    places = [index for index, block in enumerate(blocks) if block.level]
    for index, end in zip(places, [*places, len(blocks)][1:], strict=True):
        text = _SPACES.sub(" ", blocks[index].text).strip()
        body = sum(len(block.text) for block in blocks[index + 1 : end])
        found.append(_Head(index, blocks[index].level, text, heading_in(text), body))
    return found


def _without_title(heads: list[_Head]) -> list[_Head]:
    """Leave the book's own title out: the first heading, the only one of its level, above all others, and no part's."""
    last, others = heads[-1].read if heads else None, heads[1:]
    least = 1 if last and last.rank is Rank.CHAPTER and not last.is_weak else 2
    is_title = len(heads) > least and heads[0].rank in (None, Rank.MATTER)
    return others if is_title and all(one.level > heads[0].level for one in others) else heads


def _with_titles_below(heads: Sequence[_Head]) -> list[_Head]:
    """Make one of a bare number and the title below it; several headings below a number are those of its scenes."""
    kept = list(heads[:1])
    for above, head, after in zip(heads, heads[1:], (*heads[2:], None), strict=False):
        ends = after is None or after.read is not None or after.level <= above.level < head.level
        is_bare = above.rank is Rank.CHAPTER and above.read is not None and not above.read.title
        if is_bare and ends and above.index + 1 == head.index and head.rank is None and head.body:
            kept[-1] = replace(above, body=head.body, below=head.text)
        else:
            kept.append(head)
    return kept if sum(bool(head.below) for head in kept) >= _LEAST_HEADINGS else list(heads)


def _chapter_level(heads: Sequence[_Head]) -> int:
    """Return the level at which the texts stand: where headings say "chapter", or the highest with texts below it."""
    levels = sorted({head.level for head in heads})
    worded = [head.level for head in heads if head.rank in (Rank.CHAPTER, Rank.SPECIAL)]
    best = max(levels, key=lambda level: (worded.count(level), -level))
    if worded.count(best) >= _LEAST_HEADINGS:
        return best
    for level in levels[:-1]:
        own = sum(head.level == level for head in heads)
        opens = sum(head.level == level < after.level and head.body < THIN for head, after in pairwise(heads))
        if own >= _LEAST_HEADINGS and opens < own / 2:  # hardly any with another, deeper one right behind it
            return level
    return levels[-1]


def _mark(head: _Head, level: int, after: _Head | None) -> HeadingMark:
    """Read a heading; `after` is the next one that is no table of contents."""
    read = head.read
    if is_contents(head.text):
        return HeadingMark(head.index, "", head.text, is_matter=True)
    is_above = head.level < level and after is not None and after.level > head.level
    is_part = is_above or (head.rank is Rank.PART and head.body < THIN and after is not None)
    title = read.title if read is not None and not read.is_weak and read.rank is not Rank.SPECIAL else head.text
    leaves_part, size = head.level < level and not is_part, 2 if head.below else 1
    return HeadingMark(head.index, head.below or title, head.text, size, is_part=is_part, leaves_part=leaves_part)
