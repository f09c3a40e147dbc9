"""Prose in the markup of a format: everything but emphasis is text and is escaped. And a page of designs as prose."""

import html
import re
from collections.abc import Iterator

from bookwright.models.text.emphasis import EMPHASIS
from bookwright.models.text.language import lazy_pattern

_UNPRINTABLE = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 or UTF-8 cannot hold, and control characters that nobody meant."""

_MARKDOWN_SPECIAL = lazy_pattern(r"([\\`<>\[\]$~^|@*_])")
_MARKDOWN_ENTITY = lazy_pattern(r"&(?=#?\w+;)")
_MARKDOWN_BLOCK = lazy_pattern(
    r"^(#{1,6}(?=\s|$)|[-+:](?=\s|$)|={2,}|-{2,}|:{3,}|%"
    r"|(?:\d{1,9}|[a-z]|[ivxlcdm]+|#)(?=[.)](?:\s|$))|(?:[A-Z]|[IVXLCDM]+)(?=\)(?:\s|$)|\.(?:\s{2}|$))"
    r"|\((?=(?:\d{1,9}|[A-Za-z]|[ivxlcdm]+|[IVXLCDM]+|#)\)(?:\s|$)))"
)
"""What begins a heading, a list (Pandoc counts in letters, too), a rule or a division where a paragraph does."""


def clean(text: str) -> str:
    """Return a text without what no file format can hold."""
    return _UNPRINTABLE.sub("", text)


def emphasised(paragraph: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a paragraph, each with whether it is stressed."""
    for number, piece in enumerate(EMPHASIS.split(paragraph)):
        yield piece, number % 2 == 1  # every second one is what the pattern has found


def to_xhtml(paragraph: str) -> str:
    """Return a paragraph as XHTML content; its own angle brackets and ampersands are text."""
    return EMPHASIS.sub(r"<em>\1</em>", html.escape(paragraph, quote=False))


def to_markdown(paragraph: str) -> str:
    """Return a paragraph as Pandoc Markdown that reads as it was written."""
    pieces = (
        f"*{_escaped(piece)}*" if is_stressed else _escaped(piece) for piece, is_stressed in emphasised(paragraph)
    )
    return _MARKDOWN_BLOCK.sub(_blunted, "".join(pieces))


def _escaped(text: str) -> str:
    return _MARKDOWN_ENTITY.sub(r"\\&", _MARKDOWN_SPECIAL.sub(r"\\\1", text))


def _blunted(mark: re.Match[str]) -> str:
    """Keep the beginning of a paragraph from being read as a heading, a list or a rule."""
    found = mark.group(1)
    if found.isalnum() or (found == "#" and mark.string[mark.end() : mark.end() + 1] in (".", ")")):
        return f"{found}\\"
    return "".join(f"\\{sign}" for sign in found)


_HEADING = lazy_pattern(r"#{1,6}\s+(.+?)\s*#*$")
_ITEM = lazy_pattern(r"(?:[-*+]|(\d+)[.)])\s+(.+)$")
_RULE = lazy_pattern(r"\|?(?:\s*:?-{3,}:?\s*\|?)+")
_STRONG, _LINK = lazy_pattern(r"\*\*(.+?)\*\*"), lazy_pattern(r"\[\[([^\[\]\n]+)\]\]")


def plain_paragraphs(markdown: str) -> Iterator[str]:
    """Yield a page's paragraphs: its headings stressed, each item and each row of a table on its own."""
    paragraph: list[str] = []
    for line in (*map(str.strip, markdown.splitlines()), ""):
        alone = _alone(line)
        if alone is None and line:
            paragraph.append(line)
            continue
        if paragraph:
            yield _unmarked(" ".join(paragraph))
            paragraph = []
        if alone:
            yield alone


def _alone(line: str) -> str | None:
    """A line that is a paragraph by itself, an empty text for one that says nothing; None for running text."""
    if heading := _HEADING.match(line):
        return f"*{_unmarked(heading.group(1)).replace('*', '')}*"
    if item := _ITEM.match(line):
        mark = f"{item.group(1)}." if item.group(1) else "•"
        return f"{mark} {_unmarked(item.group(2))}"
    if _RULE.fullmatch(line):
        return ""
    if line.startswith("|"):
        return " · ".join(_unmarked(cell.strip()) for cell in line.strip("|").split("|") if cell.strip())
    return None


def _unmarked(text: str) -> str:
    return _LINK.sub(r"\1", _STRONG.sub(r"\1", text))
