"""An EPUB 3 file that is written page by page, so that a book of any length needs the memory of one page.

Source: EPUB 3.3 (W3C Recommendation), with the NCX of EPUB 2 for readers that know no other contents.
"""

import html
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from bookwright.exports.manuscript import Cover

_FOLDER = "EPUB"
_MEDIA_TYPE = "application/epub+zip"
_XML = '<?xml version="1.0" encoding="utf-8"?>\n'

_CONTAINER = f"""\
{_XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
<rootfile full-path="{_FOLDER}/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
"""


@dataclass(frozen=True)
class _Entry:
    """A page as the contents list it."""

    number: int
    title: str
    depth: int

    @property
    def identity(self) -> str:
        return f"section-{self.number:05}"

    @property
    def file(self) -> str:
        return f"{self.identity}.xhtml"


class EpubFile:
    """A context manager: pages are added in reading order, and leaving the block completes the file.

    Of a finished page only its line in the contents is kept.
    """

    def __init__(self, path: Path, cover: Cover, contents_title: str, style: str) -> None:
        self._cover = cover
        self._contents_title = contents_title
        self._entries: list[_Entry] = []
        self._archive = ZipFile(path, "w")
        self._put("mimetype", [_MEDIA_TYPE], method=ZIP_STORED)  # first and as it is: this is how the file is known
        self._put("META-INF/container.xml", [_CONTAINER])
        self._put(f"{_FOLDER}/style.css", [style])

    def __enter__(self) -> "EpubFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._archive:
            if error is None:
                self._put(f"{_FOLDER}/nav.xhtml", self._page(self._contents_title, self._navigation()))
                self._put(f"{_FOLDER}/toc.ncx", self._ncx())
                self._put(f"{_FOLDER}/content.opf", self._package())

    def add_title_page(self, body: str) -> None:
        """Write the page that opens the book; it stands before the contents and not in them."""
        self._put(f"{_FOLDER}/title.xhtml", self._page(self._cover.title, [body]))

    def add(self, title: str, depth: int, body: Iterable[str]) -> None:
        """Write one page of XHTML content, listed in the contents `depth` levels down, from 0."""
        entry = _Entry(len(self._entries) + 1, title, depth)
        self._put(f"{_FOLDER}/{entry.file}", self._page(title, body))
        self._entries.append(entry)

    def _put(self, name: str, pieces: Iterable[str], method: int = ZIP_DEFLATED) -> None:
        info = ZipInfo(name, self._cover.modified.timetuple()[:6])
        info.compress_type, info.external_attr = method, 0o644 << 16
        with self._archive.open(info, "w") as file:
            for piece in pieces:
                file.write(piece.encode())

    def _page(self, title: str, body: Iterable[str]) -> Iterator[str]:
        language = self._cover.language.value
        yield f'{_XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        yield f'xmlns:epub="http://www.idpf.org/2007/ops" lang="{language}" xml:lang="{language}">'
        yield f"<head><title>{html.escape(title)}</title>"
        yield '<link href="style.css" rel="stylesheet" type="text/css"/></head><body>'
        yield from body
        yield "</body></html>\n"

    def _navigation(self) -> Iterator[str]:
        yield f'<nav epub:type="toc" id="toc"><h1>{html.escape(self._contents_title)}</h1>'
        yield from _nested(self._entries, ("<ol>", "</ol>"), "</li>", _navigation_item)
        yield "</nav>"

    def _ncx(self) -> Iterator[str]:
        yield f'{_XML}<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">'
        yield f'<head><meta name="dtb:uid" content="{self._identifier}"/></head>'
        yield f"<docTitle><text>{html.escape(self._cover.title)}</text></docTitle><navMap>"
        yield from _nested(self._entries, ("", ""), "</navPoint>", _ncx_item)
        yield "</navMap></ncx>\n"

    def _package(self) -> Iterator[str]:
        language = self._cover.language.value
        yield f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" '
        yield f'xml:lang="{language}">'
        yield from self._metadata()
        yield '<manifest><item id="style" href="style.css" media-type="text/css"/>'
        yield '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        yield '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        yield '<item id="title" href="title.xhtml" media-type="application/xhtml+xml"/>'
        for entry in self._entries:
            yield f'<item id="{entry.identity}" href="{entry.file}" media-type="application/xhtml+xml"/>'
        yield '</manifest><spine toc="ncx"><itemref idref="title"/><itemref idref="nav"/>'
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
        yield f'<meta property="dcterms:modified">{cover.modified:%Y-%m-%dT%H:%M:%SZ}</meta></metadata>'

    @property
    def _identifier(self) -> str:
        """The same for every export of a book, so that a reader's shelf takes a new one as an update."""
        return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'bookwright:{self._cover.identity}')}"


def _nested(
    entries: Iterable[_Entry], level: tuple[str, str], item_end: str, item: Callable[[_Entry], str]
) -> Iterator[str]:
    """Yield items that hold the deeper ones after them; a page is at most one level below the one before it."""
    depth = -1
    for entry in entries:
        if entry.depth > depth:
            yield level[0]
        else:
            yield item_end + f"{level[1]}{item_end}" * (depth - entry.depth)
        yield item(entry)
        depth = entry.depth
    yield f"{item_end}{level[1]}" * (depth + 1)


def _navigation_item(entry: _Entry) -> str:
    return f'<li><a href="{entry.file}">{html.escape(entry.title)}</a>'


def _ncx_item(entry: _Entry) -> str:
    label = f"<navLabel><text>{html.escape(entry.title)}</text></navLabel>"
    return f'<navPoint id="{entry.identity}">{label}<content src="{entry.file}"/>'
