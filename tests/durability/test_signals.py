"""SIGTERM, Ctrl-C and SIGSTOP through the real command line, judged by the provider's own ledger.

Source: facts/durability-performance, sections 5.1 (I2, I6) and 5.3.
"""

import os
import random
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from bookwright.models.book import BookState
from bookwright.models.settings import Settings
from bookwright.models.step import Failure
from bookwright.storage.engine.database import database_file
from tests.durability.children import calls_in, finished_text, provider, wait_for_calls
from tests.durability.command import (
    RESUME,
    WRITE,
    asked,
    bookwright,
    environment,
    failures,
    order,
    settings_of,
    the_book,
    tokens,
    wait_until,
)

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [6, pytest.param(200, marks=pytest.mark.soak)])
def test_a_book_stopped_at_random_steps_pays_nothing_again(tmp_path: Path, rounds: int) -> None:
    calm_ledger, ledger, output = tmp_path / "calm.jsonl", tmp_path / "ledger.jsonl", tmp_path / "output"
    words = ("--words", str(max(6_000, rounds * 600)), "--planning-rounds", "1")
    with provider(calm_ledger) as url:
        calm = environment(tmp_path / "calm", url)
        assert bookwright(calm, *WRITE, *words, output=output).wait() == 0
    lot = random.Random(11)

    with provider(ledger) as url:
        variables = environment(tmp_path / "home", url, lease_seconds=600)  # one that is not released is not waited for
        settings = settings_of(variables)
        for number in range(rounds):
            answered = len(calls_in(ledger))
            command = bookwright(variables, *(RESUME if number else (*WRITE, *words)), output=output)
            wait_for_calls(ledger, answered + lot.randint(1, 2))
            time.sleep(lot.random() * 0.1)  # somewhere in the next call, or between two
            kind = lot.choice(list(CODES))
            os.kill(command.pid, kind)

            assert command.wait() == CODES[kind], command.said
            book = the_book(settings)
            assert (book.state, book.reason, book.lease_owner) == (BookState.PAUSED, "asked to rest", None)
            assert book.calls == len(calls_in(ledger))
        assert bookwright(variables, *RESUME, output=output).wait() == 0

    paid = Counter(str(call["prompt_hash"]) for call in calls_in(ledger))
    assert paid == Counter(str(call["prompt_hash"]) for call in calls_in(calm_ledger))
    assert set(paid.values()) == {1}
    assert finished_text(settings)[1] == finished_text(settings_of(calm))[1]


def test_a_second_ctrl_c_ends_the_call_at_once(tmp_path: Path) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    with provider(ledger) as url:
        order(url, {2: "hang"})
        variables = environment(tmp_path / "home", url, stop_seconds=3_600)
        command = bookwright(variables, *WRITE, output=output)
        wait_until(lambda: asked(url) == 3, "the third call is on its way")

        os.kill(command.pid, signal.SIGINT)
        time.sleep(0.5)
        was_awaited = len(calls_in(ledger)) == 2
        os.kill(command.pid, signal.SIGINT)

        assert command.wait() == 130
        assert was_awaited
        assert failures(settings_of(variables)) == [Failure.UNAVAILABLE]
        assert the_book(settings_of(variables)).lease_owner is None
        assert bookwright(variables, *RESUME, output=output).wait() == 0
    assert max(Counter(str(call["prompt_hash"]) for call in calls_in(ledger) if call["is_whole"]).values()) == 1


@pytest.mark.parametrize(
    ("trouble", "kept"),
    [
        pytest.param("hang", Failure.UNAVAILABLE, marks=pytest.mark.soak, id="silent"),
        pytest.param("hang_mid", Failure.BROKEN_STREAM, id="broken"),
    ],
)
def test_a_call_that_outlasts_the_stop_is_kept_as_a_failed_attempt(tmp_path: Path, trouble: str, kept: Failure) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    with provider(ledger) as url:
        order(url, {2: trouble})
        variables = environment(tmp_path / "home", url, stop_seconds=0.5)
        command = bookwright(variables, *WRITE, output=output)
        wait_until(lambda: asked(url) == 3, "the third call is on its way")
        time.sleep(0.2)

        os.kill(command.pid, signal.SIGTERM)

        assert command.wait() == 143
    book = the_book(settings_of(variables))
    assert failures(settings_of(variables)) == [kept]
    assert (book.state, book.lease_owner, book.calls) == (BookState.PAUSED, None, len(calls_in(ledger)))


def stop_outside_a_write(pid: int, settings: Settings) -> None:
    """Stop a process that does not hold SQLite's lock just then: while it sleeps nobody else could write at all."""
    while True:
        os.kill(pid, signal.SIGSTOP)
        with closing(sqlite3.connect(database_file(settings) or "", timeout=0.2)) as looked:
            try:
                looked.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError:
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.001)


@pytest.mark.slow
@pytest.mark.parametrize(
    "trouble",
    [pytest.param("", id="between calls"), pytest.param("drip", marks=pytest.mark.soak, id="in a call")],
)
def test_a_worker_that_slept_past_its_lease_writes_nothing_more(tmp_path: Path, trouble: str) -> None:
    ledger, output, other_output = tmp_path / "ledger.jsonl", tmp_path / "output", tmp_path / "other"
    with provider(ledger) as url:
        order(url, {2: trouble})
        variables = environment(tmp_path / "home", url, lease_seconds=1)
        settings = settings_of(variables)
        first = bookwright(variables, *WRITE, output=output)
        wait_until(lambda: asked(url) == 3, "the third call is on its way")
        stop_outside_a_write(first.pid, settings)
        had = tokens(settings)[-1]

        wait_until(lambda: the_book(settings).lease_expires < time.time(), "the lease has run out")
        other = bookwright(variables, *RESUME, output=other_output)
        wait_until(lambda: tokens(settings)[-1] > had, "the other has recorded a step")
        os.kill(first.pid, signal.SIGCONT)

        assert first.wait() == 3, first.said
        assert other.wait() == 0, other.said
    assert "another worker has taken over book" in first.said
    assert the_book(settings).state is BookState.FINISHED
    assert tokens(settings) == sorted(tokens(settings))
    assert len(set(tokens(settings))) == 2
    paid = Counter(str(call["prompt_hash"]) for call in calls_in(ledger))
    assert sum(count - 1 for count in paid.values()) <= 1  # the call that was in flight when it was stopped
