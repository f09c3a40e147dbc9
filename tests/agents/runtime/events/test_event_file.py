"""The event file of a book: written in batches, bounded, and read by others meanwhile."""

import os
import subprocess
import sys

import pytest

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.events.event_file import (
    EventFile,
    EventReader,
    event_path,
    kept_events,
    predecessor,
    remove_events,
)
from bookwright.models.talk.event import as_json
from tests.agents.runtime.saying import completed, happened, text
from tests.places import ROOT


@pytest.fixture
def path(tmp_path):
    return event_path(tmp_path, "lamp")


def written(path, *events, limit=10_000):
    file = EventFile(path, limit)
    file.finish()  # rests no more between writes
    for event in events:
        file.hear([event])
    file.close()


def texts(events):
    return "".join(event.payload.text for event in events)


def test_what_is_said_on_a_bus_is_kept_to_the_last_word(path):
    with EventReader(path) as reader:
        bus = EventBus()
        with kept_events(bus, path):
            bus.emit(happened("started"))
            for number in range(500):
                bus.emit(text(f"{number} "))
            bus.emit(completed())

        events = list(reader.read())

    assert texts(events[1:-1]) == "".join(f"{number} " for number in range(500))
    assert (events[0].payload.name, events[-1].payload.text) == ("started", "Rain fell.")
    assert len(events) < 100
    assert bus.standings == []


def test_increments_of_different_texts_are_not_mixed(path):
    file = EventFile(path)
    file.finish()

    file.hear([text("a"), text("b"), text("c", agent_id="critic"), text("d")])

    with EventReader(path) as reader:
        assert [(event.agent_id, event.payload.text) for event in reader.read()] == [
            ("draft", "ab"), ("critic", "c"), ("draft", "d"),
        ]  # fmt: skip
    file.close()


def test_a_full_file_is_replaced_and_its_predecessor_kept(path):
    written(path, *(text(f"{number:04} ") for number in range(200)), limit=4_000)

    assert path.stat().st_size <= 4_000
    assert predecessor(path).stat().st_size <= 4_000
    assert len(list(path.parent.iterdir())) == 2
    with EventReader(path) as reader:
        kept = texts(reader.read()).split()
    assert kept == [f"{number:04}" for number in range(200 - len(kept), 200)]
    assert len(kept) > 20


def test_a_reader_that_keeps_up_reads_each_event_once_over_all_replacements(path):
    file = EventFile(path, 2_000)
    file.finish()
    read = []

    with EventReader(path) as reader:
        for number in range(200):
            file.hear([text(f"{number} ")])
            if number % 7 == 0:
                read += reader.read()
        read += reader.read()
    file.close()

    assert texts(read).split() == [str(number) for number in range(200)]


def test_a_torn_last_line_is_passed_over_once_its_writer_is_dead(path):
    written(path, text("a"))
    with path.open("ab") as torn:
        torn.write(as_json(text("lost")).encode()[:40])

    with EventReader(path) as reader:
        before = texts(reader.read())
        written(path, text("b"))
        after = texts(reader.read())

        assert (before, after, reader.skipped) == ("a", "b", 1)


def test_a_line_is_read_when_its_end_has_come(path):
    line = f"{as_json(text('whole'))}\n".encode()
    path.parent.mkdir()

    with EventReader(path) as reader, path.open("ab", buffering=0) as file:
        file.write(line[:30])
        first = list(reader.read())
        file.write(line[30:])

        assert (first, texts(reader.read()), reader.skipped) == ([], "whole", 0)


def test_lines_of_another_version_are_passed_over(path):
    path.parent.mkdir()
    line = as_json(text("x"))
    path.write_text(f"{line.replace('1.0', '9.0')}\nnonsense\n\n{line}\n")

    with EventReader(path) as reader:
        assert texts(reader.read()) == "x"
        assert reader.skipped == 2


def test_a_file_that_appears_later_is_followed_to_its_end(path):
    over = iter([False, False, True, True])
    with EventReader(path) as reader:
        followed = reader.follow(lambda: next(over, True))
        reader.skip()
        written(path, text("a"), completed())

        assert [event.type.value for event in followed] == ["agent:text", "agent:completed"]


def test_what_cannot_be_written_is_an_error_of_the_subscriber_and_later_events_are_tried(tmp_path):
    path = event_path(tmp_path, "lamp")
    path.parent.write_text("a file where the folder should be")
    bus = EventBus()

    with kept_events(bus, path):
        bus.emit(text("a"))
        while not bus.drain():
            pass
        failed = bus.standings[0].failed
        path.parent.unlink()
        bus.emit(text("b"))

    with EventReader(path) as reader:
        assert (failed, texts(reader.read())) == (1, "b")


def test_a_removed_file_is_begun_anew(path):
    file = EventFile(path)
    file.finish()
    file.hear([text("a")])
    remove_events(path.parent.parent, "lamp")

    file.hear([text("b")])
    file.close()

    with EventReader(path) as reader:
        assert texts(reader.read()) == "b"


_WRITER = """
import sys
from pathlib import Path
from bookwright.agents.runtime.events.event_file import EventFile
from tests.agents.runtime.saying import text
file = EventFile(Path(sys.argv[1]), 30_000)
file.finish()
for number in range(2_000):
    file.hear([text(f"{number} ")])
"""


def test_another_process_writes_and_replaces_while_we_read(path):
    with subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], cwd=ROOT, env=os.environ) as writer:
        with EventReader(path) as reader:
            read = texts(reader.follow(lambda: writer.poll() is not None)).split()

        assert writer.returncode == 0
        assert reader.skipped == 0
    numbers = [int(number) for number in read]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == 1_999
