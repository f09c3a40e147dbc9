"""Prose in the markup of a format: everything but emphasis is text and is escaped."""

import html
import re

_EMPHASIS = re.compile(r"(?<![*\w])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![*\w])")
"""Models write thoughts and foreign words between asterisks, as Markdown does."""

_BREAK = re.compile(r"[\s*＊#\-–—_~・･◇◆○●☆★※]{1,20}")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 or UTF-8 cannot hold, and control characters that nobody meant."""

_MARKDOWN_SPECIAL = re.compile(r"([\\`<>\[\]$~^|@*_])")
_MARKDOWN_ENTITY = re.compile(r"&(?=#?\w+;)")
_MARKDOWN_BLOCK = re.compile(r"^(#{1,6}(?=\s|$)|[-+:](?=\s|$)|={2,}|-{2,}|\d{1,9}(?=[.)](?:\s|$))|%)")


def clean(text: str) -> str:
    """Return a text without what no file format can hold."""
    return _UNPRINTABLE.sub("", text)


def is_scene_break(paragraph: str) -> bool:
    """True for a paragraph that is no text but a mark between scenes, such as `"***"`."""
    return _BREAK.fullmatch(paragraph) is not None


def to_plain(paragraph: str) -> str:
    """Return a paragraph without marks of emphasis."""
    return _EMPHASIS.sub(r"\1", paragraph)


def to_xhtml(paragraph: str) -> str:
    """Return a paragraph as XHTML content; its own angle brackets and ampersands are text."""
    return _EMPHASIS.sub(r"<em>\1</em>", html.escape(paragraph, quote=False))


def to_markdown(paragraph: str) -> str:
    """Return a paragraph as Pandoc Markdown that reads as it was written."""
    pieces = []
    end = 0
    for emphasis in _EMPHASIS.finditer(paragraph):
        pieces += [_escaped(paragraph[end : emphasis.start()]), f"*{_escaped(emphasis.group(1))}*"]
        end = emphasis.end()
    pieces.append(_escaped(paragraph[end:]))
    return _MARKDOWN_BLOCK.sub(_blunted, "".join(pieces))


def _escaped(text: str) -> str:
    return _MARKDOWN_ENTITY.sub(r"\\&", _MARKDOWN_SPECIAL.sub(r"\\\1", text))


def _blunted(mark: re.Match[str]) -> str:
    """Keep the beginning of a paragraph from being read as a heading, a list or a rule."""
    found = mark.group(1)
    return f"{found}\\" if found.isdigit() else f"\\{found}"
