"""The manuscript as a Word file in standard manuscript format, or by the customs of zh, ja and ko.

Source: William Shunn, "Proper Manuscript Format" (title page, header, double spacing, `#`, END).
"""

import html
from collections.abc import Iterator
from pathlib import Path

from bookwright.exports.docx_parts import CUSTOMS, HEADING_LEVELS, MAIN, RELATIONS, XML, Custom, fixed_parts, section
from bookwright.exports.manuscript import Chapter, Cover, Manuscript, Section
from bookwright.exports.markup import emphasised
from bookwright.exports.package import Package
from bookwright.models.text.language import Language

_OPENING_BRACKETS = tuple("「『（〈《【“‘")
_MOST_HEADER = 40
_SHEETS = {
    Language.JA: (400, "約{:,}字（400字詰原稿用紙約{:,}枚）"),
    Language.KO: (200, "약 {:,}자 (200자 원고지 약 {:,}매)"),
}
"""Characters of a sheet by which editors reckon, and how its count is told."""


def write_docx(manuscript: Manuscript, path: Path) -> None:
    """Write the manuscript to a Word file, holding one chapter at a time.

    Raises:
        OSError: The file cannot be written.
    """
    cover = manuscript.cover()
    with Package(path, cover.modified) as package:
        for name, text in fixed_parts(cover, _header(cover)).items():
            package.put(name, [text])
        package.put("word/document.xml", _document(manuscript, cover))


def rounded(length: int) -> int:
    """Round a length as it is told to an editor: to a thousand from ten thousand on, else to a hundred or ten."""
    step = 1_000 if length >= 10_000 else 100 if length >= 1_000 else 10
    return max(step * ((length + step // 2) // step), step)


def length_line(length: int, language: Language) -> str:
    """Say how long a manuscript is, such as `"about 90,000 words"`."""
    about = rounded(length)
    if language in _SHEETS:
        size, pattern = _SHEETS[language]
        return pattern.format(about, -(-about // size))
    return f"约{about:,}字" if language is Language.ZH else f"about {about:,} words"


def _header(cover: Cover) -> str:
    """The surname and the title in short, as they stand on each page."""
    first_line = cover.contact.partition("\n")[0].strip()
    author = cover.author or first_line
    if cover.language is not Language.EN:
        return " / ".join(part for part in (author, cover.title[:_MOST_HEADER]) if part)
    title = cover.title if len(cover.title) <= _MOST_HEADER else cover.title[:_MOST_HEADER].rpartition(" ")[0]
    return " / ".join(part for part in (author.rpartition(" ")[2], title.upper()) if part)


def _document(manuscript: Manuscript, cover: Cover) -> Iterator[str]:
    custom = CUSTOMS[cover.language]
    yield f"{XML}<w:document {MAIN} {RELATIONS}><w:body>"
    yield from _title_page(cover, manuscript.length(), custom)
    for each in manuscript.sections():
        yield from _section(each, manuscript, cover, custom)
    yield _paragraph("End", _run(custom.end))
    yield f"{section(custom, has_header=True)}</w:body></w:document>"


def _title_page(cover: Cover, length: int, custom: Custom) -> Iterator[str]:
    first, *others = (cover.contact or cover.author).splitlines() or [""]
    size = f"<w:r><w:tab/></w:r>{_run(length_line(length, cover.language))}"
    yield _paragraph("Contact", f"{_run(first)}{size}")
    for line in others:
        yield _paragraph("Contact", _run(line))
    yield _paragraph("Title", _run(cover.title))
    if cover.author:
        yield _paragraph("Author", _run(f"by {cover.author}" if cover.language is Language.EN else cover.author))
    yield f"<w:p><w:pPr>{section(custom, has_header=False)}</w:pPr></w:p>"


def _section(each: Section, manuscript: Manuscript, cover: Cover, custom: Custom) -> Iterator[str]:
    level = min(each.depth + 1, HEADING_LEVELS)
    if not each.is_bare:
        yield _paragraph(f"Heading{level}", _run(each.heading or cover.title))
    if not isinstance(each, Chapter):
        return
    for number, scene in enumerate(manuscript.scenes(each)):
        if number:
            yield _paragraph("SceneBreak", _run(custom.scene_break))
        for paragraph in scene:
            is_flush = custom.sets_speech_flush and paragraph.startswith(_OPENING_BRACKETS)
            runs = (_run(piece, custom.emphasis if is_stressed else "") for piece, is_stressed in emphasised(paragraph))
            yield _paragraph("Flush" if is_flush else "BodyText", "".join(runs))


def _paragraph(style: str, runs: str) -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{runs}</w:p>'


def _run(text: str, properties: str = "") -> str:
    if not text:
        return ""
    set_as = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{set_as}<w:t xml:space="preserve">{html.escape(text, quote=False)}</w:t></w:r>'
