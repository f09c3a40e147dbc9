"""A Prefect server's API on 127.0.0.1, as far as those ask it who hand books in or look for them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import prefect
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.responses import DeploymentResponse
from prefect.states import Scheduled

from bookwright.flows.prefect.flow_run import FLOW_NAME
from bookwright.flows.prefect.server import announced
from bookwright.models.settings import Settings
from tests.support.local_server import Asked, Canned, LocalServer


class FakePrefect:
    """Has a deployment of our flow and a run for each book that waits for a worker."""

    def __init__(self, *books: str) -> None:
        self.runs = [_run(book) for book in books]
        self.deployment = DeploymentResponse(id=uuid4(), flow_id=uuid4(), name=FLOW_NAME, status="READY")

    def answer(self, asked: Asked) -> Canned:
        """Answer as Prefect does; what is not known is not found."""
        match asked.path.removeprefix("/api/").split("/"):
            case ["health"]:
                return Canned(b"true")
            case ["admin", "version"]:
                return Canned(json.dumps(prefect.__version__).encode())
            case ["flow_runs", "filter"]:
                wish = json.loads(asked.body)
                assert FLOW_NAME in wish["deployments"]["name"]["any_"]
                is_wished = StateType.SCHEDULED in wish["flow_runs"]["state"]["type"]["any_"]
                runs = self.runs[wish["offset"] :] if is_wished else []
                return Canned(json.dumps([run.model_dump(mode="json") for run in runs]).encode())
            case ["deployments", "name", *_] | ["deployments", _]:
                return Canned(self.deployment.model_dump_json().encode())
            case ["deployments", _, "create_flow_run"]:
                self.runs.append(_run(json.loads(asked.body)["name"]))
                return Canned(self.runs[-1].model_dump_json().encode())
        return Canned(b"{}", 404)


def _run(book: str) -> FlowRun:
    return FlowRun(id=uuid4(), flow_id=uuid4(), name=book, parameters={"book": book}, state=Scheduled())


@contextmanager
def queued(settings: Settings, *books: str) -> Iterator[None]:
    """Have these books wait for a worker of a Prefect server that the data folder knows."""
    with LocalServer(FakePrefect(*books).answer).running() as server, announced(settings, f"{server.url}/api"):
        yield
