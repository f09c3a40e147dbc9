"""What a person sees while a book is written: a panel of 80 columns, lines, or the prose."""

import io
import re
from contextlib import closing

import pytest
from rich.console import Console

from bookwright.agents.backends.protocol import EventKind, StreamEvent
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.events.walk_events import WalkEvents
from bookwright.app.status.progress import StepFeed, read_progress, seconds_left
from bookwright.app.watching.fisheye import Folds
from bookwright.app.watching.library import WatchedLibrary
from bookwright.cli.output import note
from bookwright.cli.watch.panels import facts
from bookwright.cli.watch.watcher import ScreenSight
from bookwright.cli.writing.live import LiveView, PlainView, StreamView, choose_view, step_of
from bookwright.models.step import Activity, Failure
from bookwright.models.wording import duration
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from tests.cli.shelf import a_book, attempt


@pytest.fixture
def journal(book):
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "the test", 60)
    return Journal(book, lease)


def console_of(width=80, *, is_terminal=False):
    return Console(
        file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False, force_terminal=is_terminal,
        color_system=None,
    )  # fmt: skip


def printed(console):
    return console.file.getvalue()


def tell(book, view, name, event):
    """Say it as the walk does, and wait until the view has heard it."""
    with closing(EventBus()) as bus:
        bus.on("*", view.hear)
        WalkEvents(bus, book).hear(name, event)


def tell_finished(book, view, closed):
    with closing(EventBus()) as bus:
        bus.on("*", view.hear)
        WalkEvents(bus, book).finished(closed)


def unit(book, label):
    with book.read() as stores:
        return stores.nodes.by_label(label)


def drawn(view, width=80):
    console = console_of(width)
    console.print(view.render())
    return printed(console).splitlines()


def test_the_panel_shows_place_words_cost_and_time_in_80_columns(settings):
    book = a_book(settings, budget={"usd": 5, "tokens": 2_000_000})
    now = [0.0]
    view = LiveView(book, console_of(), clock=lambda: now[0])
    now[0] = 100.0
    with book.write() as stores:
        stores.nodes.add_written(stores.nodes.by_label("1.3"), 988)
    tell(book, view, "1.3 write/draft", StreamEvent(EventKind.STARTED))
    tell(book, view, "1.3 write/draft", StreamEvent(EventKind.TEXT, "x" * 1_234))

    lines = drawn(view)

    assert all(len(line) <= 80 for line in lines)
    text = "\n".join(lines)
    for fact in (
        "Night Watch",
        'chapter 3 "The Ship" (1.3)',
        "chapter 3 write: 1,234 characters so far",
        "1,000 of 9,000 words (11%)",
        "cost $0.0135 of $5.00   3 calls   4.5k of 2.0M tokens",
        "time 1 min 40 s so far, about ",
        "1.4 execute: 1.5 s, $0.0045, not a result: is no JSON",
        "x" * 76,
    ):
        assert fact in text


def test_long_titles_do_not_break_the_panel(settings):
    book = a_book(settings)
    with book.write() as stores:
        stores.nodes.change(stores.nodes.by_label("1.3").key, title="A very long title [bold] " * 9)

    assert all(len(line) <= 80 for line in drawn(LiveView(book, console_of())))


def test_the_last_steps_stay_in_sight(book, journal):
    view = LiveView(book, console_of())

    for number in range(1, 9):
        journal.record(attempt(unit(book, "1.3"), "draft", "x", Activity.WRITE, number=number))
        view.render()

    assert sum("chapter 3 write: 1.5 s" in line for line in drawn(view)) == 6


def test_what_the_call_in_flight_waits_for_is_told(book):
    view = LiveView(book, console_of())

    tell(book, view, "1.3 write/draft", StreamEvent(EventKind.WAITING, "rate limit, 20 s"))
    assert any("chapter 3 write: rate limit, 20 s" in line for line in drawn(view))

    tell(book, view, "1.3 write/draft", StreamEvent(EventKind.RESTARTED))
    assert any("chapter 3 write: 0 characters so far" in line for line in drawn(view))


def test_a_note_stands_in_a_line_of_its_own_above_the_panel(book, capsys):
    console = console_of(is_terminal=True)

    with LiveView(book, console):
        note("1. prose of chapter 3: version 2")
    note("done")

    lines = re.split(r"\r?\n|\r", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed(console)))
    assert "1. prose of chapter 3: version 2" in lines
    assert capsys.readouterr().err == "done\n"


def test_a_panel_can_be_opened_and_closed_in_a_terminal(book):
    console = console_of(is_terminal=True)

    with LiveView(book, console):
        pass

    assert "Night Watch" in printed(console)


def test_lines_name_each_step_and_each_unit_once_and_in_order(book, journal):
    console = console_of()

    with PlainView(book, console) as view:
        journal.record(attempt(unit(book, "1.3"), "draft", "", Activity.WRITE, failure=Failure.EMPTY))
        journal.record(attempt(unit(book, "1.3"), "draft", "Rain.", Activity.WRITE, number=2))
        tell_finished(book, view, unit(book, "1.1"))
        journal.record(attempt(unit(book, "1.3"), "critic", "Fine.", Activity.WRITE))

    assert printed(console).splitlines() == [
        "chapter 3 write/draft  1.2k > 300 tokens, 1.5 s, $0.0045  FAILED empty: is no JSON",
        "chapter 3 write/draft  1.2k > 300 tokens, 1.5 s, $0.0045",
        'chapter 1 "The Lamp" (1.1) is done: 7 of 1,000; the book: 12 of 9,000 words',
        "chapter 3 write/critic  1.2k > 300 tokens, 1.5 s, $0.0045",
    ]


def test_the_prose_is_streamed_as_it_comes(book):
    console = console_of()
    view = StreamView(book, console)

    for name, text in (("1.3 write/plan", "a plan"), ("1.3 write/draft", "Rain [x] "), ("1.3 write/draft", "fell.")):
        if text != "fell.":
            tell(book, view, name, StreamEvent(EventKind.STARTED))
        tell(book, view, name, StreamEvent(EventKind.TEXT, text))
    tell(book, view, "1.3 write/draft", StreamEvent(EventKind.FINISHED))

    assert printed(console) == "\n--- chapter 3 write/draft\nRain [x] fell.\n"


def test_findings_before_a_revised_text_are_not_streamed(book):
    console = console_of()
    view = StreamView(book, console)

    tell(book, view, "1.3 write/revise", StreamEvent(EventKind.STARTED))
    for text in ("Too slow. <<<TE", "XT>>>\nRain", " fell."):
        tell(book, view, "1.3 write/revise", StreamEvent(EventKind.TEXT, text))

    assert printed(console) == "\n--- chapter 3 write/revise\n\nRain fell."


@pytest.mark.parametrize(
    ("name", "step"),
    [("1.2 write/draft", "draft"), ("1.2 write/refine.2", "refine"), ("1.2 plan/draft", ""), ("oddly", "")],
)
def test_a_prose_step_is_told_by_its_name(name, step):
    assert step_of(name) == step


def test_the_view_suits_the_place(book):
    assert isinstance(choose_view(book, console_of(is_terminal=True), streams=False), LiveView)
    assert isinstance(choose_view(book, console_of(), streams=False), PlainView)
    assert isinstance(choose_view(book, console_of(is_terminal=True), streams=True), StreamView)


def test_the_feed_begins_where_the_journal_ends(book, journal):
    feed = StepFeed(book, shown=2)
    assert [line.step for line in feed.recent] == ["planner", "draft"]
    assert feed.new() == []

    journal.record(attempt(unit(book, "1.2"), "critic", "x", Activity.WRITE))

    assert [line.step for line in feed.new()] == ["critic"]


def test_there_is_no_guess_before_anything_is_written(book):
    root = read_progress(book).root

    assert seconds_left(root.model_copy(update={"written": 0}), 60.0) is None
    assert seconds_left(root, 0.0) is None
    assert seconds_left(root, 12.0) == 8_988


def test_the_screen_and_the_panel_name_one_time_that_is_left(settings, book, journal):
    view, library = LiveView(book, console_of()), WatchedLibrary(settings)
    journal.record(attempt(unit(book, "1.3"), "draft", "x", Activity.WRITE))
    panel = "\n".join(drawn(view))

    sight = library.sight("lamp", Folds())
    library.close()

    left = duration(seconds_left(sight.progress.root, sight.worked_seconds))
    assert f"about {left} left" in panel
    assert f"about {left} left" in facts(ScreenSight(book=sight), 0.0).plain
