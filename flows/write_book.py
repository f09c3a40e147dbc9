"""The flow: one run of it is one book, from a brief or from where the book rests."""

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any

import httpx
from prefect import get_run_logger, runtime
from prefect.client.schemas.objects import State
from prefect.exceptions import PrefectException
from prefect.settings import temporary_settings
from prefect.states import Completed

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.backends.service import ModelService
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.exports.files import export as export_file
from bookwright.exports.files import export_path, formats_in
from bookwright.exports.report.verdict import verdict_on
from bookwright.flows.book_models import check_reach
from bookwright.flows.library import check_blueprint, check_models, find_or_create, is_begun, opened_library, setting_of
from bookwright.flows.open_book import RunConfig
from bookwright.flows.parameters import book_of, check_options, check_webhook, read_brief
from bookwright.flows.prefect.flow_run import FLOW_NAME, PATIENCE, ending_of, flow, handed_in_at
from bookwright.flows.prefect.observer import PrefectObserver
from bookwright.flows.prefect.pace import shared_pacer
from bookwright.flows.prefect.suspension import wait_for_decision
from bookwright.flows.run_book import BookRun
from bookwright.flows.stopping import Limits, end_unheeding
from bookwright.models.book import Book
from bookwright.models.errors import BookwrightError
from bookwright.models.gate import Gate
from bookwright.models.settings import load_settings
from bookwright.models.talk.event import AgentEvent, Event, EventType
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage

_LOGGED = {EventKind.RESTARTED: "the stream broke and is asked for again", EventKind.FINISHED: "answered"}

_END_SECONDS, _REST_SECONDS = 60.0, 8.0
"""How long the end of a book, or of a run that leaves it, waits for Prefect's server to take what it missed."""

GIVEN_RUN: ContextVar[BookRun | None] = ContextVar("bookwright_given_run", default=None)
"""What a caller in this process makes of the flow's run; a worker has none, and Prefect carries plain values only."""


def run_name() -> str:
    """Name the flow run after its book."""
    return book_of(runtime.flow_run.parameters) or FLOW_NAME


@flow(name=FLOW_NAME, flow_run_name=run_name, retries=0, persist_result=False, log_prints=False)
def write_book(
    brief: dict[str, Any] | str | None = None,
    book: str | None = None,
    until: str | None = None,
    words_today: int | None = None,
    model: str | None = None,
    export: str | None = None,
) -> State[None]:
    """Write a book, or go on with it from where it rests; a finished one is not paid again.

    Args:
        brief: What the book is to be: the keys of a brief, or a brief as TOML text. The same brief means the same book.
        book: Instead of a brief, the id of a book that is there.
        until: Rest after a chapter or another unit: chapter:3, 3, a label, or so many units of a level.
        words_today: Rest once so much was written in 24 hours (characters for zh, ja, ko).
        model: provider:model, for every role.
        export: Formats to write once the book is finished, into the folder `exports` of whoever writes it: epub,md.
    """
    try:
        check_options(book, until, words_today, model)
        formats = formats_in(export or "")
        with _run(Limits.parse(until, words_today), model) as run:
            found = _find(run.around, brief, book)
            finished = run.write(found.id)
            storage = BookStorage(run.around.database, finished.id, finished.brief.language)
            for name in formats:
                export_file(storage, name, export_path(finished.id, name, run.around.settings))
            return Completed(message=_last_words(finished, storage))
    except BookwrightError as error:
        _spare_tracebacks()
        return ending_of(error)  # returned and not raised: a person reads the state, not a traceback


@contextmanager
def _run(limits: Limits, model: str | None) -> Iterator[BookRun]:
    """The run that a caller in this process has given, or one as this process's settings have it."""
    if (given := GIVEN_RUN.get()) is not None:
        yield given
        return
    settings, logger = load_settings(), get_run_logger()
    with (
        temporary_settings(PATIENCE),
        opened_library(settings) as database,
        closing(ModelService(settings, pacer=shared_pacer(database, settings))) as models,
    ):
        observer = PrefectObserver(logger.warning)
        around = RunConfig(
            settings=settings, database=database, models=models, observer=observer,
            limits=limits, cancel=models.cancel, model=model, webhook_hosts=settings.webhook_hosts,
            goes_on_by="bookwright submit --book", wished_since=handed_in_at(),
        )  # fmt: skip
        try:
            yield BookRun(around, partial(_logged, logger.info), partial(_suspend, database=database))
        except BaseException:
            observer.settle(_REST_SECONDS)
            raise
        observer.settle(_END_SECONDS)


def _find(around: RunConfig, brief: dict[str, Any] | str | None, book: str | None) -> Book:
    database, settings, model = around.database, around.settings, around.model
    if book:
        with database.read() as connection:
            found = BookRepository(connection).get(book)
        check_models(found.brief, settings, model)
        check_blueprint(found.brief, settings)
        if not found.calls:
            check_reach(found.brief, settings, model)
        return found
    wanted, setting = setting_of(read_brief(brief), database, settings)
    check_models(wanted, settings, model)
    check_blueprint(wanted, settings)
    if not is_begun(database, wanted):  # one that was begun before goes on; whom it tells is looked at then
        check_reach(wanted, settings, model)
        check_webhook(wanted, settings)
    return find_or_create(database, wanted, setting=setting)


def _last_words(book: Book, storage: BookStorage) -> str:
    """Say in one line what came of a finished book."""
    with storage.read() as stores:
        root, verdict = stores.nodes.root(), verdict_on(stores) if book.brief.blueprint else None
    judged = f", verdict: {verdict.words}" if verdict else ""
    length = f"{root.written:,} of {root.length or 0:,} {book.brief.length_unit}"
    return f'"{book.title}": {length}, {book.calls:,} calls, {book.dollars:,.4f} US dollars{judged}'


def _suspend(gate: Gate, database: Database) -> bool:
    """Suspend the run until a human decides; False where nobody would start it again, or the server is gone."""
    try:
        wait_for_decision(gate, database)
    except (RuntimeError, httpx.HTTPError) as error:
        get_run_logger().warning("the run cannot be suspended: %s", error)
        return False
    return True


@contextmanager
def _logged(tell: Callable[[str], None]) -> Iterator[EventBus]:
    """Make every step a line of the flow run's log, and from here on bring the run to its end by itself."""
    end_unheeding()
    here = copy_context()  # events are heard in another thread, which knows nothing of Prefect's settings

    def hear(event: Event) -> None:
        if not isinstance(event, AgentEvent):
            return
        name = event.payload.name
        if name == EventKind.WAITING:
            here.run(tell, f"{event.task_id}: {event.payload.text}")
        elif name in _LOGGED:
            here.run(tell, f"{event.task_id}: {_LOGGED[EventKind(name)]}")

    with closing(EventBus()) as events:
        events.on(EventType.EVENT, hear)
        yield events


def _spare_tracebacks() -> None:
    """Keep Prefect from adding to a failed state the stack of its own engine."""
    for name in ("prefect.flow_runs", "prefect.engine"):
        logging.getLogger(name).addFilter(_has_no_stack_of_prefects)


def _has_no_stack_of_prefects(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], PrefectException))
