"""What the screen is told: by the database and the event files of books that others write."""

import time
from itertools import count

import pytest

from bookwright.agents.runtime.events.event_file import event_path
from bookwright.cli.watch.panels import facts
from bookwright.cli.watch.watcher import ScreenWish, Watcher
from bookwright.failpoints import Failpoint
from bookwright.models.book import BookState
from bookwright.models.errors import BookNotFound, StorageError
from bookwright.models.gate import GateKind
from bookwright.storage.engine.sqlite import sqlite_driver
from bookwright.storage.lease import Lease
from bookwright.storage.monitoring import open_read_only
from tests.app.watching.saying import happened, said, say
from tests.cli.shelf import a_book
from tests.support.books import finish, make_book
from tests.support.fake_prefect import queued


@pytest.fixture
def watcher(settings):
    """One for whom much time passes between two looks."""
    watcher = Watcher(settings, clock=count(0, 10).__next__)
    yield watcher
    watcher.close()


def hold(book, owner="process 1 on elsewhere"):
    with book.write() as stores:
        lease = Lease.take(stores.connection, book.book, owner, 60)
        stores.books.set_state(book.book, BookState.WRITING)
    return lease


def texts(sight):
    return "".join(piece.text for piece in sight.heard.pieces if piece.kind == "text")


def test_without_a_database_there_is_nothing_and_nothing_is_made(settings, watcher):
    sight = watcher.look(ScreenWish())

    assert sight is None
    assert not settings.home.exists()


def test_a_book_that_begins_becomes_a_tab_and_a_finished_one_stays(settings, watcher):
    hold(make_book(settings, [], identity="first"))
    first = watcher.look(ScreenWish())
    second = make_book(settings, [], identity="second")
    resting = watcher.look(ScreenWish("first"))
    hold(second)
    begun = watcher.look(ScreenWish("first"))
    finish(second)
    over = watcher.look(ScreenWish("first"))

    assert [tab.name for tab in first.tabs] == ["first"]
    assert resting is None
    assert [(tab.name, tab.standing) for tab in begun.tabs] == [("first", "writing"), ("second", "writing")]
    assert [(tab.name, tab.standing) for tab in over.tabs] == [("first", "writing"), ("second", "finished")]


def test_a_book_that_rests_is_shown_where_none_is_written(book, watcher):
    sight = watcher.look(ScreenWish())

    assert (sight.tab, sight.is_live) == ("lamp", False)
    assert [line.step for line in sight.book.steps] == ["planner", "planner", "draft"]
    assert sight.book.rows[0].line.label == "1"
    assert sight.source == "there is no event file here: only the journal can be seen"
    assert sight.book.last_answer == "Rain fell."


def test_named_books_have_tabs_and_no_others(settings, book):
    hold(make_book(settings, [], identity="other"))
    watcher = Watcher(settings, ("la",))

    assert watcher.find() == ("lamp",)
    assert [tab.name for tab in watcher.look(ScreenWish()).tabs] == ["lamp"]
    with pytest.raises(BookNotFound, match="there is no book 'nobody'"):
        Watcher(settings, ("nobody",)).find()


def test_nothing_new_is_not_told_again(book, watcher):
    watcher.look(ScreenWish())

    assert [watcher.look(ScreenWish()) for _ in range(5)] == [None] * 5


def test_text_that_another_process_says_is_read_across_rotations_and_torn_lines(settings, book, watcher):
    say(settings, said("Old. "))
    first = watcher.look(ScreenWish())
    with event_path(settings.home, "lamp").open("ab") as file:
        file.write(b'{"type": "agent:text", "torn')
    say(settings, *(said(f"{number} ") for number in range(40)), limit=2_000)
    found = [sight for _ in range(8) if (sight := watcher.look(ScreenWish()))]

    assert texts(first) == "Old. "
    assert found[-1].heard.skipped == 1
    assert texts(found[-1]).endswith("36 37 38 39 ")


def test_a_line_that_is_being_written_is_waited_for(settings, book, watcher):
    say(settings, said("Rain "))
    watcher.look(ScreenWish())
    line = said("fell.").model_dump_json(by_alias=True).encode() + b"\n"
    path = event_path(settings.home, "lamp")

    with path.open("ab") as file:
        file.write(line[:20])
    half = watcher.look(ScreenWish())
    with path.open("ab") as file:
        file.write(line[20:])
    whole = watcher.look(ScreenWish())

    assert half is None
    assert (texts(whole), whole.heard.skipped) == ("Rain fell.", 0)


def test_of_a_book_on_another_host_the_journal_is_shown_and_it_is_said(settings, book, watcher):
    say(settings, said("Old text of this host."))
    hold(book)

    sight = watcher.look(ScreenWish())

    assert sight.source == "written on elsewhere: its text cannot be seen from here, only the journal"
    assert sight.heard.pieces == ()
    assert sight.book.last_answer == "Rain fell."


def test_gates_that_wait_are_told(book, watcher):
    watcher.look(ScreenWish())
    with book.write() as stores:
        stores.gates.open(stores.nodes.root(), GateKind.OUTLINE)
        stores.books.set_state("lamp", BookState.WAITING)

    sight = watcher.look(ScreenWish())

    assert [gate.kind for gate in sight.book.gates] == [GateKind.OUTLINE]
    assert sight.tabs[0].standing == "waiting"


def test_a_book_that_waits_for_a_worker_is_queued_once_prefect_has_told_so(settings, book, watcher):
    with queued(settings, "lamp"):
        other = make_book(settings, [], identity="other")
        hold(other)
        before = watcher.look(ScreenWish("lamp"))
        with book.write() as stores:
            stores.books.ask_to_rest("lamp")

        deadline = time.monotonic() + 20
        while not watcher.library.queued() and time.monotonic() < deadline:
            time.sleep(0.05)
        sight = watcher.look(ScreenWish("lamp"))

    assert [tab.name for tab in before.tabs] == ["other"]
    assert ("lamp", "queued") in [(tab.name, tab.standing) for tab in sight.tabs]
    assert facts(sight, 0.0).plain.endswith("waits for a worker of the pool, and is to rest at once")


def test_a_deleted_book_stays_as_it_was_last_seen(book, watcher):
    hold(book)
    before = watcher.look(ScreenWish())
    with book.write() as stores:
        stores.books.delete("lamp")

    sight = watcher.look(ScreenWish())

    assert sight.tabs[0].standing == "gone"
    assert sight.book == before.book


def test_a_talk_with_an_agent_is_a_tab_of_its_own(settings, book, watcher):
    say(settings, said("Because.", task="abc").model_copy(update={"tab_id": "talk-1"}), tab="talk-1")

    sight = watcher.look(ScreenWish("talk-1"))

    assert ("talk-1", "agent") in [(tab.name, tab.standing) for tab in sight.tabs]
    assert (texts(sight), sight.book, sight.is_live) == ("Because.", None, True)


def test_a_locked_database_is_told_and_tried_again(settings, book, watcher):
    book.database.dispose()
    locker = sqlite_driver().connect(settings.database_path, isolation_level=None)
    locker.execute("PRAGMA locking_mode=EXCLUSIVE")
    locker.execute("BEGIN IMMEDIATE")
    locker.execute("UPDATE books SET title = title")

    locked = watcher.look(ScreenWish())
    locker.close()
    free = watcher.look(ScreenWish())

    assert "has locked the database" in locked.trouble
    assert (free.trouble, free.tab) == ("", "lamp")


def test_a_database_that_goes_away_and_comes_back_is_seen_again(settings, book, watcher):
    watcher.look(ScreenWish())
    away = settings.database_path.rename(settings.home / "away.db")

    gone = watcher.look(ScreenWish())
    away.rename(settings.database_path)
    back = watcher.look(ScreenWish())

    assert "not there" in gone.trouble
    assert gone.book is not None
    assert back.trouble == ""
    assert sorted(path.name for path in settings.home.glob("*.db")) == ["bookwright.db"]


def test_whoever_looks_cannot_write(settings, book):
    database = open_read_only(settings)

    with pytest.raises(StorageError, match="readonly"), database.write(Failpoint.EDIT_BOOK) as connection:
        connection.exec_driver_sql("UPDATE books SET title = 'x'")


def test_a_step_that_failed_and_a_wait_are_told(settings, book, watcher):
    say(settings, happened("waiting", text="rate limit, 20 s"), happened("step", failure="refusal", detail="No."))

    heard = watcher.look(ScreenWish()).heard

    assert (heard.waits, heard.error) == ("rate limit, 20 s", "refusal: No.")


def test_the_time_that_was_worked_leaves_rests_out(settings):
    storage = a_book(settings)
    with storage.write() as stores:
        [first, _, last] = [line.id for line in stores.steps.lines()]
        stores.connection.exec_driver_sql(f"UPDATE steps SET recorded_at = recorded_at + 90000 WHERE id = {last}")
        in_all = stores.steps.worked_seconds(0, last)
        in_parts = stores.steps.worked_seconds(0, first) + stores.steps.worked_seconds(first, last)

    assert 63 - 0.1 < in_all < 65
    assert in_parts == pytest.approx(in_all)
