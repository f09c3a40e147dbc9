"""A book as it is read: its cover, then parts and chapters in order, one chapter's text at a time.

A book of designs is read, too: its pages by stage, in the order in which they were made.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, islice, takewhile
from typing import ClassVar

from bookwright.exports.headings import Numbering
from bookwright.exports.markup import clean, plain_paragraphs
from bookwright.manuscripts.headings.lines import Rank
from bookwright.models.document import DocumentKind, Source
from bookwright.models.text.figures import ENOUGH
from bookwright.models.text.language import Language
from bookwright.models.text.prose import is_scene_break, paragraphs
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import BookStorage, Stores

Scene = tuple[str, ...]
"""The paragraphs between two scene breaks."""


@dataclass(frozen=True)
class Cover:
    """What stands on the book's outside."""

    identity: str
    title: str
    author: str
    """The pen name; empty if there is none."""
    contact: str
    """How the author is reached, one thing a line; empty if the brief does not say."""
    language: Language
    blurb: str
    modified: datetime


@dataclass(frozen=True)
class ManuscriptPart:
    """A volume or an act: a heading above chapters."""

    unit: TaskNode
    heading: str
    depth: int
    """How many parts stand above."""
    is_bare: ClassVar[bool] = False


@dataclass(frozen=True)
class Chapter:
    """A headed piece of prose: a chapter, or the unit that stands in a chapter's place."""

    unit: TaskNode
    heading: str
    """Empty where the book is one piece, whose title is heading enough, and where its author has none."""
    depth: int
    is_bare: bool = False
    """It has no heading, as its author has it, and is not the first of the book."""
    runs_on: bool = False
    """It is bare, and no heading of a part stands before it either."""


Section = ManuscriptPart | Chapter

_PAGES = (DocumentKind.DESIGN, DocumentKind.FINDINGS)
"""The documents that are the pages of a book of designs."""


class Manuscript:
    """The written part of one book. Each look into the database is short."""

    def __init__(self, storage: BookStorage) -> None:
        self.storage = storage

    def cover(self) -> Cover:
        """Return the title, author and blurb."""
        with self.storage.read() as stores:
            book = stores.books.get(self.storage.book)
            blurb = stores.documents.latest(DocumentKind.BLURB)
        return Cover(
            identity=book.id,
            title=clean(" ".join(book.title.split())),
            author=clean(book.brief.pen_name),
            contact=clean(book.brief.contact),
            language=self.storage.language,
            blurb=clean(blurb.text.strip()) if blurb else "",
            modified=datetime.fromtimestamp(book.updated_at, UTC),
        )

    def length(self) -> int:
        """Return how much is written, in the language's unit."""
        with self.storage.read() as stores:
            return stores.nodes.root().written

    def sources(self) -> tuple[Source, ...]:
        """Return the pages outside the book that it rests on."""
        with self.storage.read() as stores:
            return stores.documents.sources()

    def sections(self, label: str = "1") -> Iterator[Section]:
        """Yield parts and chapters in reading order: those of one node, or of all.

        A node that lies inside a chapter is yielded as a chapter under its own title.

        Raises:
            NodeNotFound: The book has no such node.
        """
        with self.storage.read() as stores:
            wanted = stores.nodes.by_label(label)
            root = stores.nodes.root()
            pages = pages_of(root, stores)
        found = False
        below = _by_stage(pages) if pages else self._below(root, depth=0, numbers=Numbering(self.storage.language))
        for section in below:
            if section.unit.order[: len(wanted.order)] == wanted.order:
                found = True
                yield section
        if not found and wanted.is_unit and wanted.written:
            yield Chapter(wanted, clean(wanted.title), 0)

    def chapters(self) -> Iterator[Chapter]:
        """Yield all chapters in reading order."""
        return (section for section in self.sections() if isinstance(section, Chapter))

    def scenes(self, chapter: Chapter) -> list[Scene]:
        """Return a chapter's text, cut where a new scene begins.

        Scenes of the tree are set apart; beats and paragraphs run on, being parts of one scene, and so does what
        an author brought along, which has its own breaks. A break before a chapter that runs on is an empty scene.
        """
        with self.storage.read() as stores:
            if not chapter.unit.is_unit:
                page = stores.documents.of_nodes([chapter.unit.key], *_PAGES)
                return [tuple(plain_paragraphs(clean(page[0].text if page else "")))]
            parts = stores.nodes.child_units(chapter.unit.key)
            pieces = [[prose.text for _, prose in stores.prose_below(part)] for part in parts or [chapter.unit]]
        if parts and (parts[0].level is not Level.SCENE or chapter.unit.is_brought_in):
            pieces = [[text for piece in pieces for text in piece]]
        is_apart = chapter.runs_on and (not chapter.unit.is_brought_in or _begins_with_break(pieces))
        return [()] * is_apart + [scene for piece in pieces for scene in _cut("\n\n".join(piece))]

    def _below(self, unit: TaskNode, depth: int, numbers: Numbering) -> Iterator[Section]:
        """Yield what is written of a unit: one chapter, or a part and the chapters in it."""
        if not unit.written:
            return
        with self.storage.read() as stores:
            children = stores.nodes.child_units(unit.key) if unit.level.is_at_least(Level.ACT) else []
        if not children:
            yield self._chapter(unit, depth, numbers)
            return
        if unit.level is not Level.BOOK:
            is_own = unit.is_brought_in or children[0].is_brought_in
            index = unit.unit_index or unit.ordinal
            yield ManuscriptPart(unit, numbers.part(unit.level, index, clean(unit.title), is_own=is_own), depth)
            depth += 1
        for child in children:
            yield from self._below(child, depth, numbers)

    def _chapter(self, unit: TaskNode, depth: int, numbers: Numbering) -> Chapter:
        if unit.level is Level.BOOK:
            return Chapter(unit, "", depth)
        before = numbers.before
        heading = numbers.chapter(clean(unit.title), is_own=unit.is_brought_in)
        is_bare = not heading and before is not None
        return Chapter(unit, heading, depth, is_bare, runs_on=is_bare and before is Rank.CHAPTER)


def pages_of(root: TaskNode, stores: Stores) -> list[TaskNode]:
    """Return the tasks whose documents are the book, in reading order; none where it has prose, or nothing yet."""
    if not root.written or stores.nodes.child_units(root.key):
        return []
    if stores.documents.current(root.key, DocumentKind.PROSE, with_text=False) is not None:
        return []
    tasks = [page for task in stores.nodes.children(root.key) for page in (task, *stores.nodes.children(task.key))]
    kept = {document.node for document in stores.documents.of_nodes([task.key for task in tasks], *_PAGES)}
    return [task for task in tasks if task.key in kept]


def _by_stage(pages: list[TaskNode]) -> Iterator[Section]:
    """Yield the pages of a book of designs under the names of their stages; a page is headed by its title alone."""
    for stage, some in groupby(pages, key=lambda page: clean(page.stage_title)):
        own = list(some)
        if stage:
            yield ManuscriptPart(own[0], stage, 0)
        for page in own:
            yield Chapter(page, clean(page.title), 1 if stage else 0)


def _begins_with_break(pieces: list[list[str]]) -> bool:
    first = next((paragraph for piece in pieces for text in piece for paragraph in paragraphs(text)[:1]), "")
    return bool(first) and is_scene_break(first)


def _cut(text: str) -> list[Scene]:
    """Cut a text at the scene breaks that its author set."""
    pieces = groupby(paragraphs(clean(text)), key=is_scene_break)
    return [tuple(scene) for is_break, scene in pieces if not is_break]


def chapter_texts(storage: BookStorage) -> Iterator[tuple[Chapter, str]]:
    """Yield the written chapters in reading order, each with its text."""
    manuscript = Manuscript(storage)
    for chapter in manuscript.chapters():
        text = "\n\n".join(paragraph for scene in manuscript.scenes(chapter) for paragraph in scene)
        if text:
            yield chapter, text


def first_chapters(storage: BookStorage, count: int | None = None) -> list[str]:
    """Return the texts of the first chapters: so many, or as many as are enough to tell a style."""
    texts = (text for _, text in chapter_texts(storage))
    return list(islice(texts, count)) if count else _enough(texts, storage)[0]


def accepted_beginning(storage: BookStorage) -> list[str]:
    """Return the closed chapters that the book begins with, if they are enough to tell its style; else none."""
    closed = takewhile(lambda pair: pair[0].unit.status is NodeStatus.DONE, chapter_texts(storage))
    texts, is_enough = _enough((text for _, text in closed), storage)
    return texts if is_enough else []


def _enough(texts: Iterator[str], storage: BookStorage) -> tuple[list[str], bool]:
    """Take texts until they are enough to tell a style; return them, and whether they are."""
    found: list[str] = []
    left = ENOUGH[storage.language.length_unit]
    for text in texts:
        found.append(text)
        left -= storage.language.measure(text)
        if left <= 0:
            return found, True
    return found, False
