"""The text of an XHTML page as blocks: headings with their levels, paragraphs, breaks between scenes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bookwright.manuscripts.manuscript import Block
from bookwright.models.errors import InvalidInput
from bookwright.models.text.plain import plain

SCENE_BREAK = "* * *"
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PARAGRAPHS = frozenset(
    "p div section article body main li blockquote td th dd dt figcaption header footer aside ul ol dl table tr "
    "pre".split()
)
_LEFT_OUT = frozenset("head script style nav svg math template noscript rt rp object iframe img audio video".split())
_STRESSED = frozenset(("em", "i", "cite"))
_NOTES = frozenset(("footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"))
_BESIDE = frozenset(
    ("noteref", "doc-noteref", "pagebreak", "doc-pagebreak", "footnotes", "endnotes", "rearnotes", "doc-endnotes")
)
_MARK = re.compile(r"[\[(（]?(?:\d{1,4}|[*†‡§¶]+|[a-z])[\])）]?")
_SPACES = re.compile(r"[ \t\r\f\v\u00a0]+")


@dataclass(frozen=True)
class HtmlPage:
    """What a page tells."""

    blocks: list[Block]
    notes: int
    """How many notes to the text were left out."""


def read_page(content: bytes, name: str, anchors: Mapping[str, Block]) -> HtmlPage:
    """Read a page; ruby glosses, pictures, navigation, notes and their marks are left out.

    `anchors` are the headings that the book's contents have for places of the page, by their ids.

    Raises:
        InvalidInput: It cannot be read at all.
    """
    from lxml import etree, html

    try:
        root = html.document_fromstring(content, parser=html.HTMLParser(encoding=_encoding(content)))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise InvalidInput(f"its page {name!r} cannot be read ({str(error)[:80]})") from None
    page = _Walk(anchors)
    page.walk(root)
    page.flush()
    return HtmlPage(page.blocks, page.notes)


def _encoding(content: bytes) -> str:
    told = re.search(rb"""encoding=["']([\w-]+)["']""", content[:200])
    return told[1].decode("ascii") if told else "utf-8"


class _Walk:
    def __init__(self, anchors: Mapping[str, Block]) -> None:
        self.blocks: list[Block] = []
        self.notes = 0
        self._anchors = dict(anchors)
        self._text: list[str] = []
        self._level = 0

    def walk(self, node: Any) -> None:
        """Take in a node and all below it, without recursion: pages of strangers are nested without end."""
        for step, element in self._events(node):
            tag = str(element.tag).lower() if isinstance(element.tag, str) else ""
            if step == "tail":
                self._text.append(element.tail or "")
            elif step == "start":
                self._start(tag, element)
            else:
                self._end(tag)

    def flush(self) -> None:
        """End a paragraph."""
        text = plain("".join(self._text))
        self._text = []
        for place, line in enumerate(_lines(text)):
            self.blocks.append(Block(line, self._level, place == 0 or bool(self._level)))

    def _start(self, tag: str, element: Any) -> None:
        place = element.get("id") or element.get("name")
        if place in self._anchors:
            self.flush()
            self.blocks.append(self._anchors.pop(place))
        if tag in _HEADINGS:
            self.flush()
            self._level = _HEADINGS[tag]
        elif tag in _PARAGRAPHS:
            self.flush()
        elif tag == "hr":
            self.flush()
            self.blocks.append(Block(SCENE_BREAK))
        elif tag == "br":
            self._text.append(" " if self._level else "\n")
        self._text.append("*" if tag in _STRESSED and not self._level else "")
        self._text.append((element.text or "").replace("\n", " "))

    def _end(self, tag: str) -> None:
        if tag in _STRESSED and not self._level:
            self._text.append("*")
        if tag in _HEADINGS or tag in _PARAGRAPHS:
            self.flush()
        if tag in _HEADINGS:
            self._level = 0

    def _events(self, root: Any) -> Iterator[tuple[str, Any]]:
        stack: list[tuple[str, Any]] = [("start", root)]
        while stack:
            step, node = stack.pop()
            if step == "start" and self._is_left_out(node):
                continue
            yield step, node
            if step == "start":
                stack.append(("end", node))
                for child in reversed(node):
                    stack.append(("tail", child))
                    stack.append(("start", child))

    def _is_left_out(self, node: Any) -> bool:
        if not isinstance(node.tag, str) or node.tag.lower() in _LEFT_OUT:
            return True
        kinds = {*(node.get("epub:type") or "").split(), *(node.get("role") or "").split()}
        self.notes += bool(kinds & _NOTES)
        return bool(kinds & (_NOTES | _BESIDE)) or _is_mark(node)


def _is_mark(node: Any) -> bool:
    """True for a raised number that links to a note."""
    if node.tag.lower() not in ("a", "sup") or not _MARK.fullmatch("".join(node.itertext()).strip()):
        return False
    other = "sup" if node.tag.lower() == "a" else "a"
    return next(node.iter(other), None) is not None


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        told = _SPACES.sub(" ", line).strip(" \u3000")
        told = re.sub(r"\*{2,}", "", told)
        if told:
            yield told
