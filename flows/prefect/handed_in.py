"""Finds books that were handed in and not begun: their run waits for a worker, or has failed."""

from dataclasses import dataclass

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import StateType
from prefect.client.schemas.sorting import FlowRunSort

from bookwright.flows.prefect.flow_run import FLOW_NAME
from bookwright.flows.prefect.pool import on_server
from bookwright.flows.prefect.server import PrefectApi
from bookwright.flows.write_book import book_of

_WAITING = (StateType.SCHEDULED, StateType.PENDING)
_FAILED = (StateType.FAILED, StateType.CRASHED)
_MOST = 200


@dataclass(frozen=True)
class NewestRun:
    """The newest run of a book."""

    book: str
    state: str
    """`queued` or `failed`."""
    reason: str


def handed_in(api: PrefectApi) -> list[NewestRun]:
    """Return the books whose newest run waits or has failed, the newest first.

    Raises:
        NoPrefectServer: It does not answer, or refuses.
    """
    ours = DeploymentFilter(name=DeploymentFilterName(any_=[FLOW_NAME]))
    types = FlowRunFilterStateType(any_=[*_WAITING, *_FAILED, StateType.RUNNING, StateType.COMPLETED])
    with on_server(api), get_client(sync_client=True) as client:
        runs = client.read_flow_runs(
            flow_run_filter=FlowRunFilter(state=FlowRunFilterState(type=types)), deployment_filter=ours,
            sort=FlowRunSort.EXPECTED_START_TIME_DESC, limit=_MOST,
        )  # fmt: skip
    newest = {book_of(run.parameters) or run.name: run for run in reversed(runs)}
    found = []
    for book, run in reversed(newest.items()):
        if run.state is not None and run.state.type in (*_WAITING, *_FAILED):
            state = "queued" if run.state.type in _WAITING else "failed"
            found.append(NewestRun(book, state, run.state.message or ""))
    return found
