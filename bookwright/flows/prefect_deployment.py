"""What a server needs before books can be handed in: the pool, and the deployment of the flow on it."""

import sys
from typing import cast

from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectNotFound
from prefect.types.entrypoint import EntrypointType
from prefect.utilities.processutils import command_to_string
from prefect.workers.process import ProcessWorker

from bookwright.flows.prefect_pool import POOL
from bookwright.flows.prefect_run import FLOW_NAME
from bookwright.flows.prefect_server import CHILD
from bookwright.flows.write_book import write_book

_ENGINE = command_to_string([sys.executable, "-m", CHILD, "--apart", "prefect.engine"])
"""A flow run that a stopping worker does not kill with its call in flight; for a worker on this machine."""


def deploy(limit: int) -> None:
    """Make the pool for `limit` books at once, and the deployment on it; or bring both up to date."""
    _make_pool(limit)
    deployment = write_book.to_deployment(
        FLOW_NAME, tags=["bookwright"], work_pool_name=POOL, entrypoint_type=EntrypointType.MODULE_PATH,
        job_variables={"env": {"DO_NOT_TRACK": "1"}, "command": _ENGINE},
    )  # fmt: skip
    cast(RunnerDeployment, deployment).apply()


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
