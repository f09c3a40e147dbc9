"""What a walk says on its bus, and that nobody who listens can change the book."""

import io
import threading
from contextlib import closing

import pytest
from rich.console import Console

from bookwright.agents.backends.service import ModelService
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.events.event_file import EventReader, event_path
from bookwright.cli.writing.live import LiveView, PlainView, StreamView
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.text import body
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.brief import make_brief
from bookwright.models.talk.event import STEP, UNIT_FINISHED, AgentEvent, CompletedEvent, TextEvent
from bookwright.storage.stores import BookStorage
from tests.support.books import make_settings, new_library

BRIEF = {"premise": "A keeper counts ships.", "length": 400, "profile": "economy", "title": "Ships"}


def written(home, *handlers, close_seconds=60):
    """Write the book with these subscribers; return its text and how many calls it took."""
    settings = make_settings(home, free_megabytes=0)
    database = new_library(settings)
    book = find_or_create(database, make_brief(BRIEF))
    storage = BookStorage(database, book.id, book.brief.language)
    with closing(ModelService(settings)) as models:
        bus = EventBus()
        for handler in handlers:
            bus.on("*", handler)
        finished = run_book(book.id, RunConfig(settings, database, models, events=bus))
        bus.close(close_seconds)
    text = "".join(body(Manuscript(storage), "1"))
    database.dispose()
    return text, finished.calls, finished.cost


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The book as it is where nobody listens."""
    return written(tmp_path_factory.mktemp("undisturbed"))


def test_a_subscriber_that_raises_changes_neither_text_nor_calls(tmp_path, undisturbed):
    def raises(event):
        raise SystemExit(1)

    assert written(tmp_path, raises) == undisturbed


def test_a_subscriber_that_sleeps_changes_neither_text_nor_calls(tmp_path, undisturbed):
    awake = threading.Event()

    found = written(tmp_path, lambda event: awake.wait(60), close_seconds=0.05)
    was_asleep = not awake.is_set()
    awake.set()

    assert was_asleep
    assert found == undisturbed


def test_an_event_file_that_cannot_be_written_changes_neither_text_nor_calls(tmp_path, undisturbed):
    (tmp_path / "events").write_text("a file where the folder should be")

    assert written(tmp_path) == undisturbed


def test_every_call_step_and_unit_is_said_and_kept(tmp_path, undisturbed):
    heard = []

    text, calls, _ = written(tmp_path, heard.append)

    ends = [event for event in heard if isinstance(event, CompletedEvent)]
    steps = [event for event in heard if isinstance(event, AgentEvent) and event.payload.name == STEP]
    units = [event for event in heard if isinstance(event, AgentEvent) and event.payload.name == UNIT_FINISHED]
    assert (text, len(ends), len(steps)) == (undisturbed[0], calls, calls)
    assert [event.task_id for event in ends] == [event.task_id for event in steps]
    assert units[-1].payload.data["bookWritten"] == units[-1].payload.data["written"]
    assert units[-1].payload.data["lastStep"] >= steps[-2].payload.data["id"] - 1
    for end in ends:
        pieces = [e.payload.text for e in heard if isinstance(e, TextEvent) and e.task_id == end.task_id]
        assert "".join(pieces) == end.payload.text
        assert end.payload.metrics.assistant_chars == len(end.payload.text)
    [book] = {event.tab_id for event in heard}
    with EventReader(event_path(tmp_path, book)) as reader:
        kept = list(reader.read())
    assert [event for event in kept if not isinstance(event, TextEvent)] == [
        event for event in heard if not isinstance(event, TextEvent)
    ]


@pytest.mark.parametrize("view", [LiveView, PlainView, StreamView])
def test_a_view_whose_screen_breaks_changes_neither_text_nor_calls(tmp_path, undisturbed, view):
    class Broken(io.StringIO):
        def write(self, _):
            raise OSError("no such screen")

    settings = make_settings(tmp_path, free_megabytes=0)
    database = new_library(settings)
    book = find_or_create(database, make_brief(BRIEF))
    watching = view(BookStorage(database, book.id, book.brief.language), Console(file=Broken()))
    database.dispose()

    assert written(tmp_path, watching.hear) == undisturbed
