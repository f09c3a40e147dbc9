"""A book whose run is observed, and what a Prefect server tells of its runs."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from typing import Any

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterId,
    FlowRunFilterName,
)
from prefect.client.schemas.objects import FlowRun, State, TaskRun
from prefect.settings import PREFECT_LOGGING_TO_API_ENABLED, temporary_settings

from bookwright.agents.backends.service import ModelService
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.flows.deps import RunObserver, WrappedObserver
from bookwright.flows.library import book_id, find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.prefect.flow_run import reaching
from bookwright.flows.prefect.server import PrefectApi
from bookwright.flows.prefect.terminal import write_in_flow
from bookwright.flows.run_book import BookRun, run_book
from bookwright.flows.stopping import Limits
from bookwright.flows.write_book import write_book
from bookwright.models.book import Book
from bookwright.models.brief import make_brief
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage

BRIEF = {
    "premise": "A keeper reads a log in her own hand.",
    "length": 6_000,
    "profile": "economy",
    "max_planning_rounds": 1,
    "max_unit_length": 3_200,
    "title": "The Log",
}
"""Planned, since it sets the rounds, so that each kind of activity comes about; of two chapters."""
BOOK = book_id(make_brief(BRIEF))
SHORT = {"premise": BRIEF["premise"], "length": 900, "profile": "economy", "title": "The Log"}
"""Told in one sitting."""
PATIENCE_SECONDS = 60


def reached(api: PrefectApi) -> AbstractContextManager[Any]:
    """Lead Prefect in this process to a server.

    Its log worker does not see what is set for a part of a process: it would start a server of its own for the log.
    """
    return temporary_settings(reaching(api) | {PREFECT_LOGGING_TO_API_ENABLED: False})


@dataclass
class Recording(WrappedObserver):
    """An observer in front of an observer: writes down what is done, and may disturb it between two activities."""

    disturb: Callable[[int], None] = lambda count: None
    names: list[str] = field(default_factory=list)

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        def recorded() -> None:
            self.names.append(f"{activity} {node.name}")
            work()

        self.disturb(len(self.names))
        self.inner.run(activity, node, recorded)


def write(
    settings: Settings, observer: RunObserver, limits: Limits | None = None, brief: dict[str, Any] | None = None
) -> Book:
    database, models = open_library(settings), ModelService(settings)
    try:
        book = find_or_create(database, make_brief(brief or BRIEF))
        return run_book(book.id, RunConfig(settings, database, models, observer=observer, limits=limits or Limits()))
    finally:
        models.close()
        database.dispose()


def write_at_terminal(
    settings: Settings,
    notice: Callable[[str], None],
    seen_by: Callable[[RunObserver], RunObserver] = lambda inner: inner,
    brief: dict[str, Any] | None = None,
) -> Book:
    """Write the book as `bookwright write` does; `seen_by` may stand before the observer."""
    database, models = open_library(settings), ModelService(settings)

    def run_seen_by(observer: RunObserver) -> BookRun:
        around = RunConfig(settings, database, models, observer=seen_by(observer), cancel=models.cancel)
        return BookRun(around, lambda: closing(EventBus()), lambda gate: False)

    try:
        return write_in_flow(find_or_create(database, make_brief(brief or BRIEF)), settings, run_seen_by, notice)
    finally:
        models.close()
        database.dispose()


def stored_book(settings: Settings, identity: str = BOOK) -> Book:
    database = open_library(settings)
    with database.read() as connection:
        book = BookRepository(connection).get(identity)
    database.dispose()
    return book


def written_in(settings: Settings, identity: str = BOOK) -> int:
    """How many words the finished book has, by the database."""
    book, database = stored_book(settings, identity), open_library(settings)
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        written = stores.nodes.root().written
    database.dispose()
    return written


def run_flow(**parameters: Any) -> State[Any]:
    state: State[Any] = write_book(**parameters, return_state=True)  # type: ignore[call-overload]
    return state


def flow_run_of(client: SyncPrefectClient, state: State[Any]) -> FlowRun:
    assert state.state_details.flow_run_id is not None
    return client.read_flow_run(state.state_details.flow_run_id)


def newest_flow_run(client: SyncPrefectClient, name: str) -> FlowRun:
    runs = client.read_flow_runs(flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[name])))
    return sorted(runs, key=lambda run: str(run.created))[-1]


def state_of(run: FlowRun | TaskRun) -> State[Any]:
    assert run.state is not None
    return run.state


def task_runs_of(client: SyncPrefectClient, run: FlowRun) -> list[TaskRun]:
    return client.read_task_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[run.id])), limit=200)


def ended_task_runs(client: SyncPrefectClient, run: FlowRun, at_least: int) -> list[TaskRun]:
    """Read a flow run's task runs once so many have ended: Prefect records them some time after the fact."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        ended = [task_run for task_run in task_runs_of(client, run) if state_of(task_run).is_final()]
        if len(ended) >= at_least or time.monotonic() > deadline:
            return ended
        time.sleep(0.5)  # each look is work for the server, too
