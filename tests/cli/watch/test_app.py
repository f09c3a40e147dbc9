"""The screen: books that another process writes, keys, widths, and what happens without a terminal."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from typing import NamedTuple

import pytest
from rich.cells import cell_len

from bookwright.cli.watch.watcher import Watcher
from bookwright.models.book import BookState
from bookwright.models.gate import GateKind
from bookwright.storage.lease import Lease
from tests.app.watching.saying import happened, said, say
from tests.support.books import make_book
from tests.support.forks import reached

SECONDS = 60
"""How long a screen may take to show what is waited for, on a machine that does much else."""


def watch(settings, play, size=(80, 24), books=()):
    """Run the screen, which brings Textual, and let a play press its keys."""
    from bookwright.cli.watch.app import WatchApp

    async def run():
        app = WatchApp(Watcher(settings, books))
        async with app.run_test(size=size) as pilot:
            await play(app, pilot)
        if app.fault:
            raise app.fault
        return app

    return asyncio.run(run())


def lines(app):
    """What stands on the screen."""
    return ["".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()]


def seen(app):
    return "\n".join(lines(app))


class Look(NamedTuple):
    """How words stand on the screen."""

    colour: tuple[int, int, int]
    is_bold: bool


def look_of(app, words):
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            if words in segment.text:
                return Look(segment.style.color.get_truecolor(), bool(segment.style.bold))
    raise AssertionError(f"{words!r} stands nowhere on the screen")


async def until(pilot, is_so):
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end, seen(pilot.app)
        await pilot.pause(0.02)


async def press(pilot, *keys):
    for key in keys:
        await pilot.press(key)


def writing(settings, *arguments):
    """Another process that writes a rehearsal book."""
    with open(os.devnull, "r+b") as nothing:
        return reached().begin(
            ["bookwright", "write", "--no-prefect", "--json", *arguments], os.environ, [nothing.fileno()] * 3
        )


def hold(book):
    with book.write() as stores:
        stores.books.set_state(book.book, BookState.WRITING)
        return Lease.take(stores.connection, book.book, f"process {os.getpid()} on {os.uname().nodename}", 60)


def test_a_book_that_another_process_writes_is_seen_from_its_first_step_to_its_end(settings):
    async def play(app, pilot):
        await until(pilot, lambda: "no books yet" in seen(app))
        other = writing(settings, "--premise", "A keeper counts ships.", "--words", "6000", "--title", "Ships")
        await until(pilot, lambda: "Ships  ▶ writing" in seen(app))
        await until(pilot, lambda: "Ships  ✓ finished" in seen(app))
        other.wait()
        await until(pilot, lambda: "publish/title_and_blurb" in seen(app) and "is done" in seen(app))
        states.append(app.books.sight)

    states = []

    watch(settings, play, size=(110, 34))

    [sight] = states
    assert sight.heard.skipped == 0
    assert sight.book.progress.share > 0.9
    assert [row.line.label for row in sight.book.rows if row.line][:2] == ["1", "1.1"]
    assert [tab.standing for tab in sight.tabs] == ["finished"]


def test_the_keys_do_what_the_help_says(settings, book):
    hold(make_book(settings, [], identity="other"))
    hold(book)

    async def play(app, pilot):
        await until(pilot, lambda: "▶ lamp  ▶ other" in lines(app)[0] or "▶ other  ▶ lamp" in lines(app)[0])
        first = app.books.sight.tab
        await press(pilot, "right_square_bracket")
        await until(pilot, lambda: app.books.sight.tab != first)
        await press(pilot, "left_square_bracket")
        await until(pilot, lambda: app.books.sight.tab == first)
        if first != "lamp":
            await press(pilot, "tab")
            await until(pilot, lambda: app.books.sight.tab == "lamp")
        await until(pilot, lambda: "chapter 1 The Lamp" in seen(app))
        await press(pilot, "home", "left")
        await until(pilot, lambda: "chapter 1 The Lamp" not in seen(app))
        assert not app.books.follows
        await press(pilot, "enter")
        await until(pilot, lambda: "chapter 1 The Lamp" in seen(app))
        assert "Motive" not in seen(app)
        await press(pilot, "d")
        await until(pilot, lambda: "1.4 Motive" in seen(app))
        await press(pilot, "d")
        await until(pilot, lambda: "Motive" not in seen(app))
        await press(pilot, "down", "o")
        await until(pilot, lambda: "The [red] lamp went out." in seen(app))
        await press(pilot, "escape", "f")
        assert app.books.follows
        await press(pilot, "p")
        await until(pilot, lambda: "Ask for draft." in seen(app))
        await press(pilot, "left")
        await until(pilot, lambda: "Ask for planner." in seen(app))
        await press(pilot, "escape", "question_mark")
        await until(pilot, lambda: "next tab" in seen(app))
        await press(pilot, "escape", "t")
        assert app.theme == "textual-light"
        await press(pilot, "q")
        await until(pilot, lambda: not app.is_running or app._exit)

    watch(settings, play)


@pytest.mark.parametrize("size", [(80, 24), (132, 43)])
def test_wide_characters_keep_every_line_as_wide_as_the_screen(settings, size):
    chapters = [
        {"level": "chapter", "title": f"第{number}章：雨夜的灯塔与守塔人的日志" * 2, "text": "雨。"}
        for number in range(9)
    ]
    hold(
        make_book(
            settings, [*chapters, {"level": "chapter", "title": "이어서\n灯\t[b]\x1b[2J"}], title="雨夜的灯塔" * 12
        )
    )
    say(settings, happened("started"), said("雨落在灯塔上，守塔人数着船。" * 80),
        happened("tool_use", text="{'query': '灯塔'}" * 9, tool="web_search"))  # fmt: skip

    async def play(app, pilot):
        await until(pilot, lambda: "守塔人数着船" in seen(app) and "이어서" in seen(app))
        assert {cell_len(line) for line in lines(app)} == {size[0]}
        assert len(lines(app)) == size[1]
        assert "web_search" in seen(app)
        await press(pilot, "down", "pageup")
        assert {cell_len(line) for line in lines(app)} == {size[0]}

    watch(settings, play, size)


def test_gates_and_waits_and_errors_stand_out(settings, book):
    looks = []
    hold(book)
    say(settings, happened("waiting", text="rate limit, 20 s"))

    async def play(app, pilot):
        await until(pilot, lambda: "rate limit, 20 s" in seen(app))
        looks.append(look_of(app, "The Ship"))
        looks.append(look_of(app, "rate limit, 20 s"))
        say(settings, happened("step", failure="refusal", detail="[No.]"))
        await until(pilot, lambda: "refusal: [No.]" in seen(app))
        looks.append(look_of(app, "refusal: [No.]"))
        with book.write() as stores:
            stores.gates.open(stores.nodes.root(), GateKind.OUTLINE)
            stores.books.set_state("lamp", BookState.WAITING)
        await until(pilot, lambda: "waits for you: gate 1, outline" in seen(app))
        looks.append(look_of(app, "waits for you: gate 1, outline"))

    watch(settings, play, (120, 30))

    title, wait, error, gate = looks
    assert len({title.colour, wait.colour, error.colour}) == 3
    assert gate.colour == wait.colour
    assert (wait.is_bold, gate.is_bold) == (False, True)


def test_a_screen_that_is_closed_is_not_drawn_on(settings, book):
    """Its parts go one by one, while what is late still comes."""
    hold(book)
    say(settings, happened("waiting", text="rate limit, 20 s"))

    async def play(app, pilot):
        await until(pilot, lambda: "rate limit, 20 s" in seen(app))

    app = watch(settings, play)

    with app._context():
        app.books.tick()
        app.books.show(replace(app.books.sight, tab="other"))
    assert app.books.sight.tab == "lamp"


def test_the_cursor_of_a_person_stays_on_its_node_while_the_book_goes_on(settings, book):
    hold(book)

    async def play(app, pilot):
        await until(pilot, lambda: "chapter 3 The Ship" in seen(app))
        await press(pilot, "home", "down", "down")
        before = app.books.tree_view.row
        with book.write() as stores:
            stores.nodes.add_written(stores.nodes.by_label("1.3"), 500)
            stores.books.change("lamp", calls=77)
        await until(pilot, lambda: "77 calls" in seen(app))
        assert app.books.tree_view.row.identity == before.identity
        await press(pilot, "f")
        assert app.books.tree_view.row.line.label == "1.3"

    watch(settings, play)


@pytest.mark.parametrize("arguments", [(), ("lamp",)])
def test_without_a_terminal_it_points_to_what_works_there(cli, arguments):
    outcome = cli("watch", *arguments)

    assert (outcome.code, outcome.out) == (2, "")
    assert "log BOOK --follow" in outcome.err


def test_no_other_verb_loads_the_screen():
    code = "import sys, bookwright.cli.main; print('textual' in sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "False"
