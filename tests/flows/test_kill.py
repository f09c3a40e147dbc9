"""A book that is killed at ten random moments, judged by the provider's own ledger.

Source: issue "Nothing lost, nothing paid twice"; DESIGN section 17, "paid again after kill -9".
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.hold import Surroundings
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookHeld
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.books import BookRepository
from bookwright.storage.stores import BookStorage

KILLS = 10
BRIEF = {"premise": "A keeper reads a log in her own hand.", "length": 12_000, "profile": "economy", "title": "The Log"}


@contextmanager
def provider(ledger: Path) -> Iterator[str]:
    """A fake provider as a process of its own, so that no kill of ours reaches it; yields its URL."""
    command = [sys.executable, "-m", "tests.fake_provider", "--ledger", str(ledger),
               "--author", "tests.novelist:write", "--piece-seconds", "0.0005"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


def settings_for(home: Path, url: str) -> Settings:
    return load_settings(
        home=home, model="compatible:fake", llm_base_url=url, embedding="hashing", lease_seconds=1, free_megabytes=0
    )


def write_once(settings: Settings) -> None:
    """Write or go on with the book in this process, waiting for a dead worker's lease."""
    database = open_library(settings)
    book = find_or_create(database, make_brief(BRIEF))
    models = ModelService(settings)
    while True:
        try:
            run_book(book.id, Surroundings(settings, database, models))
            models.close()
            return
        except BookHeld:
            time.sleep(0.1)


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a fork of this warmed process; returns its pid."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return pid


def finished_text(settings: Settings) -> tuple[Book, str]:
    database = open_library(settings)
    with database.read() as connection:
        book = BookRepository(connection).all()[0]
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        keys = [unit.key for unit in stores.nodes.leaves()]
        prose = [stores.documents.current(key, DocumentKind.PROSE) for key in keys]
    database.dispose()
    return book, "\n\n".join(document.text for document in prose if document)


def calls_in(ledger: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in ledger.read_text().splitlines()] if ledger.exists() else []


def wait_for_calls(ledger: Path, count: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while len(calls_in(ledger)) < count:
        assert time.monotonic() < deadline, f"the provider was not asked {count} times"
        time.sleep(0.005)


@pytest.mark.slow
def test_a_book_killed_ten_times_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    calm_ledger, wild_ledger = tmp_path / "calm.jsonl", tmp_path / "wild.jsonl"
    with provider(calm_ledger) as url:
        calm = settings_for(tmp_path / "calm", url)
        os.waitpid(in_child(lambda: write_once(calm)), 0)
    calm_book, calm_text = finished_text(calm)
    lot = random.Random(7)

    kills = 0
    with provider(wild_ledger) as url:
        wild = settings_for(tmp_path / "wild", url)
        while kills < KILLS:
            answered = len(calls_in(wild_ledger))
            pid = in_child(lambda: write_once(wild))
            wait_for_calls(wild_ledger, answered + lot.randint(1, 2))
            time.sleep(lot.random() * 0.1)  # somewhere in the next call, or between two
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
            run_book(book.id, Surroundings(settings, database, models))

        os.kill(first, signal.SIGTERM)
        os.waitpid(first, 0)
    with database.read() as connection:
        rested = BookRepository(connection).get(book.id)
    assert rested.state is BookState.PAUSED
    assert rested.calls == len(calls_in(ledger))
