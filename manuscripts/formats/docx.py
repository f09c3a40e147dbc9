"""A Word file as blocks: paragraphs in order, with what their styles say of headings."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bookwright.manuscripts.formats.archive import Archive, xml_of
from bookwright.manuscripts.formats.emphasis import with_emphasis
from bookwright.manuscripts.manuscript import Block, ManuscriptSource, notes_left_out
from bookwright.models.text.plain import plain

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DC = "{http://purl.org/dc/elements/1.1/}"
DOCUMENT = "word/document.xml"
"""The part that a Word file has and no other archive."""
_TITLE, _CONTENTS, _BREAK = -1, -2, re.compile(r"\n+")
_NAMES = re.compile(r"^(?:heading|überschrift|titre|标题|標題|見出し|제목)\s*([1-9])$", re.IGNORECASE)
_LEFT_OUT = frozenset(f"{_W}{tag}" for tag in ("del", "moveFrom", "pPr", "instrText", "txbxContent", "rt"))
"""What was struck out, and what stands beside the text."""
_NOTES = (f"{_W}footnoteReference", f"{_W}endnoteReference")
_STRESS = ("i", "iCs", "em")
_Pieces = list[tuple[str, bool]]
"""Of a paragraph, each with whether it is stressed."""
_SIGNS = {f"{_W}tab": " ", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def read_docx(archive: Archive) -> ManuscriptSource:
    """Read a Word file.

    Raises:
        InvalidInput: It is protected or damaged.
    """
    styles = _styles(archive)
    levels = _levels(styles)
    stressed = frozenset(identity for identity in styles if _is_stressed(_and_above(identity, styles)))
    body = xml_of(archive.read(DOCUMENT), DOCUMENT).find(f"{_W}body")
    title, author = _core(archive)
    found = list(_blocks(body, levels, stressed)) if body is not None else []
    told = next((block.text for block in found if block.level == _TITLE), "")
    blocks = [block for block in found if block.level != _TITLE]
    count = sum(1 for _ in body.iter(*_NOTES)) if body is not None else 0
    return ManuscriptSource(tuple(blocks), "docx", title or told, author, notes=notes_left_out(count))


def _core(archive: Archive) -> tuple[str, str]:
    name = "docProps/core.xml"
    if name not in archive:
        return "", ""
    core = xml_of(archive.read(name), name)
    return tuple((core.findtext(f"{_DC}{tag}") or "").strip() for tag in ("title", "creator"))  # type: ignore[return-value]


def _styles(archive: Archive) -> Mapping[str, Any]:
    """Return the styles by their ids."""
    name = "word/styles.xml"
    found = xml_of(archive.read(name), name).iter(f"{_W}style") if name in archive else ()
    return {style.get(f"{_W}styleId", ""): style for style in found}


def _levels(styles: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the heading level of each style, by its id; below 0 for those of the title and of the contents."""
    return {one: next(filter(None, map(_level_of, _and_above(one, styles))), 0) for one in styles}


def _is_stressed(styles: Iterable[Any]) -> bool:
    """True if a style stresses its letters, by itself or by the first of those it rests on that says anything of it."""
    told = (style for style in styles if any(style.find(f"{_W}rPr/{_W}{name}") is not None for name in _STRESS))
    return next((_is_on(style, *_STRESS) for style in told), False)


def _and_above(identity: str, styles: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a style and those that it rests on, the nearest first."""
    for _ in range(10):  # a chain of styles that ends in itself has to end
        if identity in styles:
            yield styles[identity]
            identity = _value(styles[identity], f"{_W}basedOn")


def _level_of(style: Any) -> int:
    name = _value(style, f"{_W}name").strip()
    if name.casefold() == "title":
        return _TITLE
    if matched := _NAMES.match(name):
        return int(matched[1])
    return _CONTENTS if re.match(r"toc \d$", name.casefold()) else _outline_level(style)


def _outline_level(of: Any) -> int:
    """The level that a style or a paragraph gives itself, from 1; 0 where it gives none."""
    value = _value(of, f"{_W}pPr/{_W}outlineLvl")
    return int(value) + 1 if value.isdigit() and int(value) < 9 else 0


def _value(of: Any, path: str) -> str:
    """The value of what lies at a path; empty where nothing does."""
    found = of.find(path)
    return found.get(f"{_W}val", "") if found is not None else ""


def _blocks(body: Any, levels: Mapping[str, int], stressed: Collection[str]) -> Iterator[Block]:
    is_apart = True
    for level, pieces in _paragraphs(body, levels, stressed):
        text = with_emphasis((piece, is_stressed and not level) for piece, is_stressed in pieces)
        lines = [line.strip() for line in _BREAK.split(text) if line.strip()]
        if level and lines:
            yield Block(" ".join(lines), level, True)
        else:
            for place, line in enumerate(lines):
                yield Block(line, 0, is_apart or place == 0)
        is_apart = not lines or bool(level)


def _paragraphs(body: Any, levels: Mapping[str, int], stressed: Collection[str]) -> list[tuple[int, _Pieces]]:
    """Return each paragraph's level and pieces, with the large initial that Word sets in one of its own before it."""
    told: list[tuple[int, _Pieces]] = []
    is_begun = False
    for paragraph in body.iter(f"{_W}p"):
        level = _outline_level(paragraph) or levels.get(_value(paragraph, f"{_W}pPr/{_W}pStyle"), 0)
        if level == _CONTENTS or any(above.tag in _LEFT_OUT for above in paragraph.iterancestors()):
            continue
        if not is_begun or told[-1][0] != level:
            told.append((level, []))
        told[-1][1].extend(_pieces(paragraph, stressed))
        frame = paragraph.find(f"{_W}pPr/{_W}framePr")
        is_begun = frame is not None and frame.get(f"{_W}dropCap") in ("drop", "margin")
    return told


def _pieces(paragraph: Any, stressed: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield what a paragraph says piece by piece, each with whether it is stressed: by itself, or by one of styles."""
    for node in paragraph.iter(f"{_W}t", *_SIGNS):
        run = node.getparent()
        if not any(above.tag in _LEFT_OUT for above in node.iterancestors()) and not _is_on(run, "vanish"):
            is_styled = run.find(f"{_W}rPr/{_W}i") is None and _value(run, f"{_W}rPr/{_W}rStyle") in stressed
            yield plain(_SIGNS.get(node.tag) or node.text or ""), is_styled or _is_on(run, *_STRESS)


def _is_on(run: Any, *names: str) -> bool:
    """True if a run has a property, such as being set in italics."""
    found = (run.find(f"{_W}rPr/{_W}{name}") for name in names)
    return any(one is not None and one.get(f"{_W}val", "1") not in ("0", "false", "off", "none") for one in found)
