"""Makes the work pool and the deployment of the flow on a server, so that books can be handed in."""

import sys
from typing import Any, cast

from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectNotFound
from prefect.types.entrypoint import EntrypointType
from prefect.utilities.processutils import command_to_string

from bookwright.flows.prefect.flow_run import FLOW_NAME
from bookwright.flows.prefect.pool import POOL
from bookwright.flows.prefect.server import CHILD
from bookwright.flows.write_book import write_book

_ENGINE = command_to_string([sys.executable, "-m", CHILD, "--apart", "prefect.engine"])
"""A flow run that a stopping worker does not kill with its call in flight; for a worker on this machine."""


def job_template(command: str = _ENGINE) -> dict[str, Any]:
    """Return how a worker starts any run of the pool: no run and no deployment has a say in it.

    Prefect's own template takes the command, the working folder and the environment from whoever makes the run.
    """
    fixed: dict[str, Any] = {
        "command": command,
        "env": {},
        "labels": {},
        "name": None,
        "stream_output": True,
        "working_dir": None,
    }
    return {
        "job_configuration": fixed,
        "variables": {"type": "object", "properties": {}, "additionalProperties": False},
    }


def deploy(limit: int) -> None:
    """Make the pool for `limit` books at once, and the deployment on it; or bring both up to date."""
    _make_pool(limit)
    deployment = write_book.to_deployment(
        FLOW_NAME, tags=["bookwright"], work_pool_name=POOL, entrypoint_type=EntrypointType.MODULE_PATH,
    )  # fmt: skip
    cast(RunnerDeployment, deployment).apply()


def _make_pool(limit: int) -> None:
    template = job_template()
    with get_client(sync_client=True) as client:
        try:
            client.read_work_pool(POOL)
        except ObjectNotFound:
            client.create_work_pool(
                WorkPoolCreate(name=POOL, type="process", base_job_template=template, concurrency_limit=limit)
            )
        else:
            client.update_work_pool(POOL, WorkPoolUpdate(base_job_template=template, concurrency_limit=limit))
