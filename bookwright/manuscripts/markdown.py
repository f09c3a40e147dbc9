"""Markdown as blocks: front matter, headings in both forms, paragraphs without their marks."""

import re
from collections.abc import Iterator

from bookwright.manuscripts.blocks import Block, Source
from bookwright.models.plain import plain
from bookwright.models.prose import is_scene_break

_ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_KEY = re.compile(r"^([A-Za-z][\w-]*):[ \t]*(.*)$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_STRONG = re.compile(r"(?<!\\)(\*\*|__)(?=\S)(.+?)(?<=\S)(?<!\\)\1")
_EMPHASIS = re.compile(r"(?<![\w\\])_(?=\S)([^_\n]+?)(?<=\S)(?<!\\)_(?!\w)")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\n]{0,2000}\)(?:\{[^{}\n]{0,200}\})?")
_ATTRIBUTES = re.compile(r"\s*\{[#.][^}]*\}\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HARD_BREAK = re.compile(r"(?:\\| {2,})\n")


def read_markdown(text: str, encoding: str) -> Source:
    """Read a Markdown file; `*emphasis*` stays, as a book's prose has it."""
    values, rest = _front_matter(plain(text.replace("\r\n", "\n").replace("\r", "\n")))
    blocks = tuple(_blocks(_COMMENT.sub("", rest)))
    language = values.get("lang", values.get("language", ""))
    return Source(blocks, "md", values.get("title", ""), values.get("author", ""), language, encoding)


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """Read the simple keys of a YAML head, such as Pandoc's; what is deeper is nobody's prose and left out."""
    if not text.startswith("---\n"):
        return {}, text
    head, mark, rest = text[4:].partition("\n---")
    if not mark:
        head, mark, rest = text[4:].partition("\n...")
    lines = head.split("\n")
    if not mark or not any(_KEY.match(line) for line in lines):
        return {}, text
    keys = (_KEY.match(line) for line in lines)
    values = {found[1].casefold(): _unquoted(found[2]) for found in keys if found}
    return values, rest.partition("\n")[2]


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return _plain_line(value)


def _blocks(text: str) -> Iterator[Block]:
    gathered: list[str] = []
    is_fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_fenced = not is_fenced
            continue
        heading = None if is_fenced else _ATX.match(line)
        under = _SETEXT.match(line) if gathered and not is_fenced else None
        if heading is not None or not line.strip():
            yield from _paragraph(gathered)
            gathered = []
            if heading is not None and (heading[2] or "").strip():
                yield Block(_plain_line(heading[2]), len(heading[1]), True)
        elif under is not None and len(gathered) == 1 and not is_scene_break(gathered[0]):
            yield Block(_plain_line(gathered.pop()), 1 if under[1][0] == "=" else 2, True)
        else:
            gathered.append(line)
    yield from _paragraph(gathered)


def _paragraph(lines: list[str]) -> Iterator[Block]:
    if not lines:
        return
    joined = _HARD_BREAK.sub(
        "\n", "\n".join(line.lstrip("> ").rstrip(" ") if line.startswith(">") else line for line in lines)
    )
    whole = "" if "\n" not in joined else "\n"
    text = joined.replace("\n", " ") if not whole or not _is_lined(lines) else joined
    for place, line in enumerate(text.split("\n")):
        if line.strip():
            yield Block(_plain_line(line), 0, place == 0)


def _is_lined(lines: list[str]) -> bool:
    """True where each line is a paragraph of its own, as East Asian authors set them, or ends in a hard break."""
    return any(line.endswith(("  ", "\\")) for line in lines) or not lines[0].isascii()


def _plain_line(text: str) -> str:
    text = _ATTRIBUTES.sub("", _LINK.sub(r"\1", text.strip()))
    text = _EMPHASIS.sub(r"*\1*", _STRONG.sub(r"*\2*", text))
    return _ESCAPED.sub(r"\1", text).strip()
