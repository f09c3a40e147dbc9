"""Starting work on a book as a process of its own, which outlives whoever started it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bookwright.app.orders.checks import check_writable
from bookwright.flows.blueprints.reach import check_reach
from bookwright.flows.library import find_or_create
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database


def begin(database: Database, brief: Brief, settings: Settings) -> Book:
    """Put a new book on the shelf, once it is sure that it can be written as things are set.

    Raises:
        InvalidInput: It cannot; the message says what to change.
    """
    check_writable(brief, settings)
    check_reach(brief, settings)
    return find_or_create(database, brief, is_new=True)


def start_verb(arguments: Sequence[str], book: str, settings: Settings) -> "subprocess.Popen[bytes]":
    """Run a verb in a process of its own session; what it says goes to a file of the data folder."""
    log = log_of(book, settings)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "bookwright", *arguments],
            stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
            env=environment_of(settings), start_new_session=True,
        )  # fmt: skip


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment of a process that works on the same data folder."""
    return os.environ | {"BOOKWRIGHT_HOME": str(settings.home)}


def last_words(book: str, settings: Settings) -> str:
    """Return the last line that a book's process said; empty where it said nothing."""
    try:
        lines = log_of(book, settings).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.removeprefix("bookwright: ") for line in reversed(lines) if line.strip()), "")


def log_of(book: str, settings: Settings) -> Path:
    """Where the last process that was started on a book writes what it has to say."""
    return settings.home / "logs" / f"{book}.log"
