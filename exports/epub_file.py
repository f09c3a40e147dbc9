"""An EPUB 3 file that is written page by page, so that a book of any length needs the memory of one page.

Source: EPUB 3.3 (W3C Recommendation), with the NCX of EPUB 2 for readers that know no other contents.
"""

import html
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bookwright.exports.contents import ContentsEntry, nested
from bookwright.exports.cover import CoverImage
from bookwright.exports.manuscript import Cover
from bookwright.exports.package import Package

_FOLDER = "EPUB"
_MEDIA_TYPE = "application/epub+zip"
_XML = '<?xml version="1.0" encoding="utf-8"?>\n'

_CONTAINER = f"""\
{_XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
<rootfile full-path="{_FOLDER}/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
"""

_ACCESS = {
    "accessMode": ("textual", "visual"),
    "accessModeSufficient": ("textual",),
    "accessibilityFeature": ("structuralNavigation", "tableOfContents", "readingOrder", "alternativeText"),
    "accessibilityHazard": ("none",),
}
"""What shops and libraries ask of a book of text. Source: EPUB Accessibility 1.1."""


@dataclass(frozen=True)
class Look:
    """How the pages are set."""

    style: str
    contents_title: str
    cover_text: str
    """What the cover shows, for those who do not see it."""
    is_vertical: bool = False
    """Lines run from top to bottom, and pages from right to left."""


class EpubFile:
    """Pages are added in reading order, then the file is ended. Of a page only its line in the contents is kept."""

    def __init__(self, package: Package, cover: Cover, image: CoverImage, look: Look) -> None:
        """Write what comes before the pages into a package that is empty."""
        self._package = package
        self._cover = cover
        self._image = image
        self._look = look
        self._entries: list[ContentsEntry] = []
        self._begin()

    def end(self) -> None:
        """Write the contents and the list of all parts behind the last page."""
        self._put("nav.xhtml", self._page(self._look.contents_title, self._navigation()))
        self._put("toc.ncx", self._ncx())
        self._put("content.opf", self._opf())

    def add_title_page(self, body: str) -> None:
        """Write the page that opens the book; it stands before the contents and not in them."""
        self._put("title.xhtml", self._page(self._cover.title, [body]))

    def add(self, title: str, depth: int, body: Iterable[str]) -> None:
        """Write one page of XHTML content, listed in the contents `depth` levels down from 0 if it has a title."""
        entry = ContentsEntry(len(self._entries) + 1, title, depth)
        self._put(_file(entry), self._page(title or self._cover.title, body))
        self._entries.append(entry)

    def _begin(self) -> None:
        self._package.put("mimetype", [_MEDIA_TYPE], is_stored=True)  # first and as it is: so the file is known
        self._package.put("META-INF/container.xml", [_CONTAINER])
        self._put("style.css", [self._look.style])
        self._put(self._image.file, [self._image.content])
        text = html.escape(self._look.cover_text)
        shown = f'<img class="cover" src="{self._image.file}" alt="{text}" role="doc-cover"/>'
        self._put("cover.xhtml", self._page(self._cover.title, [f'<section epub:type="cover">{shown}</section>']))

    def _put(self, name: str, pieces: Iterable[str | bytes]) -> None:
        self._package.put(f"{_FOLDER}/{name}", pieces)

    def _page(self, title: str, body: Iterable[str]) -> Iterator[str]:
        language = self._cover.language.value
        yield f'{_XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        yield f'xmlns:epub="http://www.idpf.org/2007/ops" lang="{language}" xml:lang="{language}">'
        yield f"<head><title>{html.escape(title)}</title>"
        yield '<link href="style.css" rel="stylesheet" type="text/css"/></head><body>'
        yield from body
        yield "</body></html>\n"

    def _navigation(self) -> Iterator[str]:
        yield f'<nav epub:type="toc" id="toc"><h1>{html.escape(self._look.contents_title)}</h1>'
        yield from nested(self._entries, ("<ol>", "</ol>"), "</li>", _navigation_item)
        yield "</nav>"

    def _ncx(self) -> Iterator[str]:
        yield f'{_XML}<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">'
        yield f'<head><meta name="dtb:uid" content="{self._identifier}"/></head>'
        yield f"<docTitle><text>{html.escape(self._cover.title)}</text></docTitle><navMap>"
        yield from nested(self._entries, ("", ""), "</navPoint>", _ncx_item)
        yield "</navMap></ncx>\n"

    def _opf(self) -> Iterator[str]:
        language = self._cover.language.value
        yield f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" '
        yield f'xml:lang="{language}">'
        yield from self._metadata()
        yield '<manifest><item id="style" href="style.css" media-type="text/css"/>'
        yield f'<item id="cover-image" href="{self._image.file}" media-type="{self._image.media_type}" '
        yield 'properties="cover-image"/><item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>'
        yield '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        yield '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        yield '<item id="title" href="title.xhtml" media-type="application/xhtml+xml"/>'
        for entry in self._entries:
            yield f'<item id="{entry.identity}" href="{_file(entry)}" media-type="application/xhtml+xml"/>'
        direction = "rtl" if self._look.is_vertical else "ltr"
        yield f'</manifest><spine toc="ncx" page-progression-direction="{direction}">'
        yield '<itemref idref="cover"/><itemref idref="title"/><itemref idref="nav"/>'
        for entry in self._entries:
            yield f'<itemref idref="{entry.identity}"/>'
        yield "</spine></package>\n"

    def _metadata(self) -> Iterator[str]:
        cover = self._cover
        yield '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        yield f'<dc:identifier id="id">{self._identifier}</dc:identifier>'
        yield f"<dc:title>{html.escape(cover.title)}</dc:title><dc:language>{cover.language.value}</dc:language>"
        for name, value in (("creator", cover.author), ("description", cover.blurb)):
            if value:
                yield f"<dc:{name}>{html.escape(value)}</dc:{name}>"
        yield f'<meta property="dcterms:modified">{cover.modified:%Y-%m-%dT%H:%M:%SZ}</meta>'
        for name, values in _ACCESS.items():
            for value in values:
                yield f'<meta property="schema:{name}">{value}</meta>'
        yield '<meta name="cover" content="cover-image"/>'  # for readers of EPUB 2
        if self._look.is_vertical:
            yield '<meta name="primary-writing-mode" content="vertical-rl"/>'
        yield "</metadata>"

    @property
    def _identifier(self) -> str:
        """The same for every export of a book, so that a reader's shelf takes a new one as an update."""
        return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'bookwright:{self._cover.identity}')}"


def _file(entry: ContentsEntry) -> str:
    return f"{entry.identity}.xhtml"


def _navigation_item(entry: ContentsEntry) -> str:
    return f'<li><a href="{_file(entry)}">{html.escape(entry.title)}</a>'


def _ncx_item(entry: ContentsEntry) -> str:
    label = f"<navLabel><text>{html.escape(entry.title)}</text></navLabel>"
    return f'<navPoint id="{entry.identity}">{label}<content src="{_file(entry)}"/>'
