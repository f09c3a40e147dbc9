"""Gates under Prefect: a run is suspended, and resumed there or by a command. Source: DESIGN section 6, "Gates"."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow_sync

from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.flows.library import open_library
from bookwright.flows.parameters import book_of
from bookwright.flows.prefect.workers import deploy
from bookwright.flows.write_book import write_book
from bookwright.models.settings import load_settings
from bookwright.storage.repositories.gates import GateRepository
from tests.flows.prefect.observed import (
    BOOK,
    SHORT,
    run_flow,
    state_of,
)

pytestmark = [pytest.mark.prefect, pytest.mark.slow]


def hand_to_nobody(client: SyncPrefectClient, **parameters: Any) -> FlowRun:
    """A run that a worker would be given, of a pool that has none."""
    deploy(1)
    deployment = client.read_deployment_by_name("write-book/write-book")
    return client.create_flow_run_from_deployment(deployment.id, parameters=parameters, name=BOOK)


def as_worker(run: FlowRun) -> State[Any] | None:
    """Do what a worker's process does with a run; None if the run is suspended and the process is to end."""
    try:
        state: State[Any] = run_flow_sync(write_book, run, run.parameters, return_type="state")
    except Pause:
        return None
    return state


def test_a_run_is_suspended_at_a_gate_and_resumed_there_or_by_a_command(prefect_server: None, home: Path) -> None:
    with get_client(sync_client=True) as client:
        run = hand_to_nobody(client, brief={**SHORT, "gates": ["outline", "chapter"]})
        book = book_of(run.parameters)
        assert as_worker(run) is None
        suspended = client.read_flow_run(run.id)

        empty = client.resume_flow_run(run.id, run_input={})
        nothing = client.resume_flow_run(run.id)
        no_note = client.resume_flow_run(run.id, run_input={"decision": "reject"})
        assert as_worker(client.read_flow_run(run.id)) is None
        still = gates_of(book)
        client.resume_flow_run(run.id, run_input={"decision": "reject", "note": "Less weather."})
        assert as_worker(client.read_flow_run(run.id)) is None
        rejected = gates_of(book)
        client.resume_flow_run(run.id, run_input={"decision": "approve"})
        assert as_worker(client.read_flow_run(run.id)) is None

        assert run_command(["approve", book]) == 0
        resumed = state_of(client.read_flow_run(run.id)).name
        ended = as_worker(client.read_flow_run(run.id))

    assert state_of(suspended).name == "Suspended"
    assert [answer.status.value for answer in (empty, nothing, no_note)] == ["REJECT", "REJECT", "ACCEPT"]
    assert still == [("outline", "waiting", None)]
    assert rejected == [("outline", "rejected", "prefect"), ("outline", "waiting", None)]
    assert resumed == "Resuming"
    assert ended is not None
    assert ended.is_completed()
    assert gates_of(book)[1:] == [("outline", "approved", "prefect"), ("chapter", "approved", "command")]


def test_the_form_that_the_ui_makes_of_a_gate_decides_it_and_an_empty_one_does_not(
    prefect_server: None, home: Path
) -> None:
    """Asks what the UI's own window for resuming asks, in its order."""
    with get_client(sync_client=True) as client:
        run = hand_to_nobody(client, brief={**SHORT, "gates": ["outline"]})
        book = book_of(run.parameters)
        assert as_worker(run) is None
        with httpx.Client(base_url=str(client.api_url), timeout=30) as ui:
            state = ui.get(f"flow_runs/{run.id}").json()["state"]
            keys = state["state_details"]["run_input_keyset"]
            about = ui.get(f"flow_runs/{run.id}/input/{keys['description']}").json()
            schema = ui.get(f"flow_runs/{run.id}/input/{keys['schema']}").json()

            def checked(values: dict[str, Any]) -> bool:
                answer = ui.post("ui/schemas/validate", json={"schema": schema, "values": values}).json()
                return bool(answer["valid"])

            def resumed(**body: Any) -> str:
                return str(ui.post(f"flow_runs/{run.id}/resume", json=body).json()["status"])

            forms = {name: values.get("default") for name, values in schema["properties"].items()}
            answers = [
                checked(values) for values in ({}, {"note": "Less."}, {"decision": "yes"}, {"decision": "reject"})
            ]
            refused = [resumed(), resumed(run_input={}), resumed(run_input={"decision": "", "note": ""})]
            unheard = gates_of(book)
            given = resumed(run_input={"decision": "reject", "note": "Less weather.", "text": ""})
        assert as_worker(client.read_flow_run(run.id)) is None

    assert (state["type"], state["name"]) == ("PAUSED", "Suspended")
    assert "`note`" in about
    assert schema["required"] == ["decision"]
    assert forms == {"decision": None, "note": "", "text": ""}
    assert answers == [False, False, False, True]
    assert (refused, unheard) == (["REJECT"] * 3, [("outline", "waiting", None)])
    assert given == "ACCEPT"
    assert gates_of(book) == [("outline", "rejected", "prefect"), ("outline", "waiting", None)]


def run_command(arguments: list[str]) -> int:
    return run(app, arguments)


def gates_of(book: str) -> list[tuple[str, str, str | None]]:
    database = open_library(load_settings())
    with database.read() as connection:
        found = GateRepository(connection, book).all()
    database.dispose()
    return [(gate.kind.value, gate.state.value, gate.by and gate.by.value) for gate in found]


def test_a_run_that_nobody_would_start_again_ends_by_the_name_of_waiting(prefect_server: None, home: Path) -> None:
    state = run_flow(brief={**SHORT, "gates": ["outline"]})

    assert (state.type, state.name) == (StateType.CANCELLED, "Waiting")
    assert "bookwright approve" in (state.message or "")
