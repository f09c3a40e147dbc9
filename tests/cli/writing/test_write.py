"""`write`, `resume` and `estimate` over the real engine with the rehearsal author."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from bookwright.app.orders.starting import going_on_with
from bookwright.cli.access import open_book
from bookwright.models.book import BookState
from bookwright.storage.lease import Lease, is_dead
from tests.support.forks import reached

BRIEF = ("--premise", "A keeper of a lighthouse counts ships.", "--words", "900", "--profile", "economy")
WRITE = ("write", *BRIEF, "--no-prefect")
FEW_TOKENS = ("brief", "lamp", "--set", "budget.tokens=9000")
"""Let a book that hears no wish rest by itself, long before its end."""


def book_of(cli, *arguments):
    """Write a book and return the facts that were printed at the end."""
    outcome = cli(*WRITE, "--json", *arguments)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def test_a_book_is_written_exported_and_never_paid_twice(cli, home):
    first = book_of(cli, "--export", "md,epub")
    again = book_of(cli)

    assert 0.85 * 900 <= first["written"] <= 1.15 * 900
    assert [os.path.basename(file) for file in first["files"]] == [f"{first['book']}.md", f"{first['book']}.epub"]
    assert (first["was_finished"], again["was_finished"]) == (False, True)
    assert again["calls"] == first["calls"]


def test_the_end_tells_what_rests_on_what_was_changed_since(cli, tmp_path):
    first = book_of(cli)
    words = tmp_path / "words.txt"
    words.write_text("The keeper counted no ships that night. " * 120)
    cli("revise", first["book"], "1", "--text", str(words))

    again, told = book_of(cli), cli(*WRITE)

    assert (first["stale"], again["stale"]) == (0, 1)
    assert "1 document is directly stale, since you changed what was written before" in told.out


def test_another_book_of_the_same_brief_must_be_asked_for(cli):
    first, second = book_of(cli), book_of(cli, "--new")

    assert second["book"] == f"{first['book']}-2"


def test_a_book_that_comes_to_rest_says_so_as_json_and_what_to_type(cli):
    outcome = cli(*WRITE, "--json", "--budget-tokens", "1000")

    facts = json.loads(outcome.out)
    assert (outcome.code, facts["state"], facts["gate"]) == (4, "paused", None)
    assert outcome.err.endswith(f"bookwright: {facts['reason']}. {facts['advice']}.\n")
    assert f"`bookwright resume {facts['book']}` goes on" in facts["advice"]


def test_what_happens_is_told_line_by_line_without_a_terminal(cli):
    outcome = cli(*WRITE)

    lines = outcome.out.splitlines()
    assert any(" write/" in line and "tokens" in line for line in lines)
    assert any(line.startswith("1 book ") and " is done: " in line for line in lines)
    assert any("is finished: " in line for line in lines)
    assert outcome.err == ""


@pytest.mark.parametrize("option", ["--until=nowhere", "--no-prefect"])
def test_a_resume_that_is_refused_leaves_a_wish_to_rest_as_it_was(cli, book, option):
    _hold("lamp", "somebody else", seconds=600)
    cli("pause", "lamp")

    assert cli("resume", "lamp", option).code in (2, 3)
    with book.read() as stores:
        assert stores.books.get("lamp").stop_requested


def test_a_resume_hears_a_wish_that_came_while_it_waited_and_none_from_before(cli, book, tmp_path):
    with book.write() as stores:
        stores.nodes.change(stores.nodes.by_label("1.3").key, status="open")
    cli("pause", "lamp")
    held, told = _hold("lamp", _dead(), seconds=600), tmp_path / "err"

    with reached().talking(["bookwright", "resume", "lamp", "--no-prefect"], os.environ, told) as (process, _):
        while "has died" not in told.read_text("utf-8") and process.poll() is None:
            time.sleep(0.01)
        cli("pause", "lamp")
        with book.write() as stores:
            held.release(stores.connection, keeps_wish=True)
        process.wait()
    assert "asked to rest." in told.read_text("utf-8")
    cli("pause", "lamp")
    cli(*FEW_TOKENS)
    cli("resume", "lamp", "--no-prefect")

    with book.read() as stores:
        assert "the budget of" in stores.books.get("lamp").reason


def test_a_wish_is_heard_that_came_before_a_started_resume_had_opened_the_book(cli, book):
    cli("pause", "lamp")
    with book.write() as stores:
        stores.nodes.change(stores.nodes.by_label("1.3").key, status="open")
        arguments = going_on_with(stores.books.get("lamp"))
    cli("pause", "lamp")

    assert "asked to rest." in cli(*arguments).err
    with book.read() as stores:
        anew = going_on_with(stores.books.get("lamp"))
    cli(*FEW_TOKENS)
    cli(*anew)

    with book.read() as stores:
        assert "the budget of" in stores.books.get("lamp").reason


def test_the_prose_is_streamed_on_demand(cli):
    streamed = cli(*WRITE, "--stream").out

    assert "This is a rehearsal; no model wrote it." in streamed


def test_a_book_rests_where_it_is_told_to_and_goes_on(cli):
    brief = ("--premise", "Three winters on a lighthouse.", "--words", "9000", "--profile", "economy", "--no-prefect")
    rested = cli("write", *brief, "--until", "chapter:1")
    [facts] = json.loads(cli("status", "--json").out)

    assert (rested.code, facts["state"], facts["reason"]) == (4, "paused", "reached chapter 1")
    assert rested.err.startswith("bookwright: reached chapter 1.")
    resumed = cli("resume", facts["book"], "--no-prefect", "--json")
    assert resumed.code == 0
    assert json.loads(resumed.out)["calls"] > facts["calls"]


def test_new_caps_and_models_become_the_next_version_of_the_brief(cli):
    brief = ("write", "--premise", "Three winters.", "--words", "9000", "--profile", "economy", "--no-prefect")
    cli(*brief, "--until", "chapter:1", "--budget-usd", "5")
    outcome = cli(*brief, "--until", "chapter:1", "--budget-tokens", "900000", "--model", "rehearsal:default")

    [facts] = json.loads(cli("status", "--json").out)
    found = json.loads(cli("brief", facts["book"], "--json").out)
    assert outcome.err.splitlines()[0] == f"the brief of {facts['book']} is now version 2"
    assert found["brief"]["budget"] == {"usd": 5.0, "tokens": 900_000}
    assert found["brief"]["models"] == {"default": "rehearsal:default"}


def test_a_used_up_budget_rests_the_book(cli):
    outcome = cli(*WRITE, "--budget-tokens", "9000")

    [facts] = json.loads(cli("status", "--json").out)
    assert (outcome.code, facts["state"]) == (4, "paused")
    assert "tokens and the budget of" in outcome.err
    assert facts["input_tokens"] + facts["output_tokens"] <= 9_000


def test_a_living_worker_keeps_its_book(cli):
    identity = book_of(cli)["book"]
    _hold(identity, f"process {os.getpid()} on {socket.gethostname()}", seconds=600)

    outcome = cli("resume", identity, "--no-prefect")

    assert (outcome.code, outcome.out) == (3, "")
    assert f"is being written by process {os.getpid()}" in outcome.err


def test_a_dead_workers_lease_is_waited_for(cli):
    identity = book_of(cli)["book"]
    dead = _dead()
    _hold(identity, dead, seconds=2)

    outcome = cli("resume", identity, "--no-prefect")

    assert outcome.code == 0
    assert f"{dead} has died; the lease of {identity} runs out" in outcome.err


@pytest.mark.parametrize(
    "owner",
    [
        "process 1 on elsewhere",
        "the command line",
        pytest.param(f"process {os.getpid()} on {socket.gethostname()}", id="a living process here"),
    ],
)
def test_only_a_process_of_this_machine_can_be_seen_dead(owner):
    assert not is_dead(owner)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_lets_the_book_rest_with_everything_recorded(cli, home, tmp_path, number, code):
    arguments = [
        "bookwright",
        "write",
        "--premise",
        "A long winter.",
        "--words",
        "60000",
        "--profile",
        "economy",
        "--no-prefect",
        "--json",
    ]
    with reached().talking(arguments, os.environ, tmp_path / "err") as (process, said):
        while not (tmp_path / "err").read_text("utf-8"):  # the first step is not recorded yet
            time.sleep(0.01)

        process.send_signal(number)
        told = json.loads(said.read())
        process.wait()
    err = (tmp_path / "err").read_text("utf-8")

    [facts] = json.loads(cli("status", "--json").out)
    assert process.returncode == code, err
    assert "bookwright: asked to rest." in err
    assert (told["book"], told["state"], told["reason"]) == (facts["book"], "paused", "asked to rest")
    assert (facts["state"], facts["reason"]) == ("paused", "asked to rest")
    with open_book(facts["book"]) as opened:
        assert opened.book.lease_owner is None


def test_an_estimate_keeps_nothing_and_prices_every_role(cli, home):
    outcome = cli("estimate", *BRIEF, "--model", "anthropic:claude-sonnet-4-5", "--json")

    found = json.loads(outcome.out)
    assert outcome.code == 0
    assert found["is_rehearsal"]
    assert not home.exists()
    assert found["total"]["low"]["calls"] == sum(role["low"]["calls"] for role in found["roles"])
    for role in found["roles"]:
        assert role["model"] == "anthropic:claude-sonnet-4-5"
        assert 0 < role["low"]["cost_micros"] <= role["high"]["cost_micros"]
    assert "A rehearsal of 900 words in the profile economy" in cli("estimate", *BRIEF).out


@pytest.mark.parametrize(
    ("words", "share"), [(9_000, 0.4), pytest.param(48_000, 0.7, marks=pytest.mark.soak, id="longer than a sample")]
)
def test_a_told_book_is_rehearsed_whole_and_its_low_price_has_a_cache_that_serves_its_pages(cli, words, share):
    order = ("--premise", "Three winters on a lighthouse.", "--words", words, "--profile", "economy")

    told = json.loads(cli("estimate", *order, "--model", "anthropic:claude-sonnet-4-5", "--json").out)

    low, high = told["total"]["low"], told["total"]["high"]
    assert told["rehearsed"] == pytest.approx(words, rel=0.03)
    assert low["cached_tokens"] > share * low["input_tokens"]
    assert high["cached_tokens"] == 0
    assert low["cost_micros"] < 0.8 * high["cost_micros"]


def test_an_estimate_names_a_price_it_does_not_know(cli, monkeypatch):
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9")

    found = json.loads(cli("estimate", *BRIEF, "--model", "compatible:mine", "--json").out)

    assert found["total"]["low"]["calls"] > 0
    assert found["total"]["low"]["cost_micros"] is None


def _hold(identity, owner, seconds):
    with open_book(identity) as opened, opened.storage.write() as stores:
        held = Lease.take(stores.connection, identity, owner, seconds)
        stores.books.set_state(identity, BookState.PAUSED)
        return held


def _dead():
    """A worker of this machine that has died."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    return f"process {dead.pid} on {socket.gethostname()}"


def test_a_book_rests_at_a_chapter_however_it_is_named_and_says_its_name(cli):
    brief = ("--premise", "Three winters on a lighthouse.", "--words", "9000", "--profile", "economy", "--no-prefect")
    cli("write", *brief, "--until", "1")
    [facts] = json.loads(cli("status", "--json").out)
    units = [node for node in json.loads(cli("tree", facts["book"], "--json").out) if node["level"] == "chapter"]
    title, label = units[1]["title"], units[2]["node"]

    by_title = cli("resume", facts["book"], "--no-prefect", "--until", title)
    by_label = cli("write", *brief, "--until", label)

    assert (by_title.code, by_label.code) == (4, 4)
    assert f'reached chapter 2 "{title}" ({units[1]["node"]})' in by_title.err
    assert f'reached chapter 3 "{units[2]["title"]}" ({label})' in by_label.err
    assert cli("resume", facts["book"], "--until", "No Such Chapter").err.startswith(
        "bookwright: --until is 'No Such Chapter': nothing of the book is called 'No Such Chapter'"
    )
    named = f'chapter 2 "{title}" ({units[1]["node"]})'
    assert json.loads(cli("show", facts["book"], named, "--json").out)["node"]["label"] == units[1]["node"]
