"""Hands books to a server's work pool, finds those that were handed in, and waits for the end of its runs."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, cast

import httpx
import prefect.settings
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterName,
    FlowRunFilter,
    FlowRunFilterName,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.deployments import run_deployment
from prefect.exceptions import ObjectNotFound, PrefectHTTPStatusError
from prefect.settings import temporary_settings
from prefect.utilities.urls import url_for

from bookwright.flows.parameters import book_of
from bookwright.flows.prefect.flow_run import FLOW_NAME, reaching
from bookwright.flows.prefect.server import NoPrefectServer, PrefectApi

POOL = "books"
DEPLOYMENT = f"{FLOW_NAME}/{FLOW_NAME}"

_PAGE = 200
"""Runs that are read at once."""

_WAITING = (StateType.SCHEDULED, StateType.PENDING)
_FAILED = (StateType.FAILED, StateType.CRASHED)
_NO_LOGIN = 401
_LAST_WORDS_SECONDS = 3.0
"""What a run has left to send when its state is final: events and log lines."""


@dataclass(frozen=True)
class Submitted:
    """A flow run that waits for a worker."""

    id: str
    name: str
    url: str
    """Where it is shown; empty if the server has no UI."""
    is_awaited: bool
    """A worker of the pool was heard of lately."""


@dataclass(frozen=True)
class HandedIn:
    """A book that a worker is to write."""

    book: str
    flow_run: Submitted


@dataclass(frozen=True)
class NewestRun:
    """The newest run of a book."""

    book: str
    state: str
    """`queued` or `failed`."""
    reason: str


@contextmanager
def on_server(api: PrefectApi) -> Iterator[None]:
    """Speak to that server inside the block; raise `NoPrefectServer` where it does not answer, or refuses."""
    with temporary_settings(reaching(api) | {prefect.settings.PREFECT_CLIENT_MAX_RETRIES: 2}):
        try:
            yield
        except httpx.TransportError as error:
            raise NoPrefectServer(f"the Prefect server at {api.url} does not answer ({error})") from error
        except PrefectHTTPStatusError as error:
            refusal = f"refuses: {error}"
            if error.response.status_code == _NO_LOGIN:
                refusal = "wants a login; set PREFECT_API_AUTH_STRING to its user:password"
            raise NoPrefectServer(f"the Prefect server at {api.url} {refusal}") from error


def hand_in(parameters: dict[str, Any], name: str) -> Submitted:
    """Give the pool one book to write; raise `NoPrefectServer` if the deployment is not there."""
    try:
        with get_client(sync_client=True) as client:
            deployment = client.read_deployment_by_name(DEPLOYMENT)
    except ObjectNotFound:
        raise NoPrefectServer(
            f"the Prefect server has no deployment {DEPLOYMENT!r}; `prefect --no-prompt deploy --all` in the sources "
            "or `bookwright server --worker` makes it"
        ) from None
    tags = [f"book:{name}"]
    submitted = run_deployment(deployment.id, parameters=parameters, timeout=0, flow_run_name=name, tags=tags)
    run = cast(FlowRun, submitted)  # a coroutine only where a loop runs
    is_awaited = deployment.status is not None and deployment.status.value == "READY"
    return Submitted(str(run.id), run.name, url_for(run) or "", is_awaited)


def runs_of(
    client: SyncPrefectClient, *types: StateType, names: Sequence[str] = (), sort: FlowRunSort | None = None
) -> Iterator[FlowRun]:
    """Yield the deployment's runs whose state is of one of these types, of these names if any are given."""
    wanted = FlowRunFilter(
        state=FlowRunFilterState(type=FlowRunFilterStateType(any_=list(types))),
        name=FlowRunFilterName(any_=list(names)) if names else None,
    )
    ours = DeploymentFilter(name=DeploymentFilterName(any_=[FLOW_NAME]))
    read = partial(client.read_flow_runs, flow_run_filter=wanted, deployment_filter=ours, sort=sort, limit=_PAGE)
    start = 0
    while page := read(offset=start):
        yield from page
        start += _PAGE


def wait_for_endings(seconds: float) -> None:
    """Return once no run of the deployment is running and has any more to tell, or after so many seconds."""
    deadline = time.monotonic() + seconds
    with get_client(sync_client=True) as client:
        while next(runs_of(client, StateType.RUNNING), None):
            if time.monotonic() > deadline:
                return
            time.sleep(0.5)
    time.sleep(_LAST_WORDS_SECONDS)


def handed_in(api: PrefectApi) -> list[NewestRun]:
    """Return the books whose newest run waits or has failed, the newest first; raises what `on_server` does."""
    with on_server(api), get_client(sync_client=True) as client:
        types = (*_WAITING, *_FAILED, StateType.RUNNING, StateType.COMPLETED)
        runs = list(islice(runs_of(client, *types, sort=FlowRunSort.EXPECTED_START_TIME_DESC), _PAGE))
    newest = {book_of(run.parameters) or run.name: run for run in reversed(runs)}
    found = []
    for book, run in reversed(newest.items()):
        if run.state is not None and run.state.type in (*_WAITING, *_FAILED):
            state = "queued" if run.state.type in _WAITING else "failed"
            found.append(NewestRun(book, state, run.state.message or ""))
    return found
