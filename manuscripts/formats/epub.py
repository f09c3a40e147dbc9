"""An EPUB as blocks: its pages in the order of the spine, its contents as headings where the pages have none."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

from bookwright.manuscripts.formats.archive import Archive, xml_of
from bookwright.manuscripts.formats.emphasis import with_emphasis
from bookwright.manuscripts.manuscript import Block, ManuscriptSource, notes_left_out
from bookwright.models.errors import InvalidInput
from bookwright.models.text.plain import plain

CONTAINER = "META-INF/container.xml"
"""The part that an EPUB has and no other archive."""
_ENCRYPTION = "META-INF/encryption.xml"
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Fonts may be obfuscated; that protects no text."""
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_MOST_DEPTH = 6
_ASIDE = frozenset(
    "cover title-page toc copyright-page text-titlepage titlepage halftitlepage landmarks doc-cover doc-toc".split()
)


class _ContentsEntry(NamedTuple):
    """One line of the book's contents."""

    page: str
    place: str
    """The id in that page; empty for its beginning."""
    title: str
    depth: int


def read_epub(archive: Archive) -> ManuscriptSource:
    """Read an EPUB, of version 2 or 3.

    Raises:
        InvalidInput: It is protected or damaged.
    """
    _check_open(archive)
    root = xml_of(archive.read(CONTAINER), CONTAINER).find(".//{*}rootfile")
    name = unquote(root.get("full-path", "")) if root is not None else ""
    package = xml_of(archive.read(name), name)
    return _read(archive, package, posixpath.dirname(name))


def read_html(text: str, encoding: str) -> ManuscriptSource:
    """Read a manuscript that is one page of HTML, as a browser or a word processor saves it."""
    content, name = re.sub(r"^\s*<\?[^>]*>", "", text).encode(), "HTML"
    root, page = _parsed(content, name), _Page(content, name, {})
    title, author = root.findtext(".//title") or "", root.find('.//meta[@name="author"]')
    by, notes = author.get("content", "") if author is not None else "", notes_left_out(page.notes)
    told = (plain(" ".join(one.split())) for one in (title, by, root.get("lang", "")))
    return ManuscriptSource(tuple(page.blocks), "html", *told, encoding=encoding, notes=notes)


def _check_open(archive: Archive) -> None:
    """Refuse a book whose pages are encrypted, which is called DRM."""
    if _ENCRYPTION not in archive:
        return
    for method in xml_of(archive.read(_ENCRYPTION), _ENCRYPTION).iter("{*}EncryptionMethod"):
        if method.get("Algorithm") not in _FONTS:
            raise InvalidInput("it is protected (DRM); import a copy without protection")


def _read(archive: Archive, package: Any, folder: str) -> ManuscriptSource:
    items = {item.get("id", ""): item for item in package.iterfind(".//{*}manifest/{*}item")}
    linear = (ref for ref in package.iterfind(".//{*}spine/{*}itemref") if ref.get("linear") != "no")
    spine = [items[ref.get("idref", "")] for ref in linear if ref.get("idref", "") in items]
    contents = _by_page(_contents(archive, items, package, folder))
    aside = _aside(package, folder)
    names = [
        _place(folder, item.get("href", ""))
        for item in spine
        if item.get("media-type") in _PAGES and "nav" not in (item.get("properties") or "").split()
    ]
    wanted = (name for name in names if name in archive and name not in aside)
    pages = [_page(archive.read(name), name, contents.get(name, ())) for name in wanted]
    blocks = [block for page in pages for block in page.blocks]
    told = {
        tag: (package.findtext(f".//{{*}}metadata/{{*}}{tag}") or "").strip()
        for tag in ("title", "creator", "language")
    }
    notes = notes_left_out(sum(page.notes for page in pages))
    return ManuscriptSource(
        tuple(blocks), "epub", plain(told["title"]), plain(told["creator"]), told["language"], notes=notes
    )


def _by_page(contents: Iterable[_ContentsEntry]) -> dict[str, list[_ContentsEntry]]:
    found: dict[str, list[_ContentsEntry]] = {}
    for entry in contents:
        if entry.title:
            found.setdefault(entry.page, []).append(entry)
    return found


def _page(content: bytes, name: str, entries: Sequence[_ContentsEntry]) -> "_Page":
    """Read a page; one without headings of its own has those of the book's contents, each at its place."""
    page = _Page(content, name, {})
    if not entries or not page.blocks or any(block.level for block in page.blocks):
        return page
    anchors: dict[str, Block] = {}
    for entry in entries:
        anchors.setdefault(entry.place, Block(entry.title, entry.depth, True))
    told = _Page(content, name, anchors).blocks
    if not any(block.level for block in told):
        told = [next(iter(anchors.values())), *told]
    elif "" in anchors:
        told = [anchors[""], *told]
    page.blocks = _without_repetitions(told)
    return page


def _without_repetitions(blocks: Sequence[Block]) -> list[Block]:
    """Leave out the line below a heading that says the same."""
    return [
        block
        for before, block in zip((None, *blocks), blocks, strict=False)
        if before is None or not before.level or block.level or block.text.casefold() != before.text.casefold()
    ]


def _contents(archive: Archive, items: Mapping[str, Any], package: Any, folder: str) -> list[_ContentsEntry]:
    """Return the book's own navigation, in its order."""
    for item in items.values():
        if "nav" in (item.get("properties") or "").split():
            name = _place(folder, item.get("href", ""))
            return list(_from_nav(archive, name)) if name in archive else []
    ncx = next((item for item in items.values() if item.get("media-type") == "application/x-dtbncx+xml"), None)
    name = _place(folder, ncx.get("href", "")) if ncx is not None else ""
    return list(_from_ncx(archive, name)) if name and name in archive else []


def _from_nav(archive: Archive, name: str) -> Iterator[_ContentsEntry]:
    for nav in xml_of(archive.read(name), name).iter("{*}nav"):
        if nav.get("{http://www.idpf.org/2007/ops}type") in (None, "toc"):
            for link in nav.iter("{*}a"):
                depth = sum(1 for _ in link.iterancestors("{*}ol"))
                yield _entry(name, link.get("href", ""), "".join(link.itertext()), depth)


def _from_ncx(archive: Archive, name: str) -> Iterator[_ContentsEntry]:
    for point in xml_of(archive.read(name), name).iter("{*}navPoint"):
        content = point.find("{*}content")
        if content is not None:
            depth = 1 + sum(1 for _ in point.iterancestors("{*}navPoint"))
            yield _entry(name, content.get("src", ""), point.findtext("{*}navLabel/{*}text") or "", depth)


def _entry(contents: str, link: str, title: str, depth: int) -> _ContentsEntry:
    page = _place(posixpath.dirname(contents), link)
    return _ContentsEntry(
        page, unquote(urldefrag(link)[1]), plain(" ".join(title.split())), min(max(depth, 1), _MOST_DEPTH)
    )


def _aside(package: Any, folder: str) -> frozenset[str]:
    """Return the pages that the book's guide calls cover, title page and the like."""
    references = package.iterfind(".//{*}guide/{*}reference")
    return frozenset(_place(folder, one.get("href", "")) for one in references if one.get("type") in _ASIDE)


def _place(folder: str, link: str) -> str:
    """Return a part's name from a link to it; one that leads out of the file names nothing."""
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(link)[0])))


_SCENE_BREAK = "* * *"
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
_MARK = re.compile(r"[\[(（〔［【]?(?:注|註|注释)?(?:\d{1,4}|[*†‡§¶①-⑳]+|[a-z]|注|註)[\])）〕］】]?")
_SPACES = re.compile(r"[ \t\r\f\v\u00a0]+")


def _parsed(content: bytes, name: str) -> Any:
    from lxml import etree, html

    told = re.search(rb"""encoding=["']([\w-]+)["']""", content[:200])
    try:
        parser = html.HTMLParser(encoding=told[1].decode("ascii") if told else "utf-8")
        return html.document_fromstring(content, parser=parser)
    except (LookupError, etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise InvalidInput(f"its page {name!r} cannot be read ({str(error)[:80]})") from None


class _Page:
    """The text of a page as blocks; ruby glosses, pictures, navigation, notes and their marks are left out."""

    def __init__(self, content: bytes, name: str, anchors: Mapping[str, Block]) -> None:
        """`anchors` are the headings that the book's contents have for places of the page, by their ids."""
        self.blocks: list[Block] = []
        self.notes = 0
        """How many notes to the text were left out."""
        self._anchors = dict(anchors)
        self._text: list[tuple[str, bool]] = []
        """Pieces of the paragraph, each with whether it is stressed."""
        self._level = self._stress = 0
        self._walk(_parsed(content, name))
        self._flush()

    def _walk(self, root: Any) -> None:
        """Take in a node and all below it, without recursion: pages of strangers are nested without end."""
        for step, element in self._events(root):
            tag = str(element.tag).lower() if isinstance(element.tag, str) else ""
            if step == "tail":
                self._take(_in_a_line(element.tail))
            elif step == "start":
                self._start(tag, element)
            else:
                self._end(tag)

    def _flush(self) -> None:
        """End a paragraph."""
        text = with_emphasis(self._text)
        self._text = []
        for place, line in enumerate(_lines(text)):
            self.blocks.append(Block(line, self._level, place == 0 or bool(self._level)))

    def _start(self, tag: str, element: Any) -> None:
        place = element.get("id") or element.get("name")
        if place in self._anchors:
            self._flush()
            self.blocks.append(self._anchors.pop(place))
        if tag in _HEADINGS:
            self._flush()
            self._level = _HEADINGS[tag]
        elif tag in _PARAGRAPHS:
            self._flush()
        elif tag == "hr":
            self._flush()
            self.blocks.append(Block(_SCENE_BREAK))
        elif tag == "br":
            self._take(" " if self._level else "\n")
        self._stress += tag in _STRESSED
        self._take(_in_a_line(element.text))

    def _take(self, text: str) -> None:
        self._text.append((plain(text), bool(self._stress) and not self._level))

    def _end(self, tag: str) -> None:
        self._stress -= tag in _STRESSED
        if tag in _HEADINGS or tag in _PARAGRAPHS:
            self._flush()
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
        return bool(kinds & (_NOTES | _BESIDE | _ASIDE)) or _is_mark(node)


def _is_mark(node: Any) -> bool:
    """True for a raised number, one in brackets or a sign that links to a note."""
    text = "".join(node.itertext()).strip()
    if node.tag.lower() not in ("a", "sup") or not _MARK.fullmatch(text):
        return False
    if "#" in node.get("href", "") and not (text.isascii() and text.isalnum()):
        return True
    other = "sup" if node.tag.lower() == "a" else "a"
    return next(node.iter(other), None) is not None


def _in_a_line(text: str | None) -> str:
    """A text of the page's source, whose line ends mean nothing."""
    return (text or "").replace("\n", " ")


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        told = _SPACES.sub(" ", line).strip(" \u3000")
        if told:
            yield told
