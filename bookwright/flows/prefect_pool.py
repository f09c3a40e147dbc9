"""Books on a work pool: the pool, the deployment on it, and runs that are handed to it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import httpx
import prefect.settings
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.deployments import run_deployment
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectNotFound, PrefectHTTPStatusError
from prefect.settings import temporary_settings
from prefect.types.entrypoint import EntrypointType
from prefect.utilities.processutils import command_to_string
from prefect.utilities.urls import url_for
from prefect.workers.process import ProcessWorker

from bookwright.flows.prefect_run import FLOW_NAME
from bookwright.flows.prefect_server import CHILD, NoPrefectServer

POOL = "books"
DEPLOYMENT = f"{FLOW_NAME}/{FLOW_NAME}"

_LAST_WORDS_SECONDS = 3.0
"""What a run has left to send when its state is final: events and log lines."""

_ENGINE = command_to_string([sys.executable, "-m", CHILD, "--apart", "prefect.engine"])
"""A flow run that a stopping worker does not kill with its call in flight; for a worker on this machine."""


@dataclass(frozen=True)
class Submitted:
    """A flow run that waits for a worker."""

    id: str
    name: str
    url: str
    """Where it is shown; empty if the server has no UI."""
    is_awaited: bool
    """A worker of the pool was heard of lately."""


@contextmanager
def on_server(url: str) -> Iterator[None]:
    """Speak to that server inside the block.

    Raises:
        NoPrefectServer: It does not answer, or refuses.
    """
    with temporary_settings({prefect.settings.PREFECT_API_URL: url, prefect.settings.PREFECT_CLIENT_MAX_RETRIES: 2}):
        try:
            yield
        except httpx.TransportError as error:
            raise NoPrefectServer(f"the Prefect server at {url} does not answer ({error})") from error
        except PrefectHTTPStatusError as error:
            raise NoPrefectServer(f"the Prefect server at {url} refuses: {error}") from error


def hand_in(parameters: dict[str, Any], name: str) -> Submitted:
    """Give the pool one book to write.

    Raises:
        NoPrefectServer: The deployment is not there.
    """
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


def deploy(limit: int) -> None:
    """Make the pool for `limit` books at once, and the deployment on it; or bring both up to date."""
    from bookwright.flows.write_book import write_book  # the engine, which handing a book in does not need

    _make_pool(limit)
    deployment = write_book.to_deployment(
        FLOW_NAME, tags=["bookwright"], work_pool_name=POOL, entrypoint_type=EntrypointType.MODULE_PATH,
        job_variables={"env": {"DO_NOT_TRACK": "1"}, "command": _ENGINE},
    )  # fmt: skip
    cast(RunnerDeployment, deployment).apply()


def wait_for_endings(seconds: float) -> None:
    """Return once no run of the deployment is running and has any more to tell, or after so many seconds."""
    running = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.RUNNING])))
    ours = DeploymentFilter(name=DeploymentFilterName(any_=[FLOW_NAME]))
    deadline = time.monotonic() + seconds
    with get_client(sync_client=True) as client:
        while client.read_flow_runs(flow_run_filter=running, deployment_filter=ours, limit=1):
            if time.monotonic() > deadline:
                return
            time.sleep(0.5)
    time.sleep(_LAST_WORDS_SECONDS)


def _make_pool(limit: int) -> None:
    with get_client(sync_client=True) as client:
        try:
            client.read_work_pool(POOL)
        except ObjectNotFound:
            template = ProcessWorker.get_default_base_job_template()
            client.create_work_pool(
                WorkPoolCreate(name=POOL, type="process", base_job_template=template, concurrency_limit=limit)
            )
        else:
            client.update_work_pool(POOL, WorkPoolUpdate(concurrency_limit=limit))
