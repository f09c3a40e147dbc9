"""The manuscript as EPUB 3: one XHTML file for each part and chapter, a nested table of contents."""

import html
from collections.abc import Iterator
from pathlib import Path

from bookwright.exports.cover import read_cover, typeset_cover
from bookwright.exports.epub_file import EpubFile, Look
from bookwright.exports.headings import CONTENTS
from bookwright.exports.manuscript import Chapter, Cover, Manuscript, Section
from bookwright.exports.markup import to_xhtml
from bookwright.exports.package import Package
from bookwright.models.text.language import Language

_STYLE = """\
body { margin: 0 5%; line-height: 1.6; }
h1, h2 { text-align: center; font-weight: normal; margin: 3em 0 2em; line-height: 1.3; }
p { margin: 0; text-indent: INDENT; text-align: justify; }
h1 + p, h2 + p, hr + p { text-indent: FIRST; }
hr { border: 0; margin: 1.5em auto; width: 20%; border-top: 1px solid; }
.title { margin-top: 30%; }
.author { text-align: center; text-indent: 0; }
.cover { display: block; margin: 0 auto; max-width: 100%; max-height: 100%; }
"""
_VERTICAL_STYLE = """\
html { writing-mode: vertical-rl; -webkit-writing-mode: vertical-rl; -epub-writing-mode: vertical-rl; }
body { margin: 5% 0; }
h1, h2 { text-align: left; margin: 0 2em 0 3em; }
hr { width: auto; height: 20%; margin: auto 1.5em; border-top: 0; border-right: 1px solid; }
.title { margin: 20% 0 0; }
"""
_INDENTS = {Language.ZH: ("2em", "2em"), Language.JA: ("1em", "1em")}
"""Indent of a paragraph, and of the first one below a heading or a break."""


def write_epub(manuscript: Manuscript, path: Path, image: Path | None = None, *, is_vertical: bool = False) -> None:
    """Write the manuscript to an EPUB file, holding one chapter at a time.

    Args:
        manuscript: What is written.
        path: Where to.
        image: A JPEG or PNG for the cover; the title is set as one if there is none.
        is_vertical: Lines run from top to bottom and pages from right to left, as in Japanese books.

    Raises:
        InvalidInput: The image cannot be a cover.
        OSError: The file cannot be written.
    """
    cover = manuscript.cover()
    picture = read_cover(image) if image else typeset_cover(cover)
    cover_text = ", ".join(part for part in (cover.title, cover.author) if part)
    look = Look(_style(cover.language, is_vertical), CONTENTS[cover.language], cover_text, is_vertical)
    with Package(path, cover.modified) as package:
        book = EpubFile(package, cover, picture, look)
        book.add_title_page(_title_page(cover))
        for section in manuscript.sections():
            title = "" if section.is_bare else section.heading or cover.title
            book.add(title, section.depth, _body(section, manuscript))
        book.end()


def _style(language: Language, is_vertical: bool) -> str:
    indent, first = _INDENTS.get(language, ("1.3em", "0"))
    style = _STYLE.replace("INDENT", indent).replace("FIRST", first)
    return style + _VERTICAL_STYLE if is_vertical else style


def _title_page(cover: Cover) -> str:
    author = f'<p class="author">{html.escape(cover.author)}</p>' if cover.author else ""
    return f'<h1 class="title">{html.escape(cover.title)}</h1>{author}'


def _body(section: Section, manuscript: Manuscript) -> Iterator[str]:
    is_chapter = isinstance(section, Chapter)
    tag, role = ("h2", "doc-chapter") if is_chapter else ("h1", "doc-part")
    yield f'<section role="{role}">'
    if section.heading:
        yield f"<{tag}>{html.escape(section.heading)}</{tag}>"
    if isinstance(section, Chapter):
        for number, scene in enumerate(manuscript.scenes(section)):
            yield "<hr/>" if number else ""
            yield "".join(f"<p>{to_xhtml(paragraph)}</p>" for paragraph in scene)
    yield "</section>"
