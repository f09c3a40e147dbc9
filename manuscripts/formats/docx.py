"""A Word file as blocks: paragraphs in order, with what their styles say of headings."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bookwright.manuscripts.formats.archive import Archive, xml_of
from bookwright.manuscripts.headings.numbers import written_like
from bookwright.manuscripts.manuscript import Block, ManuscriptSource, notes_left_out
from bookwright.models.text.emphasis import with_emphasis
from bookwright.models.text.language import Language
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
_FORMATS = {
    "decimalZero": "01", "upperRoman": "I", "lowerRoman": "i", "cardinalText": "One", "ordinalText": "First",
    "chineseCounting": "一", "chineseCountingThousand": "一", "japaneseCounting": "一", "decimalFullWidth": "１",
}  # fmt: skip
"""Of a list's numbers, each with how it writes the first; all others are told in figures."""
_SIGNS = {f"{_W}tab": " ", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


def read_docx(archive: Archive) -> ManuscriptSource:
    """Read a Word file.

    Raises:
        InvalidInput: It is protected or damaged.
    """
    document = xml_of(archive.read(DOCUMENT), DOCUMENT)
    title, author = _core(archive)
    found = list(_blocks(_paragraphs(document, _styles(archive), _lists(archive))))
    told = next((block.text for block in found if block.level == _TITLE), "")
    blocks = [block for block in found if block.level != _TITLE]
    count = sum(1 for _ in document.iter(*_NOTES))
    return ManuscriptSource(tuple(blocks), "docx", title or told, author, notes=notes_left_out(count))


def _core(archive: Archive) -> tuple[str, str]:
    core = _part(archive, "docProps/core.xml")
    return tuple((core.findtext(f"{_DC}{tag}") or "").strip() for tag in ("title", "creator"))  # type: ignore[return-value]


def _part(archive: Archive, name: str) -> Any:
    """A part that a file need not have; empty where it has none."""
    return xml_of(archive.read(name) if name in archive else b"<none/>", name)


def _styles(archive: Archive) -> Mapping[str, Any]:
    """Return the styles by their ids."""
    return {style.get(f"{_W}styleId", ""): style for style in _part(archive, "word/styles.xml").iter(f"{_W}style")}


@dataclass
class _List:
    """A list by which Word numbers headings by itself, with how far it has come."""

    levels: Sequence[Any]
    starts: Sequence[int]
    counts: list[int]

    @classmethod
    def of(cls, levels: Sequence[Any], anew: Mapping[str, int]) -> "_List":
        """A list that has not begun; `anew` says by level where it begins otherwise than its kind does."""
        starts = [anew.get(level.get(f"{_W}ilvl", ""), _whole(level, f"{_W}start", 1)) for level in levels]
        return cls(levels, starts, [start - 1 for start in starts])

    def next(self, depth: int) -> str:
        """Return what stands before the next heading of one of its levels, from 0; empty where that has no number."""
        self.counts[depth] += 1
        for below in range(depth + 1, len(self.levels)):
            if _value(self.levels[below], f"{_W}lvlRestart") != "0":
                self.counts[below] = self.starts[below] - 1
        at = self.levels[depth]
        formats = [_value(level, f"{_W}numFmt") for level in self.levels]
        told = _value(at, f"{_W}lvlText") if formats[depth] not in ("bullet", "none") else ""
        for place, name in enumerate(formats[: depth + 1]):
            first = "1" if at.find(f"{_W}isLgl") is not None else _FORMATS.get(name, "1")
            count = max(self.counts[place], self.starts[place])
            told = told.replace(f"%{place + 1}", written_like(first, count, Language.ZH) if name != "none" else "")
        return told


def _lists(archive: Archive) -> Mapping[str, _List]:
    """Return the lists by the ids that paragraphs name them by; one that begins anew counts for itself."""
    root = _part(archive, "word/numbering.xml")
    kinds = {one.get(f"{_W}abstractNumId"): [*one.iter(f"{_W}lvl")] for one in root.iter(f"{_W}abstractNum")}
    lists = {identity: _List.of(levels, {}) for identity, levels in kinds.items()}
    named: dict[str, _List] = {}
    for one in root.iter(f"{_W}num"):
        kind = _value(one, f"{_W}abstractNumId")
        overrides = [at for at in one.iter(f"{_W}lvlOverride") if at.find(f"{_W}startOverride") is not None]
        anew = {at.get(f"{_W}ilvl", ""): _whole(at, f"{_W}startOverride", 1) for at in overrides}
        if kind in lists:
            named[one.get(f"{_W}numId", "")] = _List.of(kinds[kind], anew) if anew else lists[kind]
    return named


def _number(chain: Sequence[Any], lists: Mapping[str, _List]) -> str:
    """The number that Word sets before a heading by itself, as it or the first of its styles says."""
    path = f"{_W}pPr/{_W}numPr/{_W}"
    says = next((one for one in chain if _value(one, f"{path}numId")), chain[0])
    found, depth = lists.get(_value(says, f"{path}numId")), _whole(says, f"{path}ilvl", 0)
    return found.next(depth) if found and depth < len(found.levels) else ""


def _and_above(identity: str, styles: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a style and those that it rests on, the nearest first."""
    for _ in range(10):  # a chain of styles that ends in itself has to end
        if identity in styles:
            yield styles[identity]
            identity = _value(styles[identity], f"{_W}basedOn")


def _level_of(of: Any) -> int:
    """The heading level of a style or a paragraph; below 0 for those of the title and of the contents."""
    name = _value(of, f"{_W}name").strip()
    if name.casefold() == "title":
        return _TITLE
    if matched := _NAMES.match(name):
        return int(matched[1])
    own = _whole(of, f"{_W}pPr/{_W}outlineLvl", 9)
    return _CONTENTS if re.match(r"toc \d$", name.casefold()) else own + 1 if own < 9 else 0


def _whole(of: Any, path: str, other: int) -> int:
    """The whole number that lies at a path, or another."""
    value = _value(of, path)
    return int(value) if value.isdecimal() and len(value) < 6 else other


def _value(of: Any, path: str) -> str:
    """The value of what lies at a path; empty where nothing does."""
    found = of.find(path)
    return found.get(f"{_W}val", "") if found is not None else ""


def _blocks(paragraphs: Iterable[tuple[int, _Pieces]]) -> Iterator[Block]:
    is_apart = True
    for level, pieces in paragraphs:
        text = with_emphasis((piece, is_stressed and not level) for piece, is_stressed in pieces)
        lines = [line.strip() for line in _BREAK.split(text) if line.strip()]
        for place, line in enumerate([" ".join(lines)] if level and lines else lines):
            yield Block(line, level, is_apart or place == 0)
        is_apart = not lines or bool(level)


def _paragraphs(document: Any, styles: Mapping[str, Any], lists: Mapping[str, _List]) -> list[tuple[int, _Pieces]]:
    """Return each paragraph's level and pieces, with the large initial that Word sets in one of its own before it."""
    told: list[tuple[int, _Pieces]] = []
    is_begun = False
    for paragraph in document.iter(f"{_W}p"):
        chain = (paragraph, *_and_above(_value(paragraph, f"{_W}pPr/{_W}pStyle"), styles))
        level = next(filter(None, map(_level_of, chain)), 0)
        if level == _CONTENTS or any(above.tag in _LEFT_OUT for above in paragraph.iterancestors()):
            continue
        if not is_begun or told[-1][0] != level:
            told.append((level, [(f"{_number(chain, lists)} ", False)] if level > 0 else []))
        told[-1][1].extend(_pieces(paragraph, styles))
        frame = paragraph.find(f"{_W}pPr/{_W}framePr")
        is_begun = frame is not None and frame.get(f"{_W}dropCap") in ("drop", "margin")
    return told


def _pieces(paragraph: Any, styles: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield what a paragraph says piece by piece, each with whether it is stressed: by itself, or by a style."""
    for node in paragraph.iter(f"{_W}t", *_SIGNS):
        run = node.getparent()
        if not any(above.tag in _LEFT_OUT for above in node.iterancestors()) and not any(_said(run, "vanish")):
            chain = (run, *_and_above(_value(run, f"{_W}rPr/{_W}rStyle"), styles))
            says = next(filter(None, (_said(one, *_STRESS) for one in chain)), [])
            yield plain(_SIGNS.get(node.tag) or node.text or ""), any(says)


def _said(run: Any, *names: str) -> list[bool]:
    """What a run or a style says of properties, such as being set in italics; empty where it says nothing."""
    found = (run.find(f"{_W}rPr/{_W}{name}") for name in names)
    return [one.get(f"{_W}val", "1") not in ("0", "false", "off", "none") for one in found if one is not None]
