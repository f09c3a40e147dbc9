"""The flow called by a terminal: the flow that a worker runs, on whatever Prefect server there is.

The walk must neither wait for Prefect nor fail with it, so how the book ended is told by the run of the book, and
never by the flow run around it.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from prefect.events.clients import PrefectEventsClient
from prefect.events.worker import EventsWorker, emit_events_to_cloud
from prefect.exceptions import Abort
from prefect.logging.handlers import APILogHandler
from prefect.settings import temporary_settings

from bookwright.flows.deps import RunObserver
from bookwright.flows.prefect.flow_run import PATIENCE, Notice, reaching, to_stderr
from bookwright.flows.prefect.observer import PrefectObserver
from bookwright.flows.prefect.server import known_server, own_server
from bookwright.flows.run_book import BookRun
from bookwright.flows.write_book import GIVEN_RUN, write_book
from bookwright.models.book import Book
from bookwright.models.settings import Settings

_EVENT_SECONDS = 10.0
_EVENT_TRIES = 2
"""How often a lost server is tried again for one event; by Prefect's own ten, a process ends 7 s later for each."""

_SETTLE_SECONDS = 20.0
"""How long a person waits at most until the server has all that was done."""

_LOGGERS = ("prefect", "httpx", "EventsWorker", "APILogWorker")


@dataclass
class _RememberedRun(BookRun):
    """A run of a book that remembers how it ended, for Prefect's word on that need not arrive."""

    observer: PrefectObserver
    ended: Future[Book] = field(default_factory=Future)

    def write(self, book_id: str) -> Book:
        """Write the book; where Prefect's server is gone, leave its flow run by `Abort`, without telling it the end."""
        try:
            self.ended.set_result(super().write(book_id))
        except Exception as error:
            self.ended.set_exception(error)
        if not self.observer.is_blind:
            self.observer.settle(_SETTLE_SECONDS)
        if self.observer.is_blind:
            raise Abort
        return self.ended.result()


def write_in_flow(
    book: Book, settings: Settings, run_seen_by: Callable[[RunObserver], BookRun], notice: Notice | None = None
) -> Book:
    """Write a book in this process as a run of the flow, and return it finished.

    On the server that Prefect's settings name or a running `bookwright server`, else on one of its own for as long
    as the book is written. If there is none to be had, `notice` hears so in one line and the book is written without
    Prefect; so it is if the server dies later. Raises what `run_seen_by(...).write` does.
    """
    tell = notice or to_stderr
    observer = PrefectObserver(tell)
    seen = run_seen_by(observer)
    run = _RememberedRun(seen.around, seen.heard, seen.decides, observer)
    try:
        with _prefect(settings, observer):
            message = _call_flow(book, run)
    except (Exception, Abort) as error:  # whatever ails Prefect, a book can be written without it
        message = f"{type(error).__name__}: {error}"
    if run.ended.done():
        return run.ended.result()
    tell(f"Prefect could not be started ({message}); the book is written without it")
    return run_seen_by(RunObserver()).write(book.id)


def _call_flow(book: Book, run: BookRun) -> str:
    """Call the flow with the run that is to be made of it, and return the last words of its state."""
    given = GIVEN_RUN.set(run)
    try:
        return write_book(book=book.id, return_state=True).message or ""
    finally:
        GIVEN_RUN.reset(given)
        EventsWorker.drain_all(timeout=_EVENT_SECONDS)


@contextmanager
def _prefect(settings: Settings, observer: PrefectObserver) -> Iterator[None]:
    """Lead Prefect to a server that is there or else one of its own, its log lines off the terminal."""
    with ExitStack() as stack:
        api = known_server(settings) or stack.enter_context(own_server(settings))
        stack.enter_context(temporary_settings(reaching(api) | PATIENCE))
        # The one logger of Prefect's with a console of its own is named: Prefect has no setting that turns it off.
        stack.enter_context(_filtered((None, "prefect._internal"), logging.StreamHandler, _is_not_prefects))
        # Lines for a server that is gone would keep the process for a minute.
        api_loggers = ("prefect.flow_runs", "prefect.task_runs")
        stack.enter_context(_filtered(api_loggers, APILogHandler, lambda record: not observer.is_gone))
        if not emit_events_to_cloud():
            EventsWorker.set_client_override(PrefectEventsClient, reconnection_attempts=_EVENT_TRIES)
            stack.callback(EventsWorker.set_client_override, None)
        yield


@contextmanager
def _filtered(
    loggers: Iterable[str | None], kind: type[logging.Handler], passes: Callable[[logging.LogRecord], bool]
) -> Iterator[None]:
    """Let handlers of a kind take only the lines that pass, and complain of none that they cannot take."""
    handlers = [one for name in loggers for one in logging.getLogger(name).handlers if isinstance(one, kind)]
    for handler in handlers:
        handler.addFilter(passes)
    complains, logging.raiseExceptions = logging.raiseExceptions, False
    try:
        yield
    finally:
        logging.raiseExceptions = complains
        for handler in handlers:
            handler.removeFilter(passes)


def _is_not_prefects(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] not in _LOGGERS
