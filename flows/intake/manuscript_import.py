"""Imports a manuscript as a book: its chapters are nodes with their prose, written and not yet closed.

The walk does the rest as with any book whose chapters are written: it closes each, which makes its summary and takes it
into the codex and the state, and then the book.
"""

import re
from collections.abc import Sequence
from itertools import chain, count

from bookwright.agents.backends.windows import window_of, with_windows
from bookwright.agents.relay.style_guide import guide_of_chapters, keep_guide
from bookwright.failpoints import Failpoint
from bookwright.flows.book_models import names_of
from bookwright.flows.library import slug_of
from bookwright.manuscripts.cutting import pieces_of
from bookwright.manuscripts.manuscript import FoundBook, FoundChapter, opening_of
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.settings import Settings
from bookwright.models.text.figures import ENOUGH
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level, level_of_parts
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import Stores

_LONGEST_PIECE = {"words": 8_000, "characters": 12_000}
_TOKENS_A_UNIT = 1.6
_WINDOW_PART = 4
"""A text to be summed up takes at most this part of a window."""

_GOAL_LETTERS = 160
_DIGEST_LETTERS = 8
_LEAST_STYLE = 100
"""Words, or characters, below which a text tells no style."""


def find_imports(database: Database, digest: str) -> list[Book]:
    """Return the books that were made of the file with this hash, the newest first."""
    ending = re.compile(rf"-{digest[:_DIGEST_LETTERS]}(?:-\d+)?$")
    with database.read() as connection:
        return [book for book in BookRepository(connection).all(with_archived=True) if ending.search(book.id)]


def longest_piece(brief: Brief, settings: Settings) -> int:
    """Return how long a text may be that the models of a book are to sum up at one look, in the book's unit."""
    names = names_of(brief, settings)
    asked = with_windows(names, settings)
    window = min(window_of(name, asked).tokens for name in names)
    return min(_LONGEST_PIECE[brief.length_unit], round(window / _WINDOW_PART / _TOKENS_A_UNIT))


def bring_in(database: Database, found: FoundBook, brief: Brief, digest: str, piece: int) -> Book:
    """Make a book of what was found in the file with this hash; `piece` is how long a chapter in one piece may be."""
    with database.write(Failpoint.CREATE_BOOK) as connection:
        books = BookRepository(connection)
        first = f"{slug_of(brief.title)}-{digest[:_DIGEST_LETTERS]}"
        names = chain([first], (f"{first}-{copy}" for copy in count(2)))
        name = next(name for name in names if books.find(name) is None)
        books.create(name, brief)
        _Bringing(Stores(connection, name, brief.language.measure), brief, piece).run(found)
        books.change(
            name,
            reason="its text was imported",
            advice=f"`bookwright resume {name}` has it looked at chapter by chapter",
        )
        return books.get(name)


class _Bringing:
    def __init__(self, stores: Stores, brief: Brief, piece: int) -> None:
        self._stores = stores
        self._brief = brief
        self._piece = piece
        self._measure = brief.language.measure

    def run(self, found: FoundBook) -> None:
        """Add the root, the parts, the chapters and their prose."""
        root = self._stores.nodes.add_root(self._brief.title, self._brief.premise, self._brief.length)
        top = _grouped(found)
        written = 0
        for index, (part, chapters) in enumerate(top, 1):
            is_last = index == len(top)
            if part is None:
                written += self._chapter(root, chapters[0], index, is_last)
            else:
                written += self._part(root, found, part, chapters, index, is_last)
        level = self._part_level(found) if found.parts and top[-1][0] is not None else Level.CHAPTER
        self._divided(root, level, written)
        self._keep_style(found)

    def _part(
        self, root: TaskNode, found: FoundBook, part: int, chapters: Sequence[FoundChapter], index: int, is_last: bool
    ) -> int:
        name = found.parts[part].name
        unit = self._add(root, name, name, self._part_level(found), index, is_last, 1)
        length = sum(
            self._chapter(unit, chapter, place, place == len(chapters)) for place, chapter in enumerate(chapters, 1)
        )
        self._divided(unit, Level.CHAPTER, length)
        return length

    def _chapter(self, parent: TaskNode, chapter: FoundChapter, index: int, is_last: bool) -> int:
        length = self._length(chapter)
        goal = (chapter.heading or chapter.opening)[:_GOAL_LETTERS]
        unit = self._add(parent, chapter.name, goal, Level.CHAPTER, index, is_last, length)
        pieces = list(pieces_of(chapter.paragraphs, self._brief.language, self._piece))
        if length <= self._piece or len(pieces) < 2:
            self._prose(unit, chapter.text, length)
            return length
        return self._in_pieces(unit, pieces)

    def _in_pieces(self, unit: TaskNode, pieces: Sequence[Sequence[str]]) -> int:
        """Put a chapter that nobody could sum up at one look below its node; return its length."""
        whole = 0
        for place, piece in enumerate(pieces, 1):
            text, goal = "\n\n".join(piece), opening_of(piece)[:_GOAL_LETTERS]
            length = self._measure(text)
            part = self._add(unit, f"{place}", goal, Level.SCENE, place, place == len(pieces), length)
            self._prose(part, text, length)
            whole += length
        self._divided(unit, Level.SCENE, whole)
        return whole

    def _add(
        self, parent: TaskNode, title: str, goal: str, level: Level, index: int, is_last: bool, length: int
    ) -> TaskNode:
        item = PlanNode(
            task_type=TaskType.WRITE, title=title[:120], goal=goal.strip() or title or "-", length=max(length, 1)
        )
        [unit] = self._stores.nodes.add(parent, [item], level=level.value, unit_index=index, is_last=is_last)
        return unit

    def _prose(self, unit: TaskNode, text: str, length: int) -> None:
        new = NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text, origin=DocumentOrigin.IMPORT)
        self._stores.documents.add(new, None)
        decision = Decision.PROCEED_TO_WRITE.value
        self._stores.nodes.change(
            unit.key, status=NodeStatus.WRITTEN.value, decision=decision, written=length, is_brought_in=True
        )

    def _divided(self, unit: TaskNode, level: Level, written: int) -> None:
        self._stores.nodes.change(
            unit.key, decision=Decision.DIVIDE_HIERARCHY.value, child_level=level.value, written=written,
            length=max(written, 1), is_brought_in=True,
        )  # fmt: skip

    def _part_level(self, found: FoundBook) -> Level:
        return level_of_parts(self._brief.length / max(len(found.parts), 1), self._brief.length_unit)

    def _length(self, chapter: FoundChapter) -> int:
        return sum(map(self._measure, chapter.paragraphs))

    def _keep_style(self, found: FoundBook) -> None:
        """Measure the style of the first chapters, which whoever writes on has to keep."""
        texts, length = [], 0
        for chapter in found.chapters:
            texts.append(chapter.text)
            length += self._length(chapter)
            if length >= ENOUGH[self._brief.length_unit]:
                break
        if length >= _LEAST_STYLE:
            keep_guide(guide_of_chapters(texts, self._brief), self._brief, self._stores, DocumentOrigin.IMPORT)


def _grouped(found: FoundBook) -> list[tuple[int | None, list[FoundChapter]]]:
    """Return what stands directly below the book: parts with their chapters, and chapters that are in none."""
    groups: list[tuple[int | None, list[FoundChapter]]] = []
    for chapter in found.chapters:
        if chapter.part is not None and groups and groups[-1][0] == chapter.part:
            groups[-1][1].append(chapter)
        else:
            groups.append((chapter.part, [chapter]))
    return groups
