"""Plain text as blocks: lines that were wrapped become paragraphs again, headings stay lines of their own."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import inf

from bookwright.manuscripts.headings.lines import heading_in
from bookwright.manuscripts.manuscript import Block
from bookwright.models.text.plain import plain
from bookwright.models.text.prose import is_scene_break

_START = re.compile(r"^\*{3}\s*START OF (?:THE|THIS) PROJECT GUTENBERG.*$", re.MULTILINE | re.IGNORECASE)
_END = re.compile(r"^\*{3}\s*END OF (?:THE|THIS) PROJECT GUTENBERG.*$", re.MULTILINE | re.IGNORECASE)
_SAID = re.compile(r"^(Title|Author):[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)
_WIDTHS = (40, 160)
"""Columns at which people have lines wrapped."""
_NEAR = _SHARE = 0.75
_LEAST_LINES = 2
_DEEPEST = 8
"""Columns by which a paragraph's first line may be set in; what stands farther in is centred."""
_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_WIDE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uff60]+")
_WORD = re.compile(f"{_EASTERN.pattern}|[^\\s\u3040-\u30ff\u3400-\u9fff]+")
_CLOSING = '.!?。！？…:：—―～"”’」』）)'
_NEVER_FIRST = "，。、！？；：”’」』）…"
_LONGEST_VERSE = 56
"""Columns; a longer line is more often one of prose."""
_STOP = re.compile('[.!?…]["”’)]*\\s|[。！？]\\S')
"""A sentence that ends within a line."""
_ANSWER = re.compile('["”’」』]["“‘「『]')


def blocks_of(text: str) -> list[Block]:
    """Return the paragraphs of a text, and its headings."""
    lines = _story(plain(text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n"))).split("\n")
    groups = [
        list(map(str.rstrip, group))
        for is_text, group in groupby(lines, key=lambda line: bool(line.strip()))
        if is_text
    ]
    page = _page([line for group in groups for line in group])
    verses = [_is_verse(group, page) for group in groups]
    full = _full([group for group, is_verse in zip(groups, verses, strict=True) if not is_verse])
    places = zip(groups, verses, strict=True)
    return [block for group, is_verse in places for block in _paragraphs(group, inf if is_verse else full)]


def title_and_author_above(text: str) -> tuple[str, str]:
    """Return the title and the author that a library of free books names above a text; empty where it names none."""
    start = _START.search(text)
    said = dict(_SAID.findall(text, 0, start.start())) if start else {}
    return said.get("Title", ""), said.get("Author", "")


def _story(text: str) -> str:
    """Leave out what a library of free books puts around a text."""
    start, end = _START.search(text), _END.search(text)
    return text[start.end() if start else 0 : end.start() if end else len(text)]


def _reach(above: str, below: str) -> int:
    """Return how many columns a line would take with the first word of the next one."""
    word = _WORD.match(below.lstrip())
    return _columns(above) + 1 + _columns(word.group() if word else "")


def _is_within_sentence(above: str, below: str) -> bool:
    """True if a sentence goes on in the lower line."""
    first = below.lstrip()[0]
    is_without_case = first.isalpha() and not first.isupper()
    return first in _NEVER_FIRST or first.islower() or (is_without_case and above[-1] not in _CLOSING)


def _ends_paragraph(above: str, below: str, full: float, margin: int, *, is_prose: bool) -> bool:
    """True if a paragraph ends between two lines; `full` is the least reach of a line that ends where the page did."""
    is_within, is_full = _is_within_sentence(above, below), _reach(above, below) >= full
    is_closed = above[-1] in _CLOSING
    if is_within and is_full:
        return False
    if is_scene_break(above) or is_scene_break(below) or _is_heading(above) or (is_closed and _is_heading(below)):
        return True
    if _indent(below) > margin or _ANSWER.match(above[-1] + below.lstrip()[0]):
        return True
    return not is_full and not (is_prose and (is_within or not is_closed))


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs()) if line[0].isspace() else 0


def _columns(line: str) -> int:
    """Return how wide a line is, East Asian letters twice as wide as others; a centred one is as wide as its text."""
    text = line.strip()
    wide = 0 if text.isascii() else sum(map(len, _WIDE.findall(text)))
    return len(text) + wide + min(_indent(line), _DEEPEST)


def _is_heading(line: str) -> bool:
    heading = heading_in(line)
    return heading is not None and not heading.is_weak


def _full(groups: Sequence[Sequence[str]]) -> float:
    """Return the least reach of a line that ends where the page did; without end for a text that was not wrapped.

    A text is wrapped if nearly all its lines that end within a sentence are about as long as the longest.
    """
    width = _page([line for group in groups for line in group])
    if not _WIDTHS[0] <= width <= _WIDTHS[1]:
        return inf
    ends = [pair for group in groups for pair in pairwise(group)]
    within = [_reach(*end) for end in ends if _is_within_sentence(*end)]
    near = sorted(reach for reach in within if reach > _NEAR * width)
    if len(near) < max(_LEAST_LINES, _SHARE * len(within)):
        return inf
    full = min(near[len(near) // 20], width + 1)
    alike = sum(_reach(*end) >= full for end in ends)
    return full if len(near) >= _SHARE / 2 * alike else inf


def _page(lines: Sequence[str]) -> int:
    """Return how wide nearly all lines are at most; 0 for none."""
    return sorted(map(_columns, lines))[len(lines) * 19 // 20] if lines else 0


def _is_verse(group: Sequence[str], page: int) -> bool:
    """True for lines in which no sentence ends, and of which two are true: short, begun in lower case, and with room.

    Prose that was wrapped leaves no room in a line for the first word of the next one, or, where it was set in letters
    of several widths, ends most of its lines near the width of the page.
    """
    near = sum(_columns(line) >= _NEAR * page for line in group[:-1])
    if any(map(_STOP.search, group)) or (page >= _LONGEST_VERSE and 4 * near >= 3 * (len(group) - 1)):
        return False
    widest = max(map(_columns, group))
    has_room = any(_reach(*end) <= widest for end in pairwise(group) if _is_within_sentence(*end))
    return (widest < _LONGEST_VERSE) + group[0].lstrip()[0].islower() + has_room >= 2


def _paragraphs(group: Sequence[str], full: float) -> Iterator[Block]:
    if full == inf:
        yield from (Block(line.strip(), 0, place == 0) for place, line in enumerate(group))
        return
    ends = list(pairwise(group))
    within = [_reach(*end) >= full for end in ends if _is_within_sentence(*end)]
    if len(ends) > 1 and all(above[-1] in _CLOSING for above, _ in ends):
        full = inf  # each line is a sentence: somebody's answer, or a list
    is_prose = 0 < len(within) <= 2 * sum(within)
    gathered, is_first, margin = [group[0].strip()], True, min(map(_indent, group))
    for place, end in enumerate(ends):
        is_head = place == 0 and heading_in(gathered[0]) is not None
        if is_head or _ends_paragraph(*end, full, margin, is_prose=is_prose):
            yield Block(_joined(gathered), 0, is_first)
            gathered, is_first = [], False
        gathered.append(end[1].strip())
    yield Block(_joined(gathered), 0, is_first)


def _joined(lines: Sequence[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        if text.endswith("-") and len(text) > 1 and text[-2].isalpha() and line[:1].islower():
            text = text[:-1] + line if not text.endswith("--") else text + line
        elif _EASTERN.match(line) or _EASTERN.match(text[-1:]) or text[-1:] in "、。，！？」』…":
            text += line
        else:
            text = f"{text} {line}"
    return text
