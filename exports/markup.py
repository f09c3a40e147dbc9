"""Prose in the markup of a format: everything but emphasis is text and is escaped."""

import html
import re
from collections.abc import Iterator

from bookwright.models.text.lazy_pattern import lazy_pattern

_EASTERN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_EMPHASIS = lazy_pattern(rf"(?<!\*)(?<![^\W{_EASTERN}])\*(?=\S)([^*\n]+?)(?<=\S)\*(?!\*)(?![^\W{_EASTERN}])")
"""Models write thoughts and foreign words between asterisks, as Markdown does; han, kana and hangul have no spaces."""

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
    end = 0
    for emphasis in _EMPHASIS.finditer(paragraph):
        yield paragraph[end : emphasis.start()], False
        yield emphasis.group(1), True
        end = emphasis.end()
    yield paragraph[end:], False


def to_plain(paragraph: str) -> str:
    """Return a paragraph without marks of emphasis."""
    return _EMPHASIS.sub(r"\1", paragraph)


def to_xhtml(paragraph: str) -> str:
    """Return a paragraph as XHTML content; its own angle brackets and ampersands are text."""
    return _EMPHASIS.sub(r"<em>\1</em>", html.escape(paragraph, quote=False))


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
