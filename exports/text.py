"""The manuscript as plain text, laid out as web-novel platforms and readers of each language want it."""

from collections.abc import Iterator
from itertools import islice

from bookwright.exports.manuscript import Chapter, Manuscript, Scene
from bookwright.models.text.emphasis import without_emphasis
from bookwright.models.text.language import Language

_WIDE_SPACE = "\u3000"
_INDENTS = {Language.ZH: _WIDE_SPACE * 2, Language.JA: _WIDE_SPACE}
"""Chinese platforms take a paragraph a line, each with two wide spaces before it; Japanese one."""
_OPENING_BRACKETS = tuple("「『（〈《【“‘")
_SCENE_BREAKS = {Language.ZH: _WIDE_SPACE * 2 + "* * *", Language.JA: _WIDE_SPACE * 2 + "＊　＊　＊"}


MOST_CHARACTERS = {Language.ZH: 20_000, Language.JA: 70_000}
"""What the largest platforms of a language take as one chapter."""


def oversized(manuscript: Manuscript) -> list[str]:
    """Return the headings of chapters that are longer than platforms of the language take."""
    most = MOST_CHARACTERS.get(manuscript.storage.language)
    return [chapter.heading for chapter in manuscript.chapters() if chapter.unit.written > most] if most else []


def text(manuscript: Manuscript) -> Iterator[str]:
    """Yield the whole book as text: title, author and blurb, then each heading on a line of its own.

    A story that opens without a heading has no blurb here: its readers would take that for the first paragraph.
    """
    cover = manuscript.cover()
    opens_with_heading = any(section.heading for section in islice(manuscript.sections(), 1))
    blurb = without_emphasis(cover.blurb) if opens_with_heading else ""
    yield "\n\n".join(part for part in (cover.title, cover.author, blurb) if part) + "\n"
    yield from body(manuscript)


def body(manuscript: Manuscript, label: str = "1") -> Iterator[str]:
    """Yield the text of one node, or of the whole book, without what stands on its cover."""
    for section in manuscript.sections(label):
        if section.heading:
            yield f"\n{section.heading}\n"
        if isinstance(section, Chapter):
            yield "\n" + _laid_out(manuscript.scenes(section), manuscript.storage.language)


def _laid_out(scenes: list[Scene], language: Language) -> str:
    gap = "\n" if language in _INDENTS else "\n\n"
    between = f"\n\n{_SCENE_BREAKS.get(language, '* * *')}\n\n"
    laid = (gap.join(_indented(without_emphasis(paragraph), language) for paragraph in scene) for scene in scenes)
    return between.join(laid).lstrip("\n") + "\n"


def _indented(paragraph: str, language: Language) -> str:
    if language is Language.JA and paragraph.startswith(_OPENING_BRACKETS):
        return paragraph  # speech is set flush left
    return _INDENTS.get(language, "") + paragraph
