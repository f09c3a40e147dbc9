"""A book that is killed at ten random moments, judged by the provider's own ledger.

Source: issue "Nothing lost, nothing paid twice"; DESIGN section 17, "paid again after kill -9".
"""

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import BookState
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookHeld
from bookwright.storage.repositories.books import BookRepository
from tests.durability.children import (
    BRIEF,
    calls_in,
    finished_text,
    in_child,
    provider,
    settings_for,
    wait_for_calls,
    write_once,
)

KILLS = 10
"""How often a book is killed, which takes 34 calls: ten who are killed after one or two do not finish it."""


@pytest.mark.slow
def test_a_book_killed_ten_times_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    calm_ledger, wild_ledger = tmp_path / "calm.jsonl", tmp_path / "wild.jsonl"
    with provider(calm_ledger) as url:
        calm = settings_for(tmp_path / "calm", url)
        write_once(calm)  # here, so that those who are killed need not compile what it takes
        calm_book, calm_text = finished_text(calm)
        wait_for_calls(calm_ledger, calm_book.calls)  # the last one is noted once it was answered
    lot = random.Random(7)

    kills = 0
    with provider(wild_ledger) as url:
        wild = settings_for(tmp_path / "wild", url)
        while kills < KILLS:
            answered = len(calls_in(wild_ledger))
            pid = in_child(lambda: write_once(wild))
            wait_for_calls(wild_ledger, answered + lot.randint(1, 2))
            time.sleep(lot.random() * 0.05)  # somewhere in the next call, or between two
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            assert os.WIFSIGNALED(status), "the book was finished before it could be killed ten times"
            kills += 1
        _, status = os.waitpid(in_child(lambda: write_once(wild)), 0)
    wild_book, wild_text = finished_text(wild)

    assert status == 0
    assert wild_book.state is BookState.FINISHED
    assert wild_text == calm_text
    assert calm_book.calls == len(calls_in(calm_ledger))
    paid = Counter(str(call["prompt_hash"]) for call in calls_in(wild_ledger))
    again = sum(count - 1 for count in paid.values())
    assert again <= kills
    assert len(paid) == calm_book.calls == wild_book.calls


def test_a_second_worker_is_told_who_holds_the_book_and_pays_nothing(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    with provider(ledger) as url:
        settings = settings_for(tmp_path / "home", url)
        database = open_library(settings)
        book = find_or_create(database, make_brief(BRIEF))
        database.dispose()
        first = in_child(lambda: write_once(settings))
        database = open_library(settings)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with database.read() as connection:
                held = BookRepository(connection).get(book.id)
            if held.calls > 2:
                break
            time.sleep(0.02)
        models = ModelService(settings.model_copy(update={"llm_base_url": url + "/second"}))

        with pytest.raises(BookHeld, match=f"process {first} on"):
            run_book(book.id, RunConfig(settings, database, models))

        os.kill(first, signal.SIGTERM)
        os.waitpid(first, 0)
    with database.read() as connection:
        rested = BookRepository(connection).get(book.id)
    assert rested.state is BookState.PAUSED
    assert rested.calls == len(calls_in(ledger))
