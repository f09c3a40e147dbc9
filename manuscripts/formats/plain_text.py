"""Plain text as blocks: lines that were wrapped become paragraphs again, headings stay lines of their own."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import quantiles

from bookwright.manuscripts.headings.lines import heading_in
from bookwright.manuscripts.manuscript import Block
from bookwright.models.text.plain import plain
from bookwright.models.text.prose import is_scene_break

_START = re.compile(r"^\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG.*$", re.MULTILINE | re.IGNORECASE)
_END = re.compile(r"^\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG.*$", re.MULTILINE | re.IGNORECASE)
_WIDTHS = (20, 110)
"""Columns at which people have lines wrapped."""
_NEAR = 0.75
_SHARE = 0.8
_LEAST_LINES = 20
_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def blocks_of(text: str) -> list[Block]:
    """Return the paragraphs of a text, and its headings."""
    lines = _story(plain(text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n"))).split("\n")
    groups = [
        [line.strip() for line in group]
        for is_text, group in groupby(lines, key=lambda line: bool(line.strip()))
        if is_text
    ]
    is_wrapped = _is_wrapped(groups)
    return [block for group in groups for block in _paragraphs(group, is_wrapped)]


def _story(text: str) -> str:
    """Leave out what a library of free books puts around a text."""
    start, end = _START.search(text), _END.search(text)
    return text[start.end() if start else 0 : end.start() if end else len(text)]


def _is_wrapped(groups: Sequence[Sequence[str]]) -> bool:
    """True if lines end where the page did and not where the paragraph does: most are about as long as the longest."""
    lengths = [len(line) for group in groups for line in group[:-1]]
    if len(lengths) < _LEAST_LINES:
        return False
    width = quantiles(lengths, n=20)[-1]
    near = sum(length >= _NEAR * width for length in lengths)
    return _WIDTHS[0] <= width <= _WIDTHS[1] and near >= _SHARE * len(lengths)


def _paragraphs(group: Sequence[str], is_wrapped: bool) -> Iterator[Block]:
    if not is_wrapped:
        for place, line in enumerate(group):
            yield Block(line, 0, place == 0)
        return
    gathered: list[str] = []
    is_first = True
    for place, line in enumerate(group):
        if is_scene_break(line) or (place == 0 and heading_in(line) is not None):
            yield Block(line, 0, is_first)
            is_first = False
        else:
            gathered.append(line)
    if gathered:
        yield Block(_joined(gathered), 0, is_first)


def _joined(lines: Sequence[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        if text.endswith("-") and len(text) > 1 and text[-2].isalpha() and line[:1].islower():
            text = text[:-1] + line if not text.endswith("--") else text + line
        elif _EASTERN.match(text[-1:]) or text[-1:] in "、。，！？」』…":
            text += line
        else:
            text = f"{text} {line}"
    return text
