"""An EPUB as blocks: its pages in the order of the spine, its contents as headings where the pages have none."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

from bookwright.manuscripts.formats.archive import Archive, xml_of
from bookwright.manuscripts.formats.page import ASIDE, Page, italics_in
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
    sheets = (_place(folder, one.get("href", "")) for one in items.values() if one.get("media-type") == "text/css")
    italics = italics_in("}".join(archive.read(name).decode("utf-8", "ignore") for name in sheets if name in archive))
    pages = [_page(archive.read(name), name, contents.get(name, ()), italics) for name in wanted]
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


def _page(content: bytes, name: str, entries: Sequence[_ContentsEntry], italics: Set[str]) -> Page:
    """Read a page; one without headings of its own has those of the book's contents, each at its place."""
    page = Page(content, name, {}, italics)
    if not entries or not page.blocks or any(block.level for block in page.blocks):
        return page
    anchors: dict[str, Block] = {}
    for entry in entries:
        anchors.setdefault(entry.place, Block(entry.title, entry.depth, True))
    told = Page(content, name, anchors, italics).blocks
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
    return frozenset(_place(folder, one.get("href", "")) for one in references if one.get("type") in ASIDE)


def _place(folder: str, link: str) -> str:
    """Return a part's name from a link to it; one that leads out of the file names nothing."""
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(link)[0])))
