"""The manuscript as one HTML page: no script, nothing fetched, light or dark as the reader likes."""

import html
from collections.abc import Iterator

from bookwright.exports.headings import CONTENTS, SKIP_LINK, ContentsEntry, nested
from bookwright.exports.manuscript import Chapter, Cover, Manuscript, Section
from bookwright.exports.markup import to_xhtml
from bookwright.models.text.emphasis import without_emphasis
from bookwright.models.text.language import Language

_STYLE = """\
:root { color-scheme: light dark; --paper: #fdfbf7; --ink: #1f1d1a; --faint: #6b6459; --link: #7a2e1f; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16171a; --ink: #d9d5cc; --faint: #9a948a; --link: #e0a080; }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 1.125rem/1.7 FONTS; }
body { max-width: MEASURE; margin: 0 auto; padding: 1.5rem; overflow-wrap: break-word; }
a { color: var(--link); }
.skip { position: absolute; left: -99em; }
.skip:focus { position: static; }
header { text-align: center; margin: 15vh 0 5rem; }
h1 { font-size: 2.2rem; line-height: 1.25; margin: 0 0 1rem; }
h2, h3, h4, h5 { font-size: 1.4rem; text-align: center; font-weight: normal; line-height: 1.3; margin: 5rem 0 2rem; }
.author, .blurb { color: var(--faint); text-indent: 0; }
.blurb { margin: 2rem 0; }
nav h2 { margin: 0 0 1rem; }
nav ol { list-style: none; padding-left: 1.25em; }
nav > ol { padding: 0; }
main p { margin: 0; text-indent: INDENT; }
:is(h2, h3, h4, h5, hr) + p { text-indent: FIRST; }
hr { border: 0; border-top: 1px solid var(--faint); width: 20%; margin: 2rem auto; }
@media print { nav, .skip { display: none; } h2 { break-before: page; } }
"""
_FONTS = {
    Language.EN: "Georgia, 'Times New Roman', serif",
    Language.ZH: "'Songti SC', 'Noto Serif CJK SC', SimSun, serif",
    Language.JA: "'Hiragino Mincho ProN', 'Noto Serif CJK JP', 'Yu Mincho', serif",
    Language.KO: "'Noto Serif CJK KR', Batang, serif",
}
_INDENTS = {Language.ZH: ("2em", "2em"), Language.JA: ("1em", "1em")}
_NOTHING_FETCHED = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html_page(manuscript: Manuscript) -> Iterator[str]:
    """Yield the manuscript as HTML, chapter by chapter, after its contents."""
    cover = manuscript.cover()
    yield from _head(cover)
    yield from _contents(manuscript, cover)
    yield '<main id="text">\n'
    for number, section in enumerate(manuscript.sections(), 1):
        yield from _section(ContentsEntry(number, section.heading, section.depth), section, manuscript)
    yield "</main>\n</body>\n</html>\n"


def _head(cover: Cover) -> Iterator[str]:
    told = " ".join(cover.blurb.split())
    title, author, blurb = (html.escape(text) for text in (cover.title, cover.author, without_emphasis(told)))
    yield f'<!DOCTYPE html>\n<html lang="{cover.language.value}">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_NOTHING_FETCHED}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    for name, content in (("author", author), ("description", blurb)):
        yield f'<meta name="{name}" content="{content}">\n' if content else ""
    yield f"<title>{title}</title>\n<style>\n{_style(cover.language)}</style>\n</head>\n<body>\n"
    yield f'<a class="skip" href="#text">{SKIP_LINK[cover.language]}</a>\n<header>\n<h1>{title}</h1>\n'
    for kind, content in (("author", author), ("blurb", to_xhtml(told))):
        yield f'<p class="{kind}">{content}</p>\n' if content else ""
    yield "</header>\n"


def _contents(manuscript: Manuscript, cover: Cover) -> Iterator[str]:
    """Yield the list of contents; none for a book of one piece."""
    entries = [ContentsEntry(number, each.heading, each.depth) for number, each in enumerate(manuscript.sections(), 1)]
    if any(entry.title for entry in entries):
        yield f'<nav aria-labelledby="contents">\n<h2 id="contents">{CONTENTS[cover.language]}</h2>\n'
        yield from nested(entries, ("<ol>\n", "</ol>\n"), "</li>\n", _item)
        yield "</nav>\n"


def _section(entry: ContentsEntry, section: Section, manuscript: Manuscript) -> Iterator[str]:
    if entry.title:
        level = min(entry.depth + 2, 6)
        yield f'<h{level} id="{entry.identity}">{html.escape(entry.title)}</h{level}>\n'
    if isinstance(section, Chapter):
        for number, scene in enumerate(manuscript.scenes(section)):
            yield "<hr>\n" if number else ""
            yield "".join(f"<p>{to_xhtml(paragraph)}</p>\n" for paragraph in scene)


def _item(entry: ContentsEntry) -> str:
    return f'<li><a href="#{entry.identity}">{html.escape(entry.title)}</a>'


def _style(language: Language) -> str:
    indent, first = _INDENTS.get(language, ("1.3em", "0"))
    measure = "34em" if language is Language.EN else "40em"
    style = _STYLE.replace("FONTS", _FONTS[language]).replace("MEASURE", measure)
    return style.replace("INDENT", indent).replace("FIRST", first)
