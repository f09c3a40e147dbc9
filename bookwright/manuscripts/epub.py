"""An EPUB as blocks: its pages in the order of the spine, its contents as headings where the pages have none."""

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

from bookwright.manuscripts.archive import Archive, opened, xml_of
from bookwright.manuscripts.blocks import Block, Source
from bookwright.manuscripts.html import page_blocks
from bookwright.models.errors import InvalidInput
from bookwright.models.plain import plain

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Fonts may be obfuscated; that protects no text."""
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_ASIDE = frozenset(("cover", "title-page", "toc", "copyright-page", "text-titlepage", "titlepage", "landmarks"))


def read_epub(path: Path) -> Source:
    """Read an EPUB, of version 2 or 3.

    Raises:
        InvalidInput: It is protected, damaged, or none.
    """
    with opened(path) as archive:
        if _CONTAINER not in archive:
            raise InvalidInput("it is no EPUB: it has no META-INF/container.xml")
        _check_open(archive)
        root = xml_of(archive.read(_CONTAINER), _CONTAINER).find(".//{*}rootfile")
        name = unquote(root.get("full-path", "")) if root is not None else ""
        package = xml_of(archive.read(name), name)
        return _read(archive, package, posixpath.dirname(name))


def _check_open(archive: Archive) -> None:
    """Refuse a book whose pages are encrypted.

    Raises:
        InvalidInput: They are, which is called DRM.
    """
    if _ENCRYPTION not in archive:
        return
    for method in xml_of(archive.read(_ENCRYPTION), _ENCRYPTION).iter("{*}EncryptionMethod"):
        if method.get("Algorithm") not in _FONTS:
            raise InvalidInput("it is protected (DRM); import a copy without protection")


def _read(archive: Archive, package: Any, folder: str) -> Source:
    items = {item.get("id", ""): item for item in package.iterfind(".//{*}manifest/{*}item")}
    spine = [items[ref.get("idref", "")] for ref in _linear(package) if ref.get("idref", "") in items]
    contents = _contents(archive, items, package, folder)
    aside = _aside(package, folder)
    blocks = [
        block
        for item in spine
        if item.get("media-type") in _PAGES and "nav" not in (item.get("properties") or "").split()
        for block in _page(archive, _place(folder, item.get("href", "")), contents, aside)
    ]
    told = {
        tag: (package.findtext(f".//{{*}}metadata/{{*}}{tag}") or "").strip()
        for tag in ("title", "creator", "language")
    }
    return Source(tuple(blocks), "epub", plain(told["title"]), plain(told["creator"]), told["language"])


def _linear(package: Any) -> Iterator[Any]:
    return (ref for ref in package.iterfind(".//{*}spine/{*}itemref") if ref.get("linear") != "no")


def _page(archive: Archive, name: str, contents: Mapping[str, str], aside: frozenset[str]) -> list[Block]:
    if name not in archive or name in aside:
        return []
    blocks = page_blocks(archive.read(name), name)
    title = contents.get(name, "")
    if title and blocks and not any(block.level for block in blocks):
        if blocks[0].text.casefold() == title.casefold():
            blocks = blocks[1:]
        blocks = [Block(title, 1, True), *blocks]
    return blocks


def _contents(archive: Archive, items: Mapping[str, Any], package: Any, folder: str) -> dict[str, str]:
    """Return the title of each page, as the book's own navigation has it."""
    for item in items.values():
        if "nav" in (item.get("properties") or "").split():
            name = _place(folder, item.get("href", ""))
            return _first_of_each(_from_nav(archive, name)) if name in archive else {}
    ncx = next((item for item in items.values() if item.get("media-type") == "application/x-dtbncx+xml"), None)
    name = _place(folder, ncx.get("href", "")) if ncx is not None else ""
    return _first_of_each(_from_ncx(archive, name)) if name and name in archive else {}


def _from_nav(archive: Archive, name: str) -> Iterator[tuple[str, str]]:
    for nav in xml_of(archive.read(name), name).iter("{*}nav"):
        if nav.get("{http://www.idpf.org/2007/ops}type") in (None, "toc"):
            for link in nav.iter("{*}a"):
                yield _place(posixpath.dirname(name), link.get("href", "")), " ".join("".join(link.itertext()).split())


def _from_ncx(archive: Archive, name: str) -> Iterator[tuple[str, str]]:
    for point in xml_of(archive.read(name), name).iter("{*}navPoint"):
        content = point.find("{*}content")
        title = point.findtext("{*}navLabel/{*}text") or ""
        if content is not None:
            yield _place(posixpath.dirname(name), content.get("src", "")), " ".join(title.split())


def _first_of_each(pairs: Iterator[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, title in pairs:
        found.setdefault(name, plain(title))
    return found


def _aside(package: Any, folder: str) -> frozenset[str]:
    """Return the pages that the book's guide calls cover, title page and the like."""
    references = package.iterfind(".//{*}guide/{*}reference")
    return frozenset(_place(folder, one.get("href", "")) for one in references if one.get("type") in _ASIDE)


def _place(folder: str, link: str) -> str:
    """Return a part's name from a link to it; one that leads out of the file names nothing."""
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(link)[0])))
