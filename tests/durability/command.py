"""The command line in a fork of this warmed process, and the fake provider's word on what it was asked."""

import ctypes
import json
import os
import signal
import sys
import time
import traceback
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.models.book import Book
from bookwright.models.settings import Settings, load_settings
from bookwright.models.step import Failure
from bookwright.storage.engine.database import open_database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.tables import steps
from tests.durability.children import warm_up

BRIEF = ("--premise", "A keeper reads a log in her own hand.", "--profile", "economy", "--title", "The Log")
WRITE = ("write", *BRIEF, "--words", "6000", "--no-prefect")
BOOK = "the-log"
"""What the book's id begins with."""
RESUME = ("resume", BOOK, "--no-prefect")

_DIE_WITH_PARENT = 1
"""`PR_SET_PDEATHSIG` of Linux's prctl."""


@dataclass(frozen=True)
class Command:
    """A running command."""

    pid: int
    output: Path

    def wait(self) -> int:
        """Its exit code, or minus the signal that killed it."""
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    @property
    def said(self) -> str:
        """What it printed, with what commands before it printed to the same file."""
        return self.output.read_text()


def environment(home: Path, url: str, **values: Any) -> dict[str, str]:
    """What the commands of a test find in their environment."""
    settings = {"home": home, "model": "compatible:fake", "llm_base_url": url, "embedding": "hashing",
                "lease_seconds": 2, "free_megabytes": 0, **values}  # fmt: skip
    return {f"BOOKWRIGHT_{name.upper()}": str(value) for name, value in settings.items()}


def settings_of(variables: Mapping[str, str]) -> Settings:
    return load_settings(**{name.removeprefix("BOOKWRIGHT_").lower(): value for name, value in variables.items()})


def bookwright(
    variables: Mapping[str, str], *arguments: str, output: Path, first: Callable[[], object] = lambda: None
) -> Command:
    """Begin a command; `first` is done in its process before it."""
    warm_up()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)  # also one that sleeps, when a test failed
            os.environ.update(variables)
            sys.stdout = sys.stderr = output.open("a", buffering=1)
            first()
            code = run(app, arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    return Command(pid, output)


def the_book(settings: Settings) -> Book:
    """The only book of a library."""
    database = open_database(settings)
    with database.read() as connection:
        [book] = BookRepository(connection).all()
    database.dispose()
    return book


def tokens(settings: Settings) -> list[int]:
    """The lease's token of each recorded step, in the order of their recording."""
    database = open_database(settings)
    with database.read() as connection:
        found = list(connection.execute(select(steps.c.lease_token).order_by(steps.c.id)).scalars())
    database.dispose()
    return found


def failures(settings: Settings) -> list[Failure]:
    """What was wrong with each attempt on record that was no result."""
    database = open_database(settings)
    with database.read() as connection:
        rows = connection.execute(steps.select().where(steps.c.failure.is_not(None)).order_by(steps.c.id)).all()
    database.dispose()
    return [Failure(row.failure) for row in rows]


def order(url: str, troubles: Mapping[int, str]) -> None:
    """Tell the provider what to do with calls by their index."""
    body = json.dumps({str(index): trouble for index, trouble in troubles.items()}).encode()
    _ask(urllib.request.Request(f"{url.removesuffix('/v1')}/script", body))


def asked(url: str) -> int:
    """How many calls have arrived at the provider."""
    return len(_ask(urllib.request.Request(f"{url.removesuffix('/v1')}/ledger")))


def wait_until(is_so: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.03)


def _ask(request: urllib.request.Request) -> Any:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request) as response:
        return json.load(response)
