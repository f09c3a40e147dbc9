"""Texts as pieces under a line that says whose they are: with labels for those who plan, in words for who writes."""

import re
from collections.abc import Sequence
from functools import lru_cache

from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import ContextPiece
from bookwright.models.document import Document, DocumentKind
from bookwright.models.text.prose import paragraphs
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.templates import own_template
from bookwright.storage.index.chunks import LIMIT, weigh
from bookwright.storage.index.passages import Passage

_TITLE_CHARACTERS = 60

_MOST_LINE = 3 * LIMIT
"""Weight of a line that is printed whole where a passage of it was found."""

_KNOWN_TEXTS = 128

_WORD = re.compile(r"[^\W_]+")


def summaries_of(units: Sequence[TaskNode], place: ActivityPlace) -> list[ContextPiece]:
    """Return the whole summaries of some units as pieces, in reading order."""
    by_key = {unit.key: unit for unit in units}
    found = place.stores.documents.of_nodes(by_key, DocumentKind.SUMMARY)
    pieces = [_summary_piece(document, by_key[document.node], place) for document in found]
    return sorted(pieces, key=lambda piece: piece.order)


def _summary_piece(summary: Document, unit: TaskNode, place: ActivityPlace) -> ContextPiece:
    heading = _heading_for(place, unit.label, unit.level, summary.kind, unit.title or unit.goal)
    return ContextPiece(heading, summary.text, summary.id, summary.node, unit.order)


def pieces_of(passages: Sequence[Passage], place: ActivityPlace) -> list[ContextPiece]:
    """Return the lines that retrieved passages are from, each once, with their origin, to be printed in reading order.

    A line stands whole unless it is a long paragraph, of which the passage is enough.
    """
    by_node = {passage.node for passage in passages}
    kinds = dict.fromkeys(passage.kind for passage in passages)
    texts = {document.id: document.text for document in place.stores.documents.of_nodes(by_node, *kinds)}
    found: dict[str, ContextPiece] = {}
    for passage in passages:
        heading = _heading_for(place, passage.label, passage.level, passage.kind, passage.title or passage.goal)
        for number, line in whole_lines(texts.get(passage.document, passage.text), passage.text):
            at = (*passage.order, 0, passage.document, number)
            found.setdefault(wording(line), ContextPiece(heading, line, passage.document, passage.node, at))
    return list(found.values())


def whole_lines(text: str, passage: str) -> list[tuple[int, str]]:
    """Return the lines of a text that a passage of it is from, with their numbers; of a long one the passage's part."""
    lines, wordings = _lines(text)
    found: dict[int, str] = {}
    for part in passage.split("\n"):
        told = wording(part)
        at = next((number for number, known in enumerate(wordings) if told and told in known), len(lines))
        is_short = at < len(lines) and weigh(lines[at]) <= _MOST_LINE
        found.setdefault(at, lines[at] if is_short else part)
    return list(found.items())


@lru_cache(_KNOWN_TEXTS)
def _lines(text: str) -> tuple[list[str], list[str]]:
    """The lines of a text, and what each says: passages of one text are found many at a time, and again."""
    lines = paragraphs(text)
    return lines, list(map(wording, lines))


def wording(line: str) -> str:
    """Return what a line says, without its bullets, marks and case: the same line in two documents is one."""
    return " ".join(_WORD.findall(line)).casefold()


def design_for_writer(document: Document, task: TaskNode, locale: str) -> ContextPiece:
    """Return a design under its task's title, as whoever writes prose reads it."""
    heading = _plain_heading(task.level, document.kind, task.title or task.goal, 0, locale)
    return ContextPiece(heading, document.text, document.id, document.node)


def origin_of(node: TaskNode, kind: str, locale: str) -> str:
    """Return the line that says whose text follows, such as `[1.2 chapter summary: The Door]`."""
    return _heading(node.label, node.level, kind, node.title or node.goal, locale)


def _heading_for(place: ActivityPlace, label: str, level: str, kind: str, title: str) -> str:
    if not place.is_for_writer:
        return _heading(label, level, kind, title, place.locale)
    chapters = place.reading.chapters
    number = chapters.index(label) + 1 if label in chapters else 0
    return _plain_heading(level, kind, title, number, place.locale)


def _heading(label: str, level: str, kind: str, title: str, locale: str) -> str:
    values = {"label": label, "level": level, "kind": kind, "title": title[:_TITLE_CHARACTERS]}
    return own_template("story/_origin", locale).render(values).strip()


def _plain_heading(level: str, kind: str, title: str, number: int, locale: str) -> str:
    """Return a heading in words, for eyes that know no labels, such as `Chapter 3, The Door: summary`."""
    values = {"level": level, "kind": kind, "title": title[:_TITLE_CHARACTERS], "number": number}
    return own_template("story/_heading", locale).render(values).strip()
