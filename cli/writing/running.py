"""Running a book from the command line: the flow, the view, the walk, and the signals that may end it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import typer

from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.pace import DatabasePacer, Pacer
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.app.access import OpenBook, paced_models
from bookwright.cli.access import wait_until_free
from bookwright.cli.options import RunOptions
from bookwright.cli.output import can_ask, make_console, note
from bookwright.cli.steering.gates import decide_here
from bookwright.cli.writing.live import choose_view
from bookwright.flows.deps import Deps, RunObserver
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.run_book import BookRun
from bookwright.flows.stopping import Limits
from bookwright.models.book import Book
from bookwright.models.errors import BookPaused

if TYPE_CHECKING:
    from bookwright.cli.writing.ndjson import ProgressLines

_T = TypeVar("_T")


@dataclass(frozen=True)
class Wishes:
    """How a book is to be run this time."""

    limits: Limits
    run: RunOptions
    lines: "ProgressLines | None" = None
    """What tells another program on stdout how it goes."""

    @property
    def asks_at_gates(self) -> bool:
        """Whether somebody sits there who can be asked."""
        return not self.run.as_json and self.lines is None and can_ask()


def run(opened: OpenBook, wishes: Wishes) -> Book:
    """Write a book, as a run of the flow or without Prefect, showing how it goes, and return it finished.

    Raises:
        BookHeld: Another worker writes it.
        GateWaiting: It rests until a human decides.
        BookPaused: It rests, with a reason.
        typer.Exit: A signal made it rest; the exit code says which.
    """
    models = ModelService(opened.settings, pacer=_pacer(opened, wishes))
    with _exit_by_signal(), closing(models), ExitStack() as opening:
        title = "opening the book" if wishes.run.no_prefect else "opening Prefect"
        opening.enter_context(make_console(stderr=True).status(title))  # either takes a while

        @contextmanager
        def heard() -> Iterator[EventBus]:
            opening.close()
            console = make_console(stderr=wishes.run.as_json)
            view = wishes.lines or choose_view(opened.storage, console, streams=wishes.run.stream)
            with view, closing(EventBus()) as events:
                events.on("*", view.hear)
                yield events

        def run_seen_by(observer: RunObserver) -> BookRun:
            around = RunConfig(
                settings=opened.settings, database=opened.storage.database, models=models, observer=observer,
                limits=wishes.limits, cancel=models.cancel,
                wished_since=opened.known_wish if wishes.run.known_wish is None else wishes.run.known_wish,
            )  # fmt: skip
            return BookRun(around, heard, lambda gate: wishes.asks_at_gates and decide_here(gate, opened.storage))

        if wishes.run.no_prefect:
            return run_seen_by(RunObserver()).write(opened.book.id)
        from bookwright.flows.prefect.terminal import write_in_flow  # Prefect takes over a second to import

        return write_in_flow(opened.book, opened.settings, run_seen_by)


def run_beside(opened: OpenBook, work: Callable[[Deps], _T], way_on: str) -> _T:
    """Hold a book that rests while a model does something to it that is no part of its walk, showing each step.

    `way_on` names what goes on with it where it is interrupted, which `resume` does not.

    Raises:
        BookHeld: Another worker writes it; one of this machine that has died is waited for.
        BookPaused: It was not done to its end; what was paid is kept.
        typer.Exit: A signal ended it; the exit code says which.
    """
    wait_until_free(opened)
    settings, storage = opened.settings, opened.storage
    with (
        paced_models(storage.database, settings) as models,
        choose_view(storage, make_console(stderr=True), streams=False) as view,
        closing(EventBus()) as events,
        _exit_by_signal(),
    ):
        events.on("*", view.hear)
        around = RunConfig(settings, storage.database, models, events=events, cancel=models.cancel)
        with hold_book(opened.book.id, around, way_on=way_on) as deps:
            return work(deps)


def _pacer(opened: OpenBook, wishes: Wishes) -> Pacer:
    if wishes.run.no_prefect or not opened.settings.requests_per_minute:
        return DatabasePacer(opened.storage.database, opened.settings)
    from bookwright.flows.prefect.pace import shared_pacer  # as above

    return shared_pacer(opened.storage.database, opened.settings)


@contextmanager
def _exit_by_signal() -> Iterator[None]:
    """Leave with a signal's exit code where SIGINT or SIGTERM made a book rest; the walk handles them itself.

    The interpreter writes each signal's number to a file descriptor before any handler runs.
    """
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield
    except BookPaused as rest:
        numbers = _endings_in(reader)
        if not numbers:
            raise
        note(f"bookwright: {rest}")
        raise typer.Exit(128 + numbers[0]) from rest
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)


def _endings_in(reader: int) -> list[int]:
    """Return which of SIGINT and SIGTERM have come, in their order."""
    try:
        numbers = os.read(reader, 64)
    except BlockingIOError:
        return []
    return [number for number in numbers if number in (signal.SIGINT, signal.SIGTERM)]
