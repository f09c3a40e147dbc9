"""Running a book from the command line: the checks before, the wait for a dead worker, the walk, the watching."""

import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

import typer

from bookwright.agents.backends import prices
from bookwright.agents.backends.service import ModelService
from bookwright.cli.access import at_rest
from bookwright.cli.live import View, choose_view
from bookwright.cli.output import make_console, note
from bookwright.flows.deps import Deps, NoWindow, Window
from bookwright.flows.hold import Surroundings, model_of
from bookwright.flows.library import check_models
from bookwright.flows.limits import Limits
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.models.errors import BookHeld, BookPaused, InvalidSetting
from bookwright.models.model_name import ROLES
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Usage
from bookwright.models.task import TaskNode
from bookwright.storage.embedding import make_embedder
from bookwright.storage.stores import BookStorage

_SLACK_SECONDS = 2.0
_OWNER = re.compile(r"process (\d+) on (.+)")


@dataclass(frozen=True)
class Wishes:
    """How a book is to be run this time."""

    limits: Limits = Limits()
    streams: bool = False
    uses_prefect: bool = True
    as_json: bool = False
    """Facts go to stdout as JSON at the end, so what is watched goes to stderr."""


def check(brief: Brief, settings: Settings) -> None:
    """Make sure that a book can be written as things are set, before anything is created or paid.

    Raises:
        InvalidInput: It cannot; the message says what to change.
    """
    check_models(brief, settings)
    make_embedder(settings)
    if brief.budget.usd is None:
        return
    for name in dict.fromkeys(model_of(role, brief, settings) for role in ROLES):
        if prices.cost(name, Usage(input_tokens=1, output_tokens=1), settings) is None:
            raise InvalidSetting(
                f"the budget caps money and the price of {name} is unknown; "
                f'give it in config.toml under [prices."{name}"], 0 if it is free'
            )


def wait_until_free(storage: BookStorage, settings: Settings) -> None:
    """Return once nobody holds the book; wait only for a worker of this machine that has died.

    Raises:
        BookHeld: A living worker holds it, or one whose life cannot be seen from here.
    """
    began = time.monotonic()
    told = ""
    while (held := _holding(storage)) is not None:
        if not is_dead(held.owner) or time.monotonic() - began > settings.lease_seconds + _SLACK_SECONDS:
            raise held
        if held.owner != told:
            note(f"{held.owner} has died; the lease of {held.book} runs out in {held.seconds_left:.0f} s")
            told = held.owner
        time.sleep(min(held.seconds_left, 1.0) + 0.05)


def _holding(storage: BookStorage) -> BookHeld | None:
    """Return what keeps the book from being taken; None if nothing does."""
    try:
        with at_rest(storage):
            return None
    except BookHeld as held:
        return held


def is_dead(owner: str) -> bool:
    """True if a lease's owner is a process of this machine that no longer runs."""
    found = _OWNER.fullmatch(owner)
    if found is None or found.group(2) != socket.gethostname() or os.name != "posix":
        return False  # elsewhere signal 0 is no mere question
    try:
        os.kill(int(found.group(1)), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def run(book: Book, storage: BookStorage, settings: Settings, wishes: Wishes) -> Book:
    """Write a book, showing how it goes, and return it finished.

    Raises:
        BookHeld: Another worker writes it.
        BookPaused: It rests, with a reason.
        typer.Exit: A signal made it rest; the exit code says which.
    """
    models = ModelService(settings)
    try:
        with _open_window(settings, book, wishes) as window, _signals() as signals, _watch(storage, wishes) as view:
            around = Surroundings(
                settings=settings, database=storage.database, models=models, window=_Watched(window, view),
                listener=view.hear, limits=wishes.limits, cancel=models.cancel,
            )  # fmt: skip
            return _run_unless_stopped(book, around, signals)
    finally:
        models.close()


@contextmanager
def _open_window(settings: Settings, book: Book, wishes: Wishes) -> Iterator[Window]:
    """Open the window, saying in a terminal that this takes a while."""
    with ExitStack() as stack:
        with make_console(stderr=True).status("opening Prefect" if wishes.uses_prefect else "opening the book"):
            window = stack.enter_context(choose_window(settings, book, uses_prefect=wishes.uses_prefect))
        yield window


def _watch(storage: BookStorage, wishes: Wishes) -> View:
    return choose_view(storage, make_console(stderr=wishes.as_json), streams=wishes.streams)


def choose_window(settings: Settings, book: Book, *, uses_prefect: bool) -> AbstractContextManager[Window]:
    """Return Prefect's window, or none if it is not wanted."""
    if not uses_prefect:
        return nullcontext(NoWindow())
    from bookwright.flows.prefect_window import open_window  # Prefect takes over a second to import

    return open_window(settings, book)


def _run_unless_stopped(book: Book, around: Surroundings, signals: Callable[[], list[int]]) -> Book:
    try:
        return run_book(book.id, around)
    except BookPaused as rest:
        caught = signals()
        if not caught:
            raise
        note(f"bookwright: {rest}")
        raise typer.Exit(128 + caught[0]) from rest


@dataclass(frozen=True)
class _Watched:
    """A window that tells the view, too, when a unit is closed."""

    window: Window
    view: View

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work in the window."""
        self.window.run(activity, node, work)

    def finished(self, unit: TaskNode, deps: Deps) -> None:
        """Tell both."""
        self.window.finished(unit, deps)
        self.view.finished(unit)


@contextmanager
def _signals() -> Iterator[Callable[[], list[int]]]:
    """Note which of SIGINT and SIGTERM come while the walk handles them itself.

    The interpreter writes each signal's number to a file descriptor before any handler runs.
    """
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def caught() -> list[int]:
        try:
            numbers = os.read(reader, 64)
        except BlockingIOError:
            return []
        return [number for number in numbers if number in (signal.SIGINT, signal.SIGTERM)]

    try:
        yield caught
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)
