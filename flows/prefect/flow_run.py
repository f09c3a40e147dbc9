"""A flow run around a walk in the terminal, on whatever Prefect server there is."""

import logging
import queue
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import Context, copy_context
from typing import Any

import prefect.settings
from prefect import flow
from prefect.client.schemas.objects import State
from prefect.events.worker import EventsWorker
from prefect.settings import temporary_settings
from prefect.settings.legacy import Setting
from prefect.states import Cancelled, Failed

from bookwright.flows.prefect.server import PrefectApi, known_server, own_server
from bookwright.models.errors import BookHeld, BookPaused, BookwrightError, GateWaiting
from bookwright.models.settings import Settings

FLOW_NAME = "write-book"

_OPEN_SECONDS = 60.0
_CLOSE_SECONDS = 10.0
_GIVE_UP_SECONDS = 2.0

PATIENCE = {prefect.settings.PREFECT_API_REQUEST_TIMEOUT: 15.0, prefect.settings.PREFECT_CLIENT_MAX_RETRIES: 2}
"""Prefect's settings while a book is written: the walk must not wait for a server."""


def reaching(api: PrefectApi) -> dict[Setting, Any]:
    """Return Prefect's settings that lead to a server and let us in there."""
    login = {prefect.settings.PREFECT_API_AUTH_STRING: api.login} if api.login else {}
    return {prefect.settings.PREFECT_API_URL: api.url} | login


class RunCancelled(BookPaused):
    """The book rests because its flow run was cancelled in Prefect."""

    def __init__(self, book: str) -> None:
        super().__init__("the flow run was cancelled in Prefect", f"`bookwright resume {book}` goes on")


def ending_of(error: BaseException) -> State[None]:
    """Say as a state of a flow run why a walk ended before its book did.

    A book that rests ends its run as failed, with the reason as the message: a person is to look,
    Completed would count it among the written books, and Prefect's own Paused would wait to be resumed
    there, while a book is resumed by any later run.
    """
    for cause in (error, error.__cause__):
        if isinstance(cause, RunCancelled):
            return Cancelled(message=str(cause))  # the only ending that Prefect takes of such a run
        if isinstance(cause, GateWaiting):
            return Failed(name="Waiting", message=str(cause))  # suspended where a worker would start it again
        if isinstance(cause, BookPaused):
            return Failed(name="Paused", message=str(cause))
        if isinstance(cause, BookHeld):
            return Failed(name="Held", message=str(cause))
    if isinstance(error, KeyboardInterrupt):
        return Cancelled(message="interrupted")
    if isinstance(error, BookwrightError):
        return Failed(message=str(error))
    return Failed(message=f"{type(error).__name__}: {error}")


class FlowRun:
    """A flow run that stays open while the walk goes on in another thread.

    Prefect makes a flow run of a function call. Here that call, on a thread of its own, only waits
    to be told how the walk ended; so neither its start nor its end nor its signal handlers touch the walk.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._opened: queue.Queue[Context | Exception] = queue.Queue()
        self._ending: queue.Queue[State[None]] = queue.Queue()
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._run,), name="bookwright-prefect", daemon=True
        )
        self.context = self._open()

    def close(self, state: State[None], *, waits: bool) -> None:
        """End the run in a state; `waits` until the server has been told all, if it can be."""
        self._ending.put(state)
        self._thread.join(_CLOSE_SECONDS if waits else 0)
        end_events(0 if self._thread.is_alive() else _CLOSE_SECONDS)

    def _open(self) -> Context:
        self._thread.start()
        opened = self._opened.get(timeout=_OPEN_SECONDS)
        if isinstance(opened, Exception):
            raise opened
        return opened

    def _run(self) -> None:
        @flow(name=FLOW_NAME, flow_run_name=lambda: self._name, retries=0, persist_result=False)
        def write_book(book: str) -> State[None]:
            self._opened.put(copy_context())
            return self._ending.get()

        try:
            write_book(self._name, return_state=True)
        except Exception as error:  # a thread has no further out; who opens the run is told
            self._opened.put(error)


@contextmanager
def flow_run(settings: Settings, name: str) -> Iterator[FlowRun]:
    """Open a flow run for the block, on a server that is there or else on one of its own.

    Inside the block Prefect's settings are those of that server, and its log lines stay off the terminal.
    """
    with ExitStack() as stack:
        api = known_server(settings) or stack.enter_context(own_server(settings))
        stack.enter_context(temporary_settings(reaching(api) | PATIENCE))
        stack.enter_context(_quiet_console())
        yield FlowRun(name)


@contextmanager
def _quiet_console() -> Iterator[None]:
    """Keep Prefect's own log lines off the terminal, where the book is being watched."""
    handlers = [
        handler
        for name in (None, "prefect._internal")
        for handler in logging.getLogger(name).handlers
        if isinstance(handler, logging.StreamHandler)
    ]
    for handler in handlers:
        handler.addFilter(_is_not_prefects)
    complains, logging.raiseExceptions = logging.raiseExceptions, False  # lines that a gone server cannot take
    try:
        yield
    finally:
        logging.raiseExceptions = complains
        for handler in handlers:
            handler.removeFilter(_is_not_prefects)


def _is_not_prefects(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] not in ("prefect", "httpx", "EventsWorker", "APILogWorker")


def end_events(seconds: float) -> None:
    """Let Prefect send what events it still has, for so many seconds; then what a gone server cannot take is dropped.

    The exit would wait seconds for each of them. Prefect has no public way to give up.
    """
    workers = tuple(EventsWorker._instances.values())  # type: ignore[misc]  # a class attribute of one type in truth
    sending = [(worker, worker._task) for worker in workers]
    EventsWorker.drain_all(timeout=seconds)
    for worker, task in sending:
        if task is None or worker._loop is None or task.done():
            continue
        with suppress(queue.Empty):
            while True:
                worker._queue.get_nowait()
        worker._queue.put_nowait(None)  # whoever waits for an event hears that there is none
        worker._loop.call_soon_threadsafe(task.cancel)
        with suppress(TimeoutError):
            worker._drain(at_exit=True).result(_GIVE_UP_SECONDS)  # its complaint stays off the terminal
