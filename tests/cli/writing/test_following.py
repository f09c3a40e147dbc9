"""`log --follow`: what another process says of a book, until that book rests."""

import json
import threading
from contextlib import contextmanager

import pytest

from bookwright.agents.runtime.events.event_file import EventFile, EventReader, event_path
from bookwright.models.talk.event import AgentEvent, EventPayload, FailedEvent, FailedPayload, TextEvent, TextPayload
from bookwright.storage.lease import Lease
from tests.support.books import finish

STEP = {
    "id": 41, "label": "1.3", "activity": "write", "step": "draft", "attempt": 1, "role": "writer", "detail": "",
    "failure": None, "model": "openai:gpt-x", "inputTokens": 1_200, "cachedTokens": 0, "outputTokens": 300,
    "cost": 4_500, "durationMillis": 1_500,
}  # fmt: skip
UNIT = {
    "label": "1.3", "name": 'chapter 3 "The Ship" (1.3)', "written": 988, "length": 1_000, "bookWritten": 1_000,
    "bookLength": 9_000, "lastStep": 41,
}  # fmt: skip


def event(happened, task, text="", **data):
    return AgentEvent(
        agent_id="draft", tab_id="lamp", task_id=task, payload=EventPayload(name=happened, text=text, data=data)
    )


SAID = [
    event("started", "1.3 write/draft"),
    TextEvent(agent_id="draft", tab_id="lamp", task_id="1.3 write/draft", payload=TextPayload(text="Rain.")),
    event("waiting", "1.3 write/draft", "rate limit, 20 s"),
    event("tool_use", "1.4 execute/search", '{"query": "lamps"}', tool="web_search"),
    FailedEvent(agent_id="x", tab_id="lamp", task_id="1.4 execute/search", payload=FailedPayload(error="it is down")),
    event("step", "1.3 write/draft", **STEP),
    event("unit_finished", "1.3", **UNIT),
]
LINES = [
    "chapter 3 write/draft: rate limit, 20 s",
    "web_search searches the web: lamps",
    "1.4 execute/search: it is down",
    "chapter 3 write/draft  1.2k > 300 tokens, 1.5 s, $0.0045  openai:gpt-x",
    'chapter 3 "The Ship" (1.3) is done: 988 of 1,000; the book: 1,000 of 9,000 words',
]


@contextmanager
def another_process(book, settings):
    """Somebody who holds the book, and says all of `SAID` again and again for a while before letting it go."""
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "the test", 60)

    def work():
        file = EventFile(event_path(settings.home, "lamp"))
        for _ in range(15):
            file.hear(SAID)
        file.close()
        with book.write() as stores:
            lease.release(stores.connection)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    thread.join()


def test_what_is_done_is_shown_until_the_book_rests(cli, book, settings):
    with another_process(book, settings):
        outcome = cli("log", "lamp", "--follow")

    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert len(lines) >= 5
    assert len(lines) % 5 == 0
    assert all(expected in line for expected, line in zip(LINES, lines[-5:], strict=True))


def test_as_json_every_event_is_a_line(cli, book, settings):
    with another_process(book, settings):
        outcome = cli("log", "lamp", "--follow", "--json")

    facts = [json.loads(line) for line in outcome.out.splitlines()]
    assert [each["type"] for each in facts[-7:]] == [event.type.value for event in SAID]
    assert facts[-1]["payload"]["data"] == UNIT


def test_only_what_is_said_of_a_node_is_shown(cli, book, settings):
    with another_process(book, settings):
        outcome = cli("log", "lamp", "1.4", "--follow")

    assert outcome.out
    assert all("web_search" in line or "1.4 execute/search" in line for line in outcome.out.splitlines())


def test_of_a_finished_book_nothing_is_waited_for(cli, book):
    finish(book)

    outcome = cli("log", "lamp", "--follow")

    assert (outcome.code, outcome.out) == (0, "")
    assert "lamp is finished" in outcome.err


@pytest.mark.parametrize("arguments", [("--after", 3), ("9.9",)])
def test_what_makes_no_sense_is_refused(cli, book, arguments):
    assert cli("log", "lamp", "--follow", *arguments).code == 2


def test_a_written_book_can_be_followed_afterwards_and_a_deleted_one_leaves_no_events(cli, settings):
    cli("write", "--premise", "A keeper counts ships.", "--words", 300, "--profile", "economy", "--no-prefect",
        "--title", "Ships", "--json")  # fmt: skip
    [path] = (settings.home / "events").iterdir()
    with EventReader(path) as reader:
        names = [each.payload.name for each in reader.read() if isinstance(each, AgentEvent)]

    cli("delete", path.stem, "--yes")

    assert names.count("step") == names.count("finished") > 3
    assert "unit_finished" in names
    assert list((settings.home / "events").iterdir()) == []
