"""Running a book from the command line: the flow, the view, the walk, and the signals that may end it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TypeVar

import typer

from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.pace import DatabasePacer, Pacer
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.cli.output import make_console, note
from bookwright.cli.steering.deciding import can_ask, decide_here
from bookwright.cli.writing.live import WatcherView, choose_view
from bookwright.cli.writing.ndjson import ProgressLines
from bookwright.cli.writing.waiting import wait_until_free
from bookwright.flows.deps import Deps, RunObserver
from bookwright.flows.limits import Limits
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.run_book import BookRun
from bookwright.models.book import Book
from bookwright.models.errors import BookPaused
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage

_T = TypeVar("_T")


@dataclass(frozen=True)
class Wishes:
    """How a book is to be run this time."""

    limits: Limits
    streams: bool = False
    uses_prefect: bool = True
    as_json: bool = False
    """Facts go to stdout as JSON at the end, so what is watched goes to stderr."""
    lines: ProgressLines | None = None
    """What tells another program on stdout how it goes."""

    @property
    def asks_at_gates(self) -> bool:
        """Whether somebody sits there who can be asked."""
        return not self.as_json and self.lines is None and can_ask()


def run(book: Book, storage: BookStorage, settings: Settings, wishes: Wishes) -> Book:
    """Write a book, showing how it goes, and return it finished.

    Raises:
        BookHeld: Another worker writes it.
        GateWaiting: It rests until a human decides.
        BookPaused: It rests, with a reason.
        typer.Exit: A signal made it rest; the exit code says which.
    """
    with _signals() as caught:
        try:
            return _run_watched(book, storage, settings, wishes)
        except BookPaused as rest:
            numbers = caught()
            if not numbers:
                raise
            note(f"bookwright: {rest}")
            raise typer.Exit(128 + numbers[0]) from rest


def run_beside(book: Book, storage: BookStorage, settings: Settings, work: Callable[[Deps], _T], way_on: str) -> _T:
    """Hold a book that rests while a model does something to it that is no part of its walk, showing each step.

    `way_on` names what goes on with it where it is interrupted, which `resume` does not.

    Raises:
        BookHeld: Another worker writes it; one of this machine that has died is waited for.
        BookPaused: It was not done to its end; what was paid is kept.
        typer.Exit: A signal ended it; the exit code says which.
    """
    wait_until_free(storage, settings)
    models = ModelService(settings, pacer=DatabasePacer(storage.database, settings))
    with (
        closing(models),
        _signals() as caught,
        choose_view(storage, make_console(stderr=True), streams=False) as view,
        closing(EventBus()) as events,
    ):
        events.on("*", view.hear)
        around = RunConfig(settings, storage.database, models, events=events, cancel=models.cancel)
        try:
            with hold_book(book.id, around, way_on=way_on) as deps:
                return work(deps)
        except BookPaused as rest:
            numbers = caught()
            if not numbers:
                raise
            note(f"bookwright: {rest}")
            raise typer.Exit(128 + numbers[0]) from rest


def _run_watched(book: Book, storage: BookStorage, settings: Settings, wishes: Wishes) -> Book:
    """Write a book as a run of the flow or without Prefect, saying in a terminal that this takes a while to open."""
    models = ModelService(settings, pacer=_pacer(storage, settings, wishes))
    with closing(models), ExitStack() as opening:
        opening.enter_context(
            make_console(stderr=True).status("opening Prefect" if wishes.uses_prefect else "opening the book")
        )

        @contextmanager
        def heard() -> Iterator[EventBus]:
            opening.close()
            with _watch(storage, wishes) as view, closing(EventBus()) as events:
                events.on("*", view.hear)
                yield events

        def run_seen_by(observer: RunObserver) -> BookRun:
            around = RunConfig(
                settings=settings, database=storage.database, models=models, observer=observer,
                limits=wishes.limits, cancel=models.cancel,
            )  # fmt: skip
            return BookRun(around, heard, lambda gate: wishes.asks_at_gates and decide_here(gate, storage))

        if not wishes.uses_prefect:
            return run_seen_by(RunObserver()).write(book.id)
        from bookwright.flows.prefect.terminal import write_in_flow  # Prefect takes over a second to import

        return write_in_flow(book, settings, run_seen_by)


def _pacer(storage: BookStorage, settings: Settings, wishes: Wishes) -> Pacer:
    if not (settings.requests_per_minute and wishes.uses_prefect):
        return DatabasePacer(storage.database, settings)
    from bookwright.flows.prefect.pace import shared_pacer  # as above

    return shared_pacer(storage.database, settings)


def _watch(storage: BookStorage, wishes: Wishes) -> WatcherView:
    return wishes.lines or choose_view(storage, make_console(stderr=wishes.as_json), streams=wishes.streams)


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
