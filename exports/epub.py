"""The manuscript as EPUB 3: one XHTML file for each part and chapter, a nested table of contents.

It is written page by page, so that a book of any length needs the memory of one page.
Source: EPUB 3.3 (W3C Recommendation), with the NCX of EPUB 2 for readers that know no other contents.
"""

import html
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

from bookwright.exports.cover import CoverImage, read_cover, typeset_cover
from bookwright.exports.headings import CONTENTS, ContentsEntry, nested
from bookwright.exports.manuscript import Chapter, Cover, Manuscript, Section
from bookwright.exports.markup import to_xhtml
from bookwright.exports.package import Package
from bookwright.models.text.language import Language

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

_STYLE = """\
body { margin: 0 5%; line-height: 1.6; }
h1, h2, h3, h4 { text-align: center; font-size: 1.5em; font-weight: normal; margin: 3em 0 2em; line-height: 1.3; }
p { margin: 0; text-indent: INDENT; text-align: justify; }
h2 + p, h3 + p, h4 + p, hr + p { text-indent: FIRST; }
hr { border: 0; margin: 1.5em auto; width: 20%; border-top: 1px solid; }
.title { margin-top: 30%; font-size: 2em; }
.author { text-align: center; text-indent: 0; }
.cover { display: block; margin: 0 auto; max-width: 100%; max-height: 100%; }
"""
_VERTICAL_STYLE = """\
html { writing-mode: vertical-rl; -webkit-writing-mode: vertical-rl; -epub-writing-mode: vertical-rl; }
body { margin: 5% 0; }
h1, h2, h3, h4 { text-align: left; margin: 0 2em 0 3em; }
hr { width: auto; height: 20%; margin: auto 1.5em; border-top: 0; border-right: 1px solid; }
.title { margin: 20% 0 0; }
"""
_INDENTS = {Language.ZH: ("2em", "2em"), Language.JA: ("1em", "1em")}
"""Indent of a paragraph, and of the first one below a heading or a break."""


def write_epub(manuscript: Manuscript, path: Path, image: Path | None = None, *, is_vertical: bool = False) -> None:
    """Write the manuscript to an EPUB file, holding one chapter at a time.

    `image` is a JPEG or PNG for the cover; the title is set as one if there is none. With `is_vertical`, lines run
    from top to bottom and pages from right to left, as in Japanese books.

    Raises:
        InvalidInput: The image cannot be a cover.
        OSError: The file cannot be written.
    """
    cover = manuscript.cover()
    picture = read_cover(image) if image else typeset_cover(cover)
    with Package(path, cover.modified) as package:
        book = _EpubFile(package, cover, picture, is_vertical=is_vertical)
        for section in manuscript.sections():
            title = "" if section.is_bare else section.heading or cover.title
            book.add(title, section.depth, _body(section, manuscript))
        book.end()


def _style(language: Language, is_vertical: bool) -> str:
    indent, first = _INDENTS.get(language, ("1.3em", "0"))
    style = _STYLE.replace("INDENT", indent).replace("FIRST", first)
    return style + _VERTICAL_STYLE if is_vertical else style


def _body(section: Section, manuscript: Manuscript) -> Iterator[str]:
    level = section.depth + 2  # the first is the title's
    yield f'<section role="{"doc-chapter" if isinstance(section, Chapter) else "doc-part"}">'
    if section.heading:
        yield f"<h{level}>{html.escape(section.heading)}</h{level}>"
    if isinstance(section, Chapter):
        for number, scene in enumerate(manuscript.scenes(section)):
            yield "<hr/>" if number else ""
            yield "".join(f"<p>{to_xhtml(paragraph)}</p>" for paragraph in scene)
    yield "</section>"


class _EpubFile:
    """Pages are added in reading order, then the file is ended. Of a page only its line in the contents is kept."""

    def __init__(self, package: Package, cover: Cover, image: CoverImage, *, is_vertical: bool) -> None:
        """Write what comes before the pages into a package that is empty."""
        self._package = package
        self._cover = cover
        self._image = image
        self._is_vertical = is_vertical
        self._entries: list[ContentsEntry] = []
        package.put("mimetype", [_MEDIA_TYPE], is_stored=True)  # first and as it is: so the file is known
        package.put("META-INF/container.xml", [_CONTAINER])
        self._put("style.css", [_style(cover.language, is_vertical)])
        self._put(image.file, [image.content])
        shown = html.escape(", ".join(part for part in (cover.title, cover.author) if part))
        picture = f'<img class="cover" src="{image.file}" alt="{shown}" role="doc-cover"/>'
        self._put("cover.xhtml", self._page(cover.title, [f'<section epub:type="cover">{picture}</section>']))
        title = f'<h1 class="title">{html.escape(cover.title)}</h1>'
        author = f'<p class="author">{html.escape(cover.author)}</p>' if cover.author else ""
        self._put("title.xhtml", self._page(cover.title, [title, author]))

    def end(self) -> None:
        """Write the contents and the list of all parts behind the last page."""
        self._put("nav.xhtml", self._page(CONTENTS[self._cover.language], self._navigation()))
        self._put("toc.ncx", self._ncx())
        self._put("content.opf", self._opf())

    def add(self, title: str, depth: int, body: Iterable[str]) -> None:
        """Write one page of XHTML content, listed in the contents `depth` levels down from 0 if it has a title."""
        entry = ContentsEntry(len(self._entries) + 1, title, depth)
        self._put(_file(entry), self._page(title or self._cover.title, body))
        self._entries.append(entry)

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
        yield f'<nav epub:type="toc" id="toc"><h1>{html.escape(CONTENTS[self._cover.language])}</h1>'
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
        direction = "rtl" if self._is_vertical else "ltr"
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
        if self._is_vertical:
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
