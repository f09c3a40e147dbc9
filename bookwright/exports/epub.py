"""The manuscript as EPUB 3: one XHTML file for each part and chapter, a nested table of contents."""

import html
import uuid
from pathlib import Path

from ebooklib import epub

from bookwright.exports.headings import contents_heading
from bookwright.exports.manuscript import Chapter, Cover, Manuscript, Scene, Section
from bookwright.exports.markup import to_xhtml
from bookwright.models.language import Language

_STYLE = """\
body { margin: 0 5%; line-height: 1.6; }
h1, h2 { text-align: center; font-weight: normal; margin: 3em 0 2em; line-height: 1.3; }
p { margin: 0; text-indent: INDENT; text-align: justify; }
h1 + p, h2 + p, hr + p { text-indent: FIRST; }
hr { border: 0; margin: 1.5em auto; width: 20%; border-top: 1px solid; }
.title { margin-top: 30%; }
.author { text-align: center; text-indent: 0; }
"""
_INDENTS = {Language.ZH: ("2em", "2em"), Language.JA: ("1em", "1em")}
"""Indent of a paragraph, and of the first one below a heading or a break."""

_STYLE_FILE = "style.css"


def write_epub(manuscript: Manuscript, path: Path) -> None:
    """Write the manuscript to an EPUB file.

    Raises:
        OSError: The file cannot be written.
    """
    cover = manuscript.cover()
    book = _new_book(cover)
    book.add_item(_style(cover.language))
    pages = [_page("title.xhtml", cover.title, _title_page(cover), cover)]
    contents = _Contents()
    for index, section in enumerate(manuscript.sections(), 1):
        page = _page(f"section-{index:05}.xhtml", section.heading or cover.title, _body(section, manuscript), cover)
        pages.append(page)
        contents.add(page, section.depth)
    for page in pages:
        book.add_item(page)
    book.toc = contents.entries
    book.add_item(epub.EpubNcx())
    navigation = epub.EpubNav(title=contents_heading(cover.language))
    book.add_item(navigation)
    book.spine = [pages[0], navigation, *pages[1:]]
    epub.write_epub(str(path), book, {"mtime": cover.modified, "raise_exceptions": True, "epub3_pages": False})


class _Contents:
    """The table of contents, grown in reading order."""

    def __init__(self) -> None:
        self.entries: list[object] = []
        self._open: list[list[object]] = [self.entries]

    def add(self, page: object, depth: int) -> None:
        """Add a page `depth` levels down; an entry that gets children becomes a pair."""
        while len(self._open) > depth + 1:
            self._open.pop()
        if len(self._open) == depth:
            parent = self._open[-1]
            children: list[object] = []
            parent[-1] = (parent[-1], children)
            self._open.append(children)
        self._open[-1].append(page)


def _new_book(cover: Cover) -> epub.EpubBook:
    book = epub.EpubBook()
    # The same book has the same identifier in every export, so a reader's shelf takes it as an update.
    book.set_identifier(f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'bookwright:{cover.identity}')}")
    book.set_title(cover.title)
    book.set_language(cover.language.value)
    if cover.author:
        book.add_author(cover.author)
    if cover.blurb:
        book.add_metadata("DC", "description", cover.blurb)
    return book


def _style(language: Language) -> epub.EpubItem:
    indent, first = _INDENTS.get(language, ("1.3em", "0"))
    css = _STYLE.replace("INDENT", indent).replace("FIRST", first)
    return epub.EpubItem(uid="style", file_name=_STYLE_FILE, media_type="text/css", content=css.encode())


def _page(file_name: str, title: str, body: str, cover: Cover) -> epub.EpubHtml:
    page = epub.EpubHtml(
        uid=file_name.removesuffix(".xhtml"), file_name=file_name, title=title, lang=cover.language.value,
        content=f"<html><body>{body}</body></html>".encode(),
    )  # fmt: skip
    page.add_link(href=_STYLE_FILE, rel="stylesheet", type="text/css")
    return page


def _title_page(cover: Cover) -> str:
    author = f'<p class="author">{html.escape(cover.author)}</p>' if cover.author else ""
    return f'<h1 class="title">{html.escape(cover.title)}</h1>{author}'


def _body(section: Section, manuscript: Manuscript) -> str:
    tag = "h2" if isinstance(section, Chapter) else "h1"
    heading = f"<{tag}>{html.escape(section.heading)}</{tag}>" if section.heading else ""
    if not isinstance(section, Chapter):
        return f'<section role="doc-part">{heading}</section>'
    scenes = "<hr/>".join(map(_scene, manuscript.scenes(section)))
    return f'<section role="doc-chapter">{heading}{scenes}</section>'


def _scene(scene: Scene) -> str:
    return "".join(f"<p>{to_xhtml(paragraph)}</p>" for paragraph in scene)
