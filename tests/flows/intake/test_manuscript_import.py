"""Manuscripts that become books: what is in the tree at once, what looking at them costs, and how they go on."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.intake.continuation import go_on
from bookwright.flows.intake.manuscript_import import bring_in, find_imports, longest_piece
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.formats.plain_text import blocks_of
from bookwright.manuscripts.manuscript import ManuscriptSource
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage
from tests.manuscripts.novels import HABITS, Novel, write_novel
from tests.support.books import make_settings, new_library

DIGEST = "ab" * 32


@dataclass
class Stopping:
    """Asks the rehearsal author, keeps who was asked, and is killed at one of the calls."""

    inner: ModelService
    at: int | None = None
    asked: list[str] = field(default_factory=list)

    def ask(self, request: Any, *others: Any) -> Any:
        """Answer, unless this is the call at which everything ends."""
        if len(self.asked) == self.at:
            self.at = None
            raise KeyboardInterrupt
        self.asked.append(request.name)
        return self.inner.ask(request, *others)


@dataclass
class Studio:
    """A library with a rehearsal author."""

    settings: Settings
    models: Stopping

    def __post_init__(self) -> None:
        self.database = new_library(self.settings)

    def import_text(self, text: str, language: str = "en", *, piece: int | None = None, **brief: Any) -> Book:
        """Make a book of a text."""
        found = recognise(ManuscriptSource(tuple(blocks_of(text)), "txt"), Language(language))
        length = sum(Language(language).measure(chapter.text) for chapter in found.chapters)
        values = {"premise": "A keeper.", "title": "Night Watch", "language": language, "length": length}
        made = make_brief(values | {"profile": "standard"} | brief)
        return bring_in(self.database, found, made, DIGEST, piece or longest_piece(made, self.settings))

    def storage(self, book: Book) -> BookStorage:
        """Return where a book is kept."""
        return BookStorage(self.database, book.id, book.brief.language)

    def run(self, book: Book) -> Book:
        """Walk a book."""
        return run_book(book.id, RunConfig(self.settings, self.database, self.models))

    def go_on(self, book: Book, amount: int) -> Book:
        """Make a book longer."""
        with self.storage(book).write() as stores:
            return go_on(stores, stores.books.get(book.id), amount)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    settings = make_settings(tmp_path, free_megabytes=0, keep_vault=False)
    with closing(ModelService(settings)) as models:
        yield Studio(settings, Stopping(models))


def a_novel(name: str = "en figures", chapters: int = 4, paragraphs: int = 4) -> Novel:
    return write_novel(HABITS[name], chapters, paragraphs)


def test_all_of_a_manuscript_stands_in_the_tree_at_once_and_nobody_was_asked(studio: Studio):
    novel = a_novel()

    book = studio.import_text(novel.text)

    with studio.storage(book).read() as stores:
        leaves = list(stores.nodes.leaves())
        prose = [stores.documents.current(leaf.key, DocumentKind.PROSE) for leaf in leaves]
        part = stores.nodes.by_label("1.2")
        assert stores.documents.latest(DocumentKind.STYLE_GUIDE) is not None
        assert stores.nodes.root().written == book.brief.length == sum(leaf.written for leaf in leaves)
    assert [document.text for document in prose if document] == novel.bodies
    assert {document.origin for document in prose if document} == {DocumentOrigin.IMPORT}
    assert [leaf.title for leaf in leaves] == novel.headings
    assert (part.level, part.title, part.is_brought_in) == (Level.ACT, "Part One", True)
    assert studio.models.asked == []


def test_looking_at_a_manuscript_sums_up_and_extracts_each_chapter_once_and_rewrites_none(studio: Studio):
    novel = a_novel()
    book = studio.import_text(novel.text)

    finished = studio.run(book)

    asked = [name.rpartition("/")[2] for name in studio.models.asked]
    assert finished.state is BookState.FINISHED
    assert asked.count("extract") == 6
    assert asked.count("summary") == 6 + 1 + 1
    assert asked.count("book_design") == asked.count("global_state") == 1
    assert not {"draft", "quality", "improve", "review", "planner"} & set(asked)
    with studio.storage(book).read() as stores:
        texts = [stores.documents.current(leaf.key, DocumentKind.PROSE) for leaf in stores.nodes.leaves()]
        reports = [stores.documents.current(leaf.key, DocumentKind.QUALITY) for leaf in stores.nodes.leaves()]
        assert stores.documents.latest(DocumentKind.BOOK_DESIGN) is not None
        assert list(stores.queue.waiting()) == []
    assert [document.text for document in texts if document] == novel.bodies
    assert all(reports)


def test_what_waits_for_the_maintainers_is_bounded_however_many_chapters_there_are(studio: Studio):
    book = studio.import_text(a_novel("ko episodes", 17, 1).text, "ko", profile="economy")

    studio.run(book)

    asked = [name.rpartition("/")[2] for name in studio.models.asked]
    assert asked.count("book_design") == asked.count("global_state") == 3


def test_an_analysis_that_is_killed_at_any_call_goes_on_without_paying_twice(tmp_path: Path):
    novel = a_novel("en words", 2)
    settings = make_settings(tmp_path / "whole", free_megabytes=0, keep_vault=False)
    with closing(ModelService(settings)) as models:
        whole = Studio(settings, Stopping(models))
        whole.run(whole.import_text(novel.text, profile="fine"))
        names = whole.models.asked

        for at in (4, len(names) - 2):
            killed = Studio(
                make_settings(tmp_path / f"at{at}", free_megabytes=0, keep_vault=False), Stopping(models, at)
            )
            book = killed.import_text(novel.text, profile="fine")
            with pytest.raises(KeyboardInterrupt):
                killed.run(book)
            finished = killed.run(book)

            assert killed.models.asked == names
            assert finished.calls == len(names)


def test_a_finished_import_goes_on_for_as_much_as_was_asked_at_the_level_of_its_chapters(studio: Studio):
    novel = a_novel("ja chapters", 3, 3)
    book = studio.run(studio.import_text(novel.text, "ja", profile="economy"))
    before = book.brief.length

    longer = studio.go_on(book, 600)
    finished = studio.run(longer)

    with studio.storage(book).read() as stores:
        root = stores.nodes.root()
        chapters = stores.nodes.children(root.key, TaskType.WRITE)
    own = len(novel.headings)
    assert longer.state is BookState.PAUSED
    assert finished.brief.length == root.length == before + 600
    assert abs(root.written - root.length) < 0.03 * root.length
    assert {chapter.level for chapter in chapters} == {Level.CHAPTER}
    assert [chapter.is_brought_in for chapter in chapters] == [True] * own + [False] * (len(chapters) - own)
    assert len(chapters) > own
    assert chapters[own - 1].is_last is False


def test_what_was_brought_in_is_looked_at_before_anything_is_planned(studio: Studio):
    book = studio.import_text(a_novel("zh", 3, 4).text, "zh", profile="economy")

    studio.run(studio.go_on(book, 300))

    asked = [name.rpartition("/")[2] for name in studio.models.asked]
    assert asked.index("planner") > [place for place, name in enumerate(asked) if name == "summary"][4]
    assert asked.index("planner") > asked.index("book_design")


def test_what_still_belongs_to_the_last_part_is_written_in_it(studio: Studio):
    book = studio.run(studio.import_text(a_novel("ko", 3, 3).text, "ko", profile="economy"))

    studio.run(studio.go_on(book, 200))

    with studio.storage(book).read() as stores:
        root = stores.nodes.root()
        parts = stores.nodes.children(root.key, TaskType.WRITE)
        last = stores.nodes.children(parts[-1].key, TaskType.WRITE)
    assert [part.level for part in parts] == [Level.CHAPTER, Level.ACT]
    assert last[-1].is_brought_in is False
    assert {parts[-1].status, root.status} == {NodeStatus.DONE}


def test_a_book_that_is_still_being_written_cannot_be_gone_on_with(studio: Studio):
    book = studio.go_on(studio.import_text(a_novel().text), 500)

    with pytest.raises(InvalidInput, match="still to be written"):
        studio.go_on(book, 500)


@pytest.mark.parametrize(
    ("amount", "words"),
    [(0, "0 words are too little"), (-5, "-5 words are too little"), (10**9, "at most 10,000,000 words")],
)
def test_an_impossible_amount_is_refused(studio: Studio, amount: int, words: str):
    book = studio.import_text(a_novel().text)

    with pytest.raises(InvalidInput, match=words):
        studio.go_on(book, amount)


def test_a_chapter_too_long_for_one_look_is_summed_up_in_pieces(studio: Studio):
    novel = a_novel("en words", 2, 20)
    book = studio.import_text(novel.text, piece=300, profile="economy")

    studio.run(book)

    with studio.storage(book).read() as stores:
        chapter = stores.nodes.by_label("1.1")
        pieces = stores.nodes.children(chapter.key, TaskType.WRITE)
        summaries = stores.documents.of_nodes([piece.key for piece in pieces], DocumentKind.SUMMARY)
        texts = [stores.documents.current(piece.key, DocumentKind.PROSE) for piece in pieces]
    assert {piece.level for piece in pieces} == {Level.SCENE}
    assert len(summaries) == len(pieces) > 2
    assert "\n\n".join(text.text for text in texts if text) == novel.bodies[0]


def test_a_file_is_known_again_by_its_content(studio: Studio):
    novel = a_novel()

    first = studio.import_text(novel.text)
    second = studio.import_text(novel.text, title="Another Name")

    assert {book.id for book in find_imports(studio.database, DIGEST)} == {first.id, second.id}
    assert find_imports(studio.database, "cd" * 32) == []


def test_a_copy_that_was_deleted_gives_its_name_to_the_next_one(studio: Studio):
    novel = a_novel()
    first, second, third = (studio.import_text(novel.text) for _ in range(3))
    with studio.storage(second).write() as stores:
        stores.books.delete(second.id)

    fourth = studio.import_text(novel.text)

    assert [second.id, third.id, fourth.id] == [f"{first.id}-2", f"{first.id}-3", f"{first.id}-2"]


def test_however_little_is_to_come_it_is_written(studio: Studio):
    book = studio.run(studio.import_text(a_novel("en words", 2, 12).text, profile="economy"))

    finished = studio.run(studio.go_on(book, 60))

    with studio.storage(book).read() as stores:
        chapters = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
    assert len(chapters) == 3
    assert abs(chapters[-1].written - 60) <= 9
    assert finished.brief.length == book.brief.length + 60
