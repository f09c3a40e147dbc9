"""The style guide of a book: made of a profile and sample passages, kept in versions, and found again.

A passage is a few whole sentences in a row, chosen by readers' praise or by figures.

Source: DESIGN section 10, item 6; REQUIREMENTS S2-061.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, pstdev

from pydantic import ValidationError

from bookwright.agents.relay.figures.dialogue import speech_in
from bookwright.agents.relay.figures.style import profile_of
from bookwright.agents.relay.figures.text import folded, paragraphs_of, sentences_of, tokens_with_places
from bookwright.models.brief import Brief
from bookwright.models.document import Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.story.retelling import Retelling
from bookwright.models.text.figures import StyleGuide, StyleSource
from bookwright.models.text.language import Language
from bookwright.prompts.render import render_part
from bookwright.storage.index.chunks import join_sentences
from bookwright.storage.stores import Stores

_READINGS = 30
"""Readings of a book's beginning that are asked which lines were alive."""

PASSAGES = 2

_BOUNDS = {True: (60, 100), False: (100, 170)}
"""Words of a passage, or characters."""


def guide_of_sample(text: str, brief: Brief) -> StyleGuide:
    """Measure the style of a sample, and choose what it is heard by."""
    return StyleGuide(
        source=StyleSource.SAMPLE, profile=profile_of([text], brief.language),
        passages=passages_of([text], brief.language),
    )  # fmt: skip


def guide_of_chapters(texts: list[str], brief: Brief, praised: Iterable[str] = ()) -> StyleGuide:
    """Measure the style of a book's first chapters, and choose what it is heard by: first what readers praised."""
    return StyleGuide(
        source=StyleSource.CHAPTERS, chapters=len(texts), profile=profile_of(texts, brief.language),
        passages=passages_of(texts, brief.language, praised),
    )  # fmt: skip


def praised_in(stores: Stores) -> list[str]:
    """Return the lines that readers of the book have found alive, in the order in which they read."""
    told = stores.documents.after(0, [DocumentKind.RETELLING], _READINGS)
    kept = (stores.documents.data_of(found) for found in told)
    return [line for data in kept if data for line in Retelling.model_validate_json(data).alive]


def keep_guide(guide: StyleGuide, brief: Brief, stores: Stores, origin: DocumentOrigin) -> Document:
    """Make a guide the book's current one; its text is in the language of the book's prompts."""
    text = render_part("story/_style_page", brief.prompt_locale, guide=guide)
    new = NewDocument(
        node=stores.nodes.root().key, kind=DocumentKind.STYLE_GUIDE, text=text, data=guide.model_dump_json(),
        origin=origin,
    )  # fmt: skip
    return stores.documents.add(new, None)


def kept_guide(stores: Stores) -> StyleGuide | None:
    """Return the guide that the book keeps to; one in a form that this version does not know counts as none."""
    found = stores.documents.current(stores.nodes.root().key, DocumentKind.STYLE_GUIDE)
    data = stores.documents.data_of(found)
    try:
        return StyleGuide.model_validate_json(data) if data else None
    except ValidationError:
        return None


@dataclass(frozen=True)
class _Line:
    """One sentence, and the paragraph that it is in."""

    text: str
    paragraph: int
    length: int


def passages_of(texts: Sequence[str], language: Language, praised: Iterable[str] = ()) -> tuple[str, ...]:
    """Return two passages of some texts: those around what readers praised, else the liveliest, one of them with talk.

    A line of a passage is a paragraph of the text, or a part of one.
    """
    tables = [_lines_of(text, language) for text in texts]
    chosen: list[str] = []
    for passage in (*_around(praised, tables, language), *_liveliest(tables, language)):
        if len(chosen) < PASSAGES and not any(_overlap(passage, other) for other in chosen):
            chosen.append(passage)
    return tuple(chosen)


def _lines_of(text: str, language: Language) -> list[_Line]:
    return [
        _Line(sentence, number, language.measure(sentence))
        for number, paragraph in enumerate(paragraphs_of(text))
        for sentence in sentences_of(paragraph, language)
    ]


def _around(praised: Iterable[str], tables: Sequence[list[_Line]], language: Language) -> Iterator[str]:
    """Yield the passages that hold some words, as far as these are found."""
    for quote in praised:
        wanted = folded(quote.strip(" “”\"'…."))
        for lines in tables:
            place = next((at for at, line in enumerate(lines) if wanted and wanted in folded(line.text)), None)
            if place is not None:
                yield _printed(_grown(lines, place, language))
                break


def _grown(lines: Sequence[_Line], place: int, language: Language) -> Sequence[_Line]:
    """Return the sentences around one, first those after it, until they are enough for a passage."""
    least, most = _BOUNDS[language.is_spaced]
    first, last, length = place, place + 1, lines[place].length
    while length < least:
        if last < len(lines) and length + lines[last].length <= most:
            length += lines[last].length
            last += 1
        elif first and length + lines[first - 1].length <= most:
            first -= 1
            length += lines[first].length
        else:
            break
    return lines[first:last]


def _liveliest(tables: Sequence[list[_Line]], language: Language) -> Iterator[str]:
    """Yield the liveliest passage with talk and the liveliest without, then what comes after these."""
    least, _ = _BOUNDS[language.is_spaced]
    runs = (_grown(lines, place, language) for lines in tables for place in _openings(lines))
    found = [(_life(run, language), _printed(run)) for run in runs if sum(own.length for own in run) >= least]
    ranked = [passage for _, passage in sorted(found, key=lambda pair: (-pair[0], pair[1]))]
    talking = [passage for passage in ranked if any(spans for _, spans in speech_in(paragraphs_of(passage), language))]
    told = [passage for passage in ranked if passage not in talking]
    yield from (*talking[:1], *told[:1], *ranked)


def _openings(lines: Sequence[_Line]) -> list[int]:
    """Return where paragraphs begin, without the first and the last one of a text, which are seldom like the others."""
    places = [at for at, line in enumerate(lines) if at == 0 or lines[at - 1].paragraph != line.paragraph]
    return places[1:-1] or places


def _life(lines: Sequence[_Line], language: Language) -> float:
    """How little a passage says twice, and how uneven its sentences are."""
    words = [word for word, _, _ in tokens_with_places(" ".join(line.text for line in lines), language)]
    lengths = [line.length for line in lines]
    variety = len(set(words)) / max(len(words), 1)
    return variety + min(pstdev(lengths) / max(fmean(lengths), 1), 1.0) / 2


def _printed(lines: Sequence[_Line]) -> str:
    paragraphs = (list(group) for _, group in groupby(lines, key=lambda line: line.paragraph))
    return "\n".join(join_sentences(line.text for line in group) for group in paragraphs)


def _overlap(one: str, other: str) -> bool:
    return bool({line for line in one.splitlines() if line} & {line for line in other.splitlines() if line}) or (
        one in other or other in one
    )
