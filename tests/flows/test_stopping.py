"""Where a run rests: after a chapter, also of scenes, and at SIGTERM and Ctrl-C, at whatever moment they come."""

import signal
from contextlib import closing
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits, stopping
from bookwright.models.errors import BookPaused
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book, make_brief_of, make_settings

SHORT = {"length": 2_400, "max_unit_length": 900, "max_planning_rounds": 1, "profile": "economy"}


def test_a_short_book_rests_after_the_scene_that_is_its_first_chapter(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    database = open_library(settings)
    book = find_or_create(database, make_brief_of(**SHORT))
    with closing(ModelService(settings)) as models:
        around = RunConfig(settings, database, models, limits=Limits.parse("chapter 1", None))
        with pytest.raises(BookPaused, match="reached chapter 1"):
            run_book(book.id, around)
        with pytest.raises(BookPaused, match="reached chapter 1"):  # and stays there
            run_book(book.id, around)

    with BookStorage(database, book.id, book.brief.language).read() as stores:
        units = [unit for unit in stores.nodes.leaves() if unit.status is NodeStatus.DONE]
    database.dispose()
    assert [unit.level for unit in units] == [Level.SCENE]


LONG = 3_600


@pytest.fixture
def journal(tmp_path):
    """The journal of a book that is held."""
    storage = make_book(make_settings(tmp_path), [])
    with storage.write() as stores:
        return Journal(storage, Lease.take(stores.connection, storage.book, "the test", 60))


def test_a_signal_before_there_is_a_journal_is_heard_by_it(journal):
    with stopping(LONG, lambda: None) as stop:
        signal.raise_signal(signal.SIGTERM)
        stop.tell(journal)

    assert journal.stop_requested


def test_the_first_signal_awaits_the_call_even_where_a_rest_was_asked_for_before(journal):
    cancelled = []

    with stopping(LONG, lambda: cancelled.append("call")) as stop:
        stop.tell(journal)
        journal.stop_requested = True  # as `bookwright pause` does from elsewhere
        signal.raise_signal(signal.SIGINT)
        after_one = list(cancelled)
        signal.raise_signal(signal.SIGTERM)

    assert (after_one, cancelled) == ([], ["call"])


def test_the_signals_are_as_they_were_afterwards():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    with stopping(LONG, lambda: None):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != before

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
