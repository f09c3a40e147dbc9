"""Starting work on a book: whether it can be written as things are set, where it is to rest, its own process."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from bookwright.agents.backends.local import weights
from bookwright.agents.backends.spending import prices
from bookwright.agents.backends.windows import with_known
from bookwright.app.access import OpenBook, existing_library
from bookwright.app.node_lookup import find_node
from bookwright.flows.book_models import check_reach, fitted_profile, model_of
from bookwright.flows.library import book_id, check_blueprint, check_models, find_or_create
from bookwright.flows.stopping import may_be_title
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.errors import BookPaused, GateWaiting, InvalidInput, InvalidSetting, NodeNotFound
from bookwright.models.model_name import ROLES
from bookwright.models.profile import ProfileName
from bookwright.models.settings import Settings
from bookwright.models.step import Usage
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import chapter_number
from bookwright.storage.engine.database import Database
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores

_RESTED = (0, BookPaused.exit_code, GateWaiting.exit_code)
"""A process whose book rests has not failed: the book's row says why."""


def check_writable(brief: Brief, settings: Settings) -> None:
    """Make sure that a book can be written as things are set, before anything is created or paid.

    Raises:
        InvalidInput: It cannot; the message says what to change.
    """
    check_models(brief, settings)
    if brief.drafts_a_unit > 1 and fitted_profile(brief, settings).name is ProfileName.SMALL:
        raise InvalidSetting("candidates are judged by a model; those of the profile small are too weak for that")
    check_blueprint(brief, settings)
    make_embedder(settings)
    names = list(dict.fromkeys(model_of(role, brief, settings) for role in ROLES))
    if brief.budget.usd is not None or settings.studio_usd is not None:
        for name in names:
            if prices.cost(name, Usage(input_tokens=1, output_tokens=1), settings) is None:
                raise InvalidSetting(
                    f"the budget caps money and the price of {name} is unknown; "
                    f'give it in config.toml under [prices."{name}"], 0 if it is free'
                )
    for name in names:  # last, for a file that was found whole is remembered in the data folder
        provider, _, model = name.partition(":")
        if provider == "embedded":
            weights.locate(model, settings)


def check_strong_writer(opened: OpenBook, complaint: str) -> None:
    """Make sure that a book's models can be asked, and do more than those of the smallest profile can.

    Raises:
        InvalidInput: They cannot be asked, or are too weak; the message is then the complaint.
    """
    check_writable(opened.book.brief, opened.settings)
    if fitted_profile(opened.book.brief, with_known(opened.book.windows, opened.settings)).name is ProfileName.SMALL:
        raise InvalidInput(complaint)


def end_in(storage: BookStorage, words: str | None, *, grows: bool = False) -> str | None:
    """Return where a run of a book, that `grows` behind its end, is to rest: what is there by its label.

    Raises:
        InvalidSetting: Nothing of the book is called that.
        InvalidInput: More than one unit has that title.
    """
    if words is None:
        return None
    with storage.read() as stores:
        return _label_of(words.strip(), stores, grows)


def end_in_book_of(brief: Brief, words: str | None, settings: Settings, *, is_new: bool) -> str | None:
    """Return the same for a brief, whose book may not be there yet; with `is_new` it is another one.

    Raises:
        InvalidSetting: The book is there, and nothing of it is called that.
        InvalidInput: More than one unit has that title.
    """
    with existing_library(settings) as database:
        if words is None or database is None or is_new:
            return words
        with database.read() as connection:
            known = BookRepository(connection).find(book_id(brief))
        return words if known is None else end_in(BookStorage(database, known.id, known.brief.language), words)


def _label_of(words: str, stores: Stores, grows: bool) -> str:
    number = chapter_number(words)
    if number is None and not may_be_title(words):
        return words
    reading = stores.codex.reading_order()
    if number is not None and number > len(reading.chapters):
        if reading.chapters and not (reading.usual or grows):
            raise InvalidSetting(f"--until is {words!r}; this book has no more than {len(reading.chapters)} chapters")
        return words  # it is still to come
    try:
        unit = find_node(words, stores)
        return words if number is not None and unit.level is Level.CHAPTER else unit.label
    except NodeNotFound as error:
        raise InvalidSetting(f"--until is {words!r}: {error}") from None


def begin(database: Database, brief: Brief, settings: Settings, *, is_new: bool = True) -> Book:
    """Put a book on the shelf, once it is sure that it can be written as things are set; a new one, unless told.

    Raises:
        InvalidInput: It cannot; the message says what to change.
    """
    check_writable(brief, settings)
    check_reach(brief, settings)
    return find_or_create(database, brief, is_new=is_new)


def going_on_with(book: Book, *more: str) -> tuple[str, ...]:
    """Return the verb that goes on with a book in spite of a wish made by now that it rest, and hears a later one."""
    return "resume", book.id, "--no-prefect", "--known-wish", str(book.stop_requested_at), *more


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


class Runs:
    """Starts verbs in processes that outlive this one, one at a time on each book."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._failures: dict[str, str] = {}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, book: str, arguments: Sequence[str]) -> bool:
        """Start a verb on a book; False if one that was started here is still at it."""
        with self._lock:
            if book in self._running:
                return False
            self._failures.pop(book, None)
            self._running[book] = process = start_verb(arguments, book, self._settings)
        threading.Thread(target=self._wait, args=(book, process), daemon=True, name=f"waits {book}").start()
        return True

    def is_starting(self, book: str) -> bool:
        """True while a process that was started here lives."""
        with self._lock:
            return book in self._running

    def failure(self, book: str) -> str:
        """Return why the last process on a book failed; empty if it did not."""
        with self._lock:
            return self._failures.get(book, "")

    def _wait(self, book: str, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        with self._lock:
            del self._running[book]
            if code not in _RESTED:
                self._failures[book] = last_words(book, self._settings) or f"it ended with code {code}"


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
