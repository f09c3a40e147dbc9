"""Finds the flow runs of hosts that died, by the expired leases of their books, and gives them to the pool again.

Prefect goes on calling such a run Running and counts it against the pool's limit. That its process
is dead is told by the database: whoever lives renews the lease of its book. Should one be alive after
all, the lease lets only one of the two write. Source: DESIGN sections 5 (rule 5) and 16.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.states import AwaitingRetry, Crashed

from bookwright.flows.library import opened_library
from bookwright.flows.prefect.flow_run import FLOW_NAME
from bookwright.flows.prefect.pool import Submitted, hand_in, on_server
from bookwright.flows.prefect.server import PrefectApi
from bookwright.flows.write_book import book_of
from bookwright.models.book import BookState
from bookwright.models.errors import BookNotFound, BookwrightError
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.interrupted import interrupted, is_held
from bookwright.storage.repositories.books import BookRepository

_START_SECONDS = 120.0
"""What a run may take from its process's start to its book's lease."""

_LEAST_SECONDS = 5.0
_PAGE = 200


@contextmanager
def sweeping(settings: Settings, api: PrefectApi) -> Iterator[None]:
    """Give the runs of dead hosts to the pool again, once in a lease's time, as long as the block lasts."""
    done = threading.Event()

    def sweep() -> None:
        while not done.wait(max(settings.lease_seconds, _LEAST_SECONDS)):
            try:
                with on_server(api):
                    books = sweep_once(settings)
            except BookwrightError as error:
                _tell(f"the runs of dead workers could not be looked for: {error}")
                continue
            for book in books:
                _tell(f"{book} lost its worker; its run is given to the pool again")

    thread = threading.Thread(target=sweep, name="bookwright-sweep", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def sweep_once(settings: Settings) -> list[str]:
    """Give every run whose process died to the pool again, and return their books.

    Raises:
        BookwrightError: Prefect's server or the database cannot be asked.
    """
    with get_client(sync_client=True) as client:
        runs = list(_runs(client, StateType.PENDING, StateType.RUNNING))
        if not runs:
            return []
        with opened_library(settings) as database:
            return [book for run in runs if (book := _revive(run, client, database))]


def hand_in_interrupted(settings: Settings) -> list[tuple[str, Submitted]]:
    """Hand in every book whose worker died and that no run stands for, a terminal's too.

    Raises:
        BookwrightError: Prefect's server or the database cannot be asked.
    """
    with get_client(sync_client=True) as client:
        open_runs = _runs(client, StateType.SCHEDULED, StateType.PENDING, StateType.RUNNING)
        stood_for = {book_of(run.parameters) for run in open_runs}
    with opened_library(settings) as database, database.read() as connection:
        books = [book for book in interrupted(connection) if book not in stood_for]
    return [(book, hand_in({"book": book}, book)) for book in books]


def _runs(client: SyncPrefectClient, *types: StateType) -> Iterator[FlowRun]:
    ours = DeploymentFilter(name=DeploymentFilterName(any_=[FLOW_NAME]))
    states = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=list(types))))
    start = 0
    while page := client.read_flow_runs(flow_run_filter=states, deployment_filter=ours, limit=_PAGE, offset=start):
        yield from page
        start += _PAGE


def _revive(run: FlowRun, client: SyncPrefectClient, database: Database) -> str | None:
    """End a dead run, or let the pool start it anew; return its book if it did that."""
    book = book_of(run.parameters)
    state = state_of_dead(run, book, database)
    if state is None:
        return None
    client.set_flow_run_state(run.id, state, force=True)
    return None if state.is_final() else book


def state_of_dead(run: FlowRun, identity: str, database: Database) -> State[None] | None:
    """Return the state that a dead run is to have; None for one that may be alive."""
    book = None
    with database.read() as connection, suppress(BookNotFound):
        book = BookRepository(connection).get(identity)
        if is_held(connection, book.id):
            return None
    if book is None or book.state is not BookState.WRITING:
        if _age(run) < timedelta(seconds=_START_SECONDS):
            return None  # it is about to take its book, or has let it go and is about to say so
        if book is not None and run.start_time is not None and book.updated_at > run.start_time.timestamp():
            return Crashed(message=f"the process ended before it could say what came of the book: {book.state}")
    return AwaitingRetry(scheduled_time=datetime.now(UTC), message="its worker died; the book goes on where it was")


def _age(run: FlowRun) -> timedelta:
    return datetime.now(UTC) - run.state.timestamp if run.state else timedelta()


def _tell(line: str) -> None:
    sys.stderr.write(f"bookwright: {line}\n")
