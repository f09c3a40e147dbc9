"""Books written along an author's outline: its chapters are made in its order, and nobody is asked what they are."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidBrief
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import BookStorage
from tests.flows.intake.test_manuscript_import import Stopping
from tests.support.books import make_brief_of, make_settings, new_library

OUTLINE = """\
# The Lamp

A keeper finds a log in her own hand.

## Chapter 1: The Log

Ada finds the log.

The lamp fails at nine. She does not light it again.

## Chapter 2: The Boat

Goal: The wrong man comes.

## Chapter 3: Tide
"""
PARTS = "# T\n## Part One\n### Chapter 1: A\n### Chapter 2: B\n## Part Two\n### Chapter 3: C\n"


class Desk:
    """A library, and who was asked in it."""

    def __init__(self, home: Path, models: ModelService) -> None:
        self.settings = make_settings(home, free_megabytes=0, keep_vault=False)
        self.database = new_library(self.settings)
        self.models = Stopping(models)

    def begin(self, outline: str, length: int, **brief: object) -> Book:
        """Make a book of an outline."""
        values = {"title": "The Lamp", "profile": "economy", "outline": outline, "length": length} | brief
        return find_or_create(self.database, make_brief_of(**values))

    def write(self, outline: str, length: int, **brief: object) -> BookStorage:
        """Make a book of an outline and write it."""
        book = self.begin(outline, length, **brief)
        run_book(book.id, RunConfig(self.settings, self.database, self.models))
        return BookStorage(self.database, book.id, book.brief.language)

    def asked(self, step: str) -> list[str]:
        """Return the labels of the nodes at which an activity asked somebody."""
        return [name.partition(" ")[0] for name in self.models.asked if name.partition(" ")[2].startswith(f"{step}/")]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with closing(ModelService(make_settings(tmp_path, free_megabytes=0))) as models:
        yield Desk(tmp_path, models)


def chapters(storage: BookStorage, label: str = "1") -> list[TaskNode]:
    with storage.read() as stores:
        return stores.nodes.children(stores.nodes.by_label(label).key, TaskType.WRITE)


def test_an_outline_is_kept_as_the_books_design_before_anybody_is_asked(desk: Desk):
    book = desk.begin(OUTLINE, 900)

    with BookStorage(desk.database, book.id, book.brief.language).read() as stores:
        kept = stores.documents.latest(DocumentKind.OUTLINE)
        design = stores.documents.latest(DocumentKind.DESIGN)
        waiting = [(kind, document) for _, kind, document in stores.queue.waiting()]
        assert stores.nodes.root().child_level is Level.CHAPTER
    assert kept is not None
    assert kept.text == OUTLINE.strip()
    assert design is not None
    assert design.origin is DocumentOrigin.AUTHOR
    assert "Chapter 2: The Boat: The wrong man comes." in design.text
    assert waiting == [(DocumentKind.BOOK_DESIGN, design.id)]
    assert book.brief.outline == ""


def test_a_whole_outline_is_written_in_its_order_without_asking_for_a_division(desk: Desk):
    storage = desk.write(OUTLINE, 900)

    units = chapters(storage)
    assert [unit.title for unit in units] == ["Chapter 1: The Log", "Chapter 2: The Boat", "Chapter 3: Tide"]
    assert [unit.goal for unit in units] == ["Ada finds the log.", "The wrong man comes.", "Chapter 3: Tide"]
    assert units[0].length == 300
    assert [unit.is_last for unit in units] == [False, False, True]
    assert desk.asked("divide") == []
    with storage.read() as stores:
        root = stores.nodes.root()
        [notes] = stores.nodes.children(units[0].key, TaskType.DESIGN)
        document = stores.documents.current(notes.key, DocumentKind.DESIGN)
    assert abs(root.written - 900) <= 27
    assert document is not None
    assert document.text == "The lamp fails at nine. She does not light it again."


def test_chapters_with_a_design_are_not_planned_and_those_without_one_are(desk: Desk):
    text = "# A\n\nAda finds it.\n\n- The bell rings.\n\n# B\n\nThe wrong man comes.\n"

    storage = desk.write(text, 120, profile="standard", max_planning_rounds=1)

    first, second = chapters(storage)
    planned = set(desk.asked("plan"))
    assert second.label in planned
    assert first.label not in planned
    assert first.label in desk.asked("write")


def test_an_outline_that_is_only_a_beginning_is_gone_on_with_by_the_walk(desk: Desk):
    text = "## Chapter 1: The Log (200 words)\n\nAda finds it.\n\n## Chapter 2: The Boat (200 words)\n"

    storage = desk.write(text, 800, max_unit_length=200)

    units = chapters(storage)
    assert [unit.title for unit in units[:2]] == ["Chapter 1: The Log", "Chapter 2: The Boat"]
    assert [unit.length for unit in units[:2]] == [200, 200]
    assert len(units) > 3
    assert len(desk.asked("divide")) >= len(units) - 2
    assert {unit.level for unit in units} == {Level.CHAPTER}
    assert units[-1].is_last


def test_parts_hold_their_own_chapters(desk: Desk):
    storage = desk.write(PARTS, 360)

    parts = chapters(storage)
    assert [(part.title, part.level) for part in parts] == [("Part One", Level.ACT), ("Part Two", Level.ACT)]
    assert [unit.title for part in parts for unit in chapters(storage, part.label)] == [
        "Chapter 1: A", "Chapter 2: B", "Chapter 3: C",
    ]  # fmt: skip
    assert parts[0].length == 240
    assert desk.asked("divide") == []


def test_volumes_hold_parts_and_parts_chapters(desk: Desk):
    text = (
        "# T\n## Volume 1\n### Part 1\n#### Chapter 1: A\n#### Chapter 2: B\n"
        "## Volume 2\n### Part 2\n#### Chapter 3: C\n"
    )

    storage = desk.write(text, 360)

    with storage.read() as stores:
        units = [(unit.depth, unit.level, unit.title) for unit in stores.nodes.walk(TaskType.WRITE)][1:]
    assert units == [
        (1, Level.VOLUME, "Volume 1"), (2, Level.ACT, "Part 1"),
        (3, Level.CHAPTER, "Chapter 1: A"), (3, Level.CHAPTER, "Chapter 2: B"),
        (1, Level.VOLUME, "Volume 2"), (2, Level.ACT, "Part 2"), (3, Level.CHAPTER, "Chapter 3: C"),
    ]  # fmt: skip
    assert desk.asked("divide") == []


def test_another_outline_means_another_book_and_the_same_one_the_same(desk: Desk):
    first = desk.begin(OUTLINE, 900)

    assert desk.begin(OUTLINE, 900).id == first.id
    assert desk.begin(f"{OUTLINE}\n## Chapter 4\n", 900).id != first.id


@pytest.mark.parametrize(
    ("outline", "complaint"),
    [("No chapters here.", "names no chapters"), ("# A (800 words)\n\n# B (900 words)", "1,700 words together")],
)
def test_an_outline_that_makes_no_book_leaves_none_behind(desk: Desk, outline: str, complaint: str):
    with pytest.raises(InvalidBrief, match=complaint):
        desk.begin(outline, 900)

    with desk.database.read() as connection:
        from bookwright.storage.repositories.books import BookRepository

        assert BookRepository(connection).all() == []
