"""The order of a book, and notes for its model, given while it is written: taken in between two activities."""

import threading
from collections.abc import Callable
from contextlib import closing

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import save_or_queue
from bookwright.app.comments import comment_on
from bookwright.app.status.books import ask_to_rest
from bookwright.app.text_orders import give_order, order_of
from bookwright.flows.deps import RunObserver
from bookwright.flows.open_book import RunConfig
from bookwright.flows.revision.edits import brief_seen
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.edit import Anchor, BriefEdit, EditState
from bookwright.models.errors import BookPaused
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.pages import StepFilter
from tests.flows.revision.changed import Written


class Author(RunObserver):
    """Does something, as a person at a page does, once the second chapter is laid out."""

    def __init__(self, does: Callable[[], None]) -> None:
        self.does = does
        self.is_done = False

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        work()
        if activity is Activity.DIVIDE and not self.is_done:
            self.is_done = True
            thread = threading.Thread(target=self.does)  # a page is another process
            thread.start()
            thread.join()


on_resting = pytest.mark.parametrize("copied", ["resting"], indirect=True)


@pytest.fixture
def opened(copied: Written) -> OpenBook:
    storage, settings = copied
    with storage.read() as stores:
        return OpenBook(settings, storage, stores.books.get(storage.book))


@on_resting
def test_a_book_goes_on_under_the_order_as_it_was_changed(opened: OpenBook) -> None:
    def change() -> None:
        brief = opened.book.brief
        wanted = brief.model_dump(mode="json") | {"genre": "a farce in velvet"}
        save_or_queue(opened, BriefEdit(brief=wanted, seen=brief_seen(brief)))

    finished = _written(opened, Author(change))

    assert (finished.state, finished.brief.genre) == (BookState.FINISHED, "a farce in velvet")
    with opened.storage.read() as stores:
        [queued] = stores.edits.newest()
        steps = stores.step_pages.page(StepFilter(), limit=1_000)
        prompts = [(line.step, "".join(stores.steps.prompt(line.id))) for line in reversed(steps)]
    told = [step for step, prompt in prompts if "a farce in velvet" in prompt]
    assert queued.state is EditState.TAKEN
    assert told[0] == "draft"
    assert told.count("draft") == 1  # the second chapter's; the first was written before
    assert {"first_read", "cold_read"} <= set(told)  # as those are who know the order by the walk that goes on alone


@on_resting
def test_a_wish_that_it_rest_outlives_the_change_of_its_order(opened: OpenBook) -> None:
    def change_and_pause() -> None:
        brief = opened.book.brief
        save_or_queue(
            opened, BriefEdit(brief=brief.model_dump(mode="json") | {"genre": "a farce"}, seen=brief_seen(brief))
        )
        assert ask_to_rest(opened).is_asked

    with pytest.raises(BookPaused, match="asked to rest"):
        _written(opened, Author(change_and_pause))
    rested = _stored(opened)
    finished = _written(opened, RunObserver())

    assert (rested.state, rested.brief.genre, rested.stop_requested) == (BookState.PAUSED, "a farce", False)
    assert finished.state is BookState.FINISHED


@on_resting
def test_a_wish_that_it_rest_outlives_a_change_that_is_made_while_nobody_holds_the_book(opened: OpenBook) -> None:
    assert ask_to_rest(opened).is_asked
    brief = opened.book.brief
    saved = save_or_queue(
        opened, BriefEdit(brief=brief.model_dump(mode="json") | {"pen_name": "Ann"}, seen=brief_seen(brief))
    )

    with pytest.raises(BookPaused, match="asked to rest"):
        _written(opened, RunObserver())

    assert saved.queued is None
    assert (_stored(opened).brief.pen_name, _stored(opened).calls) == ("Ann", opened.book.calls)


@on_resting
def test_a_note_is_seen_to_by_whoever_writes_the_book(opened: OpenBook) -> None:
    with opened.storage.read() as stores:
        label = stores.codex.reading_order().chapters[0]

    def remark() -> None:
        with opened.storage.read() as stores:
            text = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
        assert text is not None
        number = comment_on(opened, [label], Anchor(quote=" ".join(text.text.split()[:3])), "Say it more plainly.")
        with opened.storage.read() as stores:
            held = OpenBook(opened.settings, opened.storage, stores.books.get(opened.book.id))
        assert give_order(held, order_of(held, number))

    finished = _written(opened, Author(remark))

    assert finished.state is BookState.FINISHED
    with opened.storage.read() as stores:
        [queued] = stores.edits.newest()
        chapter = stores.nodes.by_label(label)
        versions = stores.documents.versions(chapter.key, DocumentKind.PROSE)
    assert (queued.state, queued.outcome) == (EditState.TAKEN, "")
    assert [one.origin for one in versions].count(DocumentOrigin.NOTE) == 1
    assert "Say it more plainly." in next(one.note for one in versions if one.origin is DocumentOrigin.NOTE)


def _written(opened: OpenBook, author: RunObserver) -> Book:
    with closing(ModelService(opened.settings)) as models:
        return run_book(opened.book.id, RunConfig(opened.settings, opened.storage.database, models, author))


def _stored(opened: OpenBook) -> Book:
    with opened.storage.read() as stores:
        return stores.books.get(opened.book.id)
