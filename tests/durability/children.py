"""Processes of the durability tests: a provider with a ledger, and workers forked from a warmed process."""

import importlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookHeld
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from tests.support import novelist
from tests.support.fake_provider import FakeProvider
from tests.support.forks import reached

BRIEF = {
    "premise": "A keeper reads a log in her own hand.", "length": 6_000, "profile": "economy", "title": "The Log",
    "max_planning_rounds": 1,
}  # fmt: skip
"""Planned, since it sets the rounds; and too short for an index of vectors, whose threads no fork survives."""


_IMPORTED = ("bookwright.cli.writing.write", "bookwright.cli.writing.running", "bookwright.cli.writing.live")
"""What a command imports once it has begun, and a book that is written without it does not."""


@contextmanager
def provider(ledger: Path, *options: str) -> Iterator[str]:
    """A fake provider as a process of its own, so that no kill of ours reaches it; yields its URL."""
    command = ["tests.support.fake_provider", "--ledger", str(ledger),
               "--author", "tests.support.novelist:write", "--piece-seconds", "0.0005", *options]  # fmt: skip
    with reached().talking(command, os.environ) as (_, said):
        yield json.loads(said.readline())["url"]


def settings_for(home: Path, url: str) -> Settings:
    return load_settings(
        home=home, model="compatible:fake", llm_base_url=url, embedding="hashing", lease_seconds=1, free_megabytes=0
    )


@cache
def warm_up() -> None:
    """Write a few pages in this process, so that nothing forked from it imports and compiles all that anew."""
    for name in _IMPORTED:
        importlib.import_module(name)
    with FakeProvider(author=novelist.write) as fake, tempfile.TemporaryDirectory() as home:
        write_once(settings_for(Path(home), fake.url), length=600)


def write_once(settings: Settings, **brief: Any) -> None:
    """Write or go on with the book in this process, waiting for a dead worker's lease."""
    database = open_library(settings)
    book = find_or_create(database, make_brief(BRIEF | brief))
    models = ModelService(settings)
    while True:
        try:
            run_book(book.id, RunConfig(settings, database, models))
            models.close()
            database.dispose()
            return
        except BookHeld:
            time.sleep(0.1)


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a fork of this warmed process; returns its pid."""
    warm_up()
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


def calls_in(ledger: Path, models: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What a provider was asked: all of it, or what some models were."""
    lines = ledger.read_text().splitlines() if ledger.exists() else []
    named = [json.dumps(model) for model in models]
    calls = [json.loads(line) for line in lines if not named or any(name in line for name in named)]
    return [call for call in calls if not models or call["model"] in models]


def wait_for_calls(ledger: Path, count: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not ledger.exists() or ledger.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline, f"the provider was not asked {count} times"
        time.sleep(0.01)
