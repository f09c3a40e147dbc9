"""Cutting a text without headings, and chapters beyond any measure, into units of a chapter's size."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from bookwright.manuscripts.manuscript import Block, FoundBook, FoundChapter
from bookwright.models.text.language import Language
from bookwright.models.text.prose import is_scene_break, sentences

USUAL = {"words": 3_000, "characters": 4_000}
MOST = {"words": 20_000, "characters": 30_000}
"""A chapter that is longer is cut: nobody could sum it up at one look."""

_LONGEST_PARAGRAPH = 8_000
"""Characters of a paragraph: a text without line ends is one that has none."""

_SLACK = 0.35
"""How far from the usual length a scene break is preferred to any other paragraph."""


def bearable(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with paragraphs that have no end cut between sentences; others stay as they are."""
    return [piece for block in blocks for piece in ([block] if len(block.text) <= _LONGEST_PARAGRAPH else _cut(block))]


def _cut(block: Block) -> Iterator[Block]:
    gathered = ""
    for sentence in sentences(block.text):
        for start in range(0, len(sentence), _LONGEST_PARAGRAPH):
            piece = sentence[start : start + _LONGEST_PARAGRAPH]
            if gathered and len(gathered) + len(piece) > _LONGEST_PARAGRAPH:
                yield Block(gathered)
                gathered = ""
            joint = " " if gathered and gathered[-1].isascii() else ""
            gathered += joint + piece
    if gathered:
        yield Block(gathered)


def cut_up(blocks: Sequence[Block], language: Language) -> FoundBook:
    """Make chapters of a text without headings, at its scene breaks where there are any near."""
    paragraphs = tuple(block.text for block in blocks)
    pieces = [FoundChapter("", "", piece) for piece in pieces_of(paragraphs, language, USUAL[language.length_unit])]
    length = language.length_unit
    note = f"no headings were found: it was cut into {len(pieces):,} units of about {USUAL[length]:,} {length}"
    return FoundBook(tuple(pieces), (), (note,) if len(pieces) > 1 else (), has_headings=False)


def bounded(book: FoundBook, language: Language) -> FoundBook:
    """Cut chapters that are longer than anybody could look at in one go, and say so."""
    chapters: list[FoundChapter] = []
    notes: list[str] = []
    for chapter in book.chapters:
        pieces = list(_bounded(chapter, language))
        if len(pieces) > 1:
            name = chapter.heading or "a chapter without a heading"
            notes.append(f"{name[:40]!r} is too long for one chapter and was cut into {len(pieces)}")
        chapters += pieces
    return replace(book, chapters=tuple(chapters), notes=(*book.notes, *notes))


def pieces_of(paragraphs: Sequence[str], language: Language, usual: int) -> Iterator[tuple[str, ...]]:
    """Yield the paragraphs in pieces of about a length, cut at scene breaks where there are any near.

    A piece before which a break stands begins with it; the whole neither begins nor ends with one.
    """
    sums = [0, *accumulate(map(language.measure, paragraphs))]
    begin, has_begun, mark = 0, False, ""
    while begin < len(paragraphs):
        end = _end(paragraphs, sums, begin, usual)
        before, piece, after = _trimmed(paragraphs[begin:end])
        mark = mark or before
        if piece:
            yield (mark, *piece) if mark and has_begun else piece
            has_begun, mark = True, ""
        mark, begin = mark or after, end


def _trimmed(paragraphs: Sequence[str]) -> tuple[str, tuple[str, ...], str]:
    """Return paragraphs without the scene breaks at their ends, and one of those before and behind them."""
    texts = [place for place, paragraph in enumerate(paragraphs) if not is_scene_break(paragraph)]
    if not texts:
        return paragraphs[0], (), ""
    first, last = texts[0], texts[-1] + 1
    before, after = paragraphs[:first], paragraphs[last:]
    return before[0] if before else "", tuple(paragraphs[first:last]), after[0] if after else ""


def _bounded(chapter: FoundChapter, language: Language) -> Iterator[FoundChapter]:
    unit = language.length_unit
    if sum(map(language.measure, chapter.paragraphs)) <= MOST[unit]:
        yield chapter
        return
    for number, piece in enumerate(pieces_of(chapter.paragraphs, language, USUAL[unit]), 1):
        title = f"{chapter.title} ({number})".strip()
        yield replace(chapter, heading=f"{chapter.heading} ({number})".strip(), title=title, paragraphs=piece)


def _end(paragraphs: Sequence[str], sums: Sequence[int], begin: int, usual: int) -> int:
    """Return where a piece that begins at a paragraph ends."""
    if sums[-1] - sums[begin] <= usual * (1 + _SLACK):
        return len(paragraphs)
    wanted = sums[begin] + usual
    first = bisect_left(sums, wanted - usual * _SLACK, begin + 1)
    last = bisect_left(sums, wanted + usual * _SLACK, begin + 1)
    breaks = [place for place in range(first, min(last, len(paragraphs))) if is_scene_break(paragraphs[place])]
    if breaks:
        return min(breaks, key=lambda place: abs(sums[place] - wanted)) + 1
    return min(bisect_left(sums, wanted, begin + 1), len(paragraphs))
