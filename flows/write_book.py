"""The flow: one run of it is one book, from a brief or from where the book rests."""

import logging
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx
from prefect import flow, get_run_logger, runtime
from prefect.client.schemas.objects import State
from prefect.exceptions import PrefectException
from prefect.settings import temporary_settings
from prefect.states import Completed

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.backends.service import ModelService
from bookwright.agents.runtime.events.bus import Handler
from bookwright.flows.blueprints.reach import check_reach
from bookwright.flows.library import book_id, check_blueprint, check_models, find_or_create, is_begun, opened_library
from bookwright.flows.limits import Limits
from bookwright.flows.open_book import Surroundings
from bookwright.flows.parameters import check_options, check_webhook, read_brief
from bookwright.flows.prefect.flow_run import FLOW_NAME, PATIENCE, ending_of
from bookwright.flows.prefect.observer import PrefectWindow
from bookwright.flows.prefect.suspension import wait_for_decision
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.errors import BookwrightError, GateWaiting
from bookwright.models.settings import Settings, load_settings
from bookwright.models.talk.event import AgentEvent, Event, EventType
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage

_TOLD = {EventKind.RESTARTED: "the stream broke and is asked for again", EventKind.FINISHED: "answered"}


def run_name() -> str:
    """Name the flow run after its book."""
    return book_of(runtime.flow_run.parameters) or FLOW_NAME


def book_of(parameters: dict[str, Any]) -> str:
    """Return the id of the book that a run's parameters mean; empty where they mean none, as the run itself says."""
    try:
        return str(parameters.get("book") or book_id(read_brief(parameters.get("brief"))))
    except BookwrightError:
        return ""


@flow(name=FLOW_NAME, flow_run_name=run_name, retries=0, persist_result=False, log_prints=False)
def write_book(
    brief: dict[str, Any] | str | None = None,
    book: str | None = None,
    until: str | None = None,
    words_today: int | None = None,
    model: str | None = None,
) -> State[None]:
    """Write a book, or go on with it from where it rests; a finished one is not paid again.

    Args:
        brief: What the book is to be: the keys of a brief, or a brief as TOML text. The same brief means the same book.
        book: Instead of a brief, the id of a book that is there.
        until: Rest after so many units of a level, such as chapter:3.
        words_today: Rest once so much was written in 24 hours (characters for zh, ja, ko).
        model: provider:model, for every role.
    """
    try:
        check_options(book, until, words_today, model)
        limits = Limits.parse(until, words_today)
        settings = load_settings()
        with opened_library(settings) as database:
            found = _find(database, settings, brief, book, model)
            return Completed(message=_write(found, settings, database, limits, model))
    except BookwrightError as error:
        _spare_tracebacks()
        return ending_of(error)  # returned and not raised: a person reads the state, not a traceback


def _find(
    database: Database, settings: Settings, brief: dict[str, Any] | str | None, book: str | None, model: str | None
) -> Book:
    if book:
        with database.read() as connection:
            found = BookRepository(connection).get(book)
        check_models(found.brief, settings, model)
        check_blueprint(found.brief, settings)
        if not found.calls:
            check_reach(found.brief, settings, model)
        return found
    wanted = read_brief(brief)
    check_models(wanted, settings, model)
    check_blueprint(wanted, settings)
    if not is_begun(database, wanted):  # one that was begun before goes on; whom it tells is looked at then
        check_reach(wanted, settings, model)
        check_webhook(wanted, settings)
    return find_or_create(database, wanted)


def _write(book: Book, settings: Settings, database: Database, limits: Limits, model: str | None) -> str:
    """Write a book and say in one line what came of it."""
    logger = get_run_logger()
    with temporary_settings(PATIENCE), closing(ModelService(settings)) as models:
        around = Surroundings(
            settings=settings, database=database, models=models, window=PrefectWindow(logger.warning),
            limits=limits, cancel=models.cancel, model=model, webhook_hosts=settings.webhook_hosts,
        )  # fmt: skip
        with closing(around.events) as events:
            events.on(EventType.EVENT, _step_teller(logger.info))
            written = _run(book, around)
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        root = stores.nodes.root()
    length = f"{root.written:,} of {root.length or 0:,} {book.brief.length_unit}"
    return f'"{written.title}": {length}, {written.calls:,} calls, {written.dollars:,.4f} US dollars'


def _run(book: Book, around: Surroundings) -> Book:
    """Write a book to its end, suspending the run wherever it waits for a human.

    Raises:
        GateWaiting: It waits, and the run cannot be suspended: nobody would start it again, or the server is gone.
    """
    while True:
        try:
            return run_book(book.id, around)
        except GateWaiting as waiting:
            try:
                wait_for_decision(waiting.gate, around.database)
            except (RuntimeError, httpx.HTTPError) as error:
                get_run_logger().warning("the run cannot be suspended: %s", error)
                raise waiting from error


def _step_teller(tell: Callable[[str], None]) -> Handler:
    """Make every step a line of the flow run's log."""

    def hear(event: Event) -> None:
        if not isinstance(event, AgentEvent):
            return
        name = event.payload.name
        if name == EventKind.WAITING:
            tell(f"{event.task_id}: {event.payload.text}")
        elif name in _TOLD:
            tell(f"{event.task_id}: {_TOLD[EventKind(name)]}")

    return hear


def _spare_tracebacks() -> None:
    """Keep Prefect from adding to a failed state the stack of its own engine."""
    for name in ("prefect.flow_runs", "prefect.engine"):
        logging.getLogger(name).addFilter(_has_no_stack_of_prefects)


def _has_no_stack_of_prefects(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], PrefectException))
