"""A page of HTML as blocks: what it shows, without glosses, pictures, navigation, notes and their marks."""

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from bookwright.manuscripts.manuscript import Block, ManuscriptSource, notes_left_out
from bookwright.models.errors import InvalidInput
from bookwright.models.text.emphasis import with_emphasis
from bookwright.models.text.plain import plain

ASIDE = frozenset(
    "cover title-page toc copyright-page text-titlepage titlepage halftitlepage landmarks doc-cover doc-toc".split()
)
"""What the pages of a book are called that are none of its story."""
_SCENE_BREAK = "* * *"
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PARAGRAPHS = _HEADINGS.keys() | frozenset(
    "p div section article body main li blockquote td th dd dt figcaption header footer aside ul ol dl table tr "
    "pre hr".split()
)
_LEFT_OUT = frozenset("head script style nav svg math template noscript rt rp object iframe img audio video".split())
_STRESSED = frozenset(("em", "i", "cite"))
_STYLE = re.compile(r"\bfont(?:-style)?\s*:[^;]*?\b(italic|oblique|normal)\b", re.IGNORECASE)
_CLASS = re.compile(r"\s*\w*\.([\w-]+)\s*")
"""What a rule of a style sheet is about, where that is all of a class."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NOTES = frozenset(("footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote"))
_BESIDE = frozenset(
    ("noteref", "doc-noteref", "pagebreak", "doc-pagebreak", "footnotes", "endnotes", "rearnotes", "doc-endnotes")
)
_MARK = re.compile(r"[\[(（〔［【]?(?:注|註|注释)?(?:\d{1,4}|[*†‡§¶①-⑳]+|[a-z]|注|註)[\])）〕］】]?")
_BLANK = re.compile(r"\n[ \t\r]*\n\s*")
_SPACES = re.compile(r"[ \t\r\f\v\u00a0]+")


def read_html(text: str, encoding: str) -> ManuscriptSource:
    """Read a manuscript that is one page of HTML, as a browser or a word processor saves it."""
    content, name = re.sub(r"^(?:\s*<\?[^>]*>)+", "", text).encode(), "HTML"
    root, page = _parsed(content, name), Page(content, name, {}, frozenset())
    told = root.findtext(".//title") or "", root.xpath('string(//meta[@name="author"]/@content)'), root.get("lang", "")
    title, by, language = (plain(" ".join(one.split())) for one in told)
    return ManuscriptSource(
        tuple(page.blocks), "html", title, by, language, encoding=encoding, notes=notes_left_out(page.notes)
    )


def _parsed(content: bytes, name: str) -> Any:
    from lxml import etree, html

    told = re.search(rb"""<\?xml[^>]*encoding=["']([\w-]+)["']""", content[:200])
    try:
        parser = html.HTMLParser(encoding=told[1].decode("ascii") if told else "utf-8")
        return html.document_fromstring(content, parser=parser)
    except (LookupError, etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise InvalidInput(f"its page {name!r} cannot be read ({str(error)[:80]})") from None


class Page:
    """The text of a page as blocks; ruby glosses, pictures, navigation, notes and their marks are left out."""

    def __init__(self, content: bytes, name: str, anchors: Mapping[str, Block], italics: Set[str]) -> None:
        """`anchors` are headings that the contents have for places of the page, by their ids; `italics` are classes."""
        root = _parsed(content, name)
        self.blocks: list[Block] = []
        self.notes = 0
        """How many notes to the text were left out."""
        self._anchors = dict(anchors)
        self._italics = italics | italics_in("}".join(root.xpath("//style/text()")))
        self._text: list[tuple[str, bool]] = []
        """Pieces of the paragraph, each with whether it is stressed."""
        self._level = self._stress = self._pre = 0
        self._walk(root)
        self._flush()

    def _walk(self, root: Any) -> None:
        """Take in a node and all below it, without recursion: pages of strangers are nested without end."""
        for step, element in self._events(root):
            tag = str(element.tag).lower() if isinstance(element.tag, str) else ""
            if step == "tail":
                self._read(element.tail)
            elif step == "start":
                self._start(tag, element)
            else:
                self._end(tag, element)

    def _flush(self) -> None:
        """End a paragraph."""
        lines = [_SPACES.sub(" ", line).strip(" \u3000") for line in with_emphasis(self._text).split("\n")]
        self._text = []
        for place, line in enumerate(filter(None, lines)):
            self.blocks.append(Block(line, self._level, place == 0 or bool(self._level)))

    def _start(self, tag: str, element: Any) -> None:
        place = element.get("id") or element.get("name")
        if place in self._anchors:
            self._flush()
            self.blocks.append(self._anchors.pop(place))
        if tag in _PARAGRAPHS:
            self._flush()
        self._level = _HEADINGS.get(tag, self._level)
        if tag == "hr":
            self.blocks.append(Block(_SCENE_BREAK))
        elif tag == "br":
            self._take(" " if self._level else "\n")
        self._stress += self._is_stressed(tag, element)
        self._pre += tag == "pre"
        self._read(element.text)

    def _read(self, text: str | None) -> None:
        """Take a text of the source: a line end means nothing, but in `pre`, where a blank line ends a paragraph."""
        first, *others = _BLANK.split(text or "") if self._pre else [(text or "").replace("\n", " ")]
        self._take(first)
        for other in others:
            self._flush()
            self._take(other)

    def _take(self, text: str) -> None:
        self._text.append((plain(text), bool(self._stress) and not self._level))

    def _end(self, tag: str, element: Any) -> None:
        self._stress -= self._is_stressed(tag, element)
        self._pre -= tag == "pre"
        if tag in _PARAGRAPHS:
            self._flush()
        if tag in _HEADINGS:
            self._level = 0

    def _is_stressed(self, tag: str, element: Any) -> bool:
        classes, own = element.get("class", "").split(), element.get("style", "")
        return tag in _STRESSED or not self._italics.isdisjoint(classes) or _are_italics(own)

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
        return bool(kinds & (_NOTES | _BESIDE | ASIDE)) or _is_mark(node)


def italics_in(sheet: str) -> frozenset[str]:
    """Return the classes that a style sheet sets in italics; where it says two things of one, the last counts."""
    italics: set[str] = set()
    for rule in _COMMENT.sub("", sheet).split("}"):
        about, _, told = rule.rpartition("{")
        named = {found[1] for one in re.split("[{;]", about)[-1].split(",") if (found := _CLASS.fullmatch(one))}
        if _STYLE.search(told):
            italics = italics | named if _are_italics(told) else italics - named
    return frozenset(italics)


def _are_italics(told: str) -> bool:
    """True if what a style says, the last of it, is set in italics."""
    return any(style.lower() != "normal" for style in _STYLE.findall(told)[-1:])


def _is_mark(node: Any) -> bool:
    """True for a raised number, one in brackets or a sign that links to a note."""
    text = "".join(node.itertext()).strip()
    if node.tag.lower() not in ("a", "sup") or not _MARK.fullmatch(text):
        return False
    if "#" in node.get("href", "") and not (text.isascii() and text.isalnum()):
        return True
    other = "sup" if node.tag.lower() == "a" else "a"
    return next(node.iter(other), None) is not None
