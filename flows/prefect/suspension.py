"""Gates under a worker: the flow run ends suspended, and whoever decides starts it again.

The decision stands in our database. Prefect is told to wait, may be asked in its UI or API, and whatever becomes
of its server, a later run of the book finds the gate as it is. Source: DESIGN section 6, "Gates".
"""

import time
from contextlib import suppress
from itertools import count
from typing import Any, Literal

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.flow_runs import resume_flow_run, suspend_flow_run
from prefect.input import RunInput
from pydantic import ValidationError

from bookwright.failpoints import Failpoint
from bookwright.flows.gates import still_waits
from bookwright.flows.prefect.pool import hand_in, on_server
from bookwright.flows.prefect.server import PrefectApi
from bookwright.models.errors import BookwrightError, GateDecided, InvalidInput
from bookwright.models.gate import Decider, Gate, GateKind, Ruling
from bookwright.models.ruling import approval, rejection
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.gates import GateRepository

_SETTLE_SECONDS = 5.0
"""What a run takes to say that it is suspended, after its book was left."""


class GateInput(RunInput):
    """What a person answers in Prefect. No field that approves has a default: an empty answer decides nothing."""

    decision: Literal["approve", "reject"]
    note: str = ""
    """A rejection needs one: what is to be different."""
    text: str = ""
    """Approving a refused draft: a text of your own in its place."""


def wait_for_decision(gate: Gate, database: Database) -> None:
    """Suspend the flow run that this is called in; returns once it was resumed with an answer that decides.

    Prefect starts the flow anew then, so a first call does not return: the one of the new process does.

    Raises:
        prefect.exceptions.Pause: The run is suspended; its process is to end.
        RuntimeError: It cannot be: no worker would start it again.
        httpx.HTTPError: The server does not answer.
    """
    for number in count(1):
        answer = _suspend(gate, number)
        if not still_waits(gate, database):
            return
        if answer is not None and (ruling := _ruling(gate, answer)) is not None:
            _decide(gate, ruling, database)
            return


def _suspend(gate: Gate, number: int) -> GateInput | None:
    """Suspend the run, or find that it was resumed from here and with what; None for no answer that can be read."""
    about = f"{gate.name}, waits. `decision` is approve or reject; a rejection needs a `note` that says what to change."
    if gate.kind in (GateKind.HUMAN_FALLBACK, GateKind.CANDIDATES):
        about += " `text` is accepted in the place of the draft."
    wanted = GateInput.with_initial_data(description=about)
    try:
        answer: Any = suspend_flow_run(wait_for_input=wanted, key=f"gate-{gate.id}-{number}")
    except ValidationError as error:
        if error.title != GateInput.__name__:
            raise  # Prefect's own
        return None
    return answer if isinstance(answer, GateInput) else None


def _ruling(gate: Gate, answer: GateInput) -> Ruling | None:
    try:
        if answer.decision == "reject":
            return rejection(gate, Decider.PREFECT, answer.note)
        return approval(gate, Decider.PREFECT, answer.note, answer.text or None)
    except InvalidInput:
        return None  # the run waits again, under the next number


def _decide(gate: Gate, ruling: Ruling, database: Database) -> None:
    # Where it was decided at the command line, just now, the first decision stands.
    with suppress(GateDecided), database.write(Failpoint.DECIDE_GATE) as connection:
        GateRepository(connection, gate.book).decide(gate.id, ruling)


def go_on(gate: Gate, api: PrefectApi) -> str:
    """Start the book of a decided gate again where a worker of that server writes it; return in words what was done.

    Empty where nothing was: the book was not handed to a pool, but written in a terminal.
    """
    try:
        with on_server(api), get_client(sync_client=True) as client:
            return _go_on(gate, client)
    except (BookwrightError, RuntimeError, httpx.HTTPError) as error:
        return f"its flow run could not be started again ({error}); `bookwright submit --book {gate.book}` does it"


def _go_on(gate: Gate, client: SyncPrefectClient) -> str:
    run = _settled(gate.book, client)
    if run is None or run.deployment_id is None or run.state is None:
        return ""
    if run.state.type is StateType.PAUSED:
        resume_flow_run(run.id, run_input=_input_of(gate, run))
        return f"flow run {run.id} is resumed"
    if not run.state.is_final():
        return f"flow run {run.id} goes on"
    return f"it is handed in as flow run {hand_in({'book': gate.book}, gate.book).id}"


def _settled(book: str, client: SyncPrefectClient) -> FlowRun | None:
    """The newest run of a book; one that runs is given a moment to say that it is suspended."""
    named = FlowRunFilter(name=FlowRunFilterName(any_=[book]))
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        found = client.read_flow_runs(flow_run_filter=named, sort=FlowRunSort.EXPECTED_START_TIME_DESC, limit=1)
        run = found[0] if found else None
        is_running = run is not None and run.state is not None and run.state.is_running()
        if not is_running or time.monotonic() > deadline:
            return run
        time.sleep(0.5)


def _input_of(gate: Gate, run: FlowRun) -> dict[str, Any] | None:
    """The answer that the run waits for; none where a person suspended it by hand."""
    details = run.state.state_details if run.state else None
    if details is None or not details.run_input_keyset:
        return None
    return {"decision": "approve" if gate.ruling.is_approved else "reject", "note": gate.note}
