"""Books that were handed in and not begun stand in `status`: what waits, and what failed, with its reason."""

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun, State
from prefect.context import FlowRunContext
from prefect.states import Completed, Failed, Scheduled

from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.flows.library import find_or_create, opened_library
from bookwright.flows.prefect.flow_run import FLOW_NAME, SLACK_SECONDS, handed_in_at
from bookwright.flows.write_book import write_book
from bookwright.models.brief import make_brief
from bookwright.models.settings import load_settings
from bookwright.storage.repositories.books import BookRepository
from tests.flows.prefect.observed import BRIEF

pytestmark = pytest.mark.prefect


def hand_in(book: str, *states: State[None]) -> None:
    """Make a run of the deployment for each state, which it ends in."""
    with get_client(sync_client=True) as client:
        flow = client.create_flow(write_book)
        deployment = client.create_deployment(flow, FLOW_NAME)
        for state in states:
            made = client.create_flow_run_from_deployment(deployment, parameters={"book": book}, state=Scheduled())
            client.set_flow_run_state(made.id, state, force=True)


def begin_and_archive(capsys: pytest.CaptureFixture[str]) -> str:
    """Begin a book, put it away, and return its id."""
    with opened_library(load_settings()) as database:
        book = find_or_create(database, make_brief(BRIEF)).id
    assert run(app, ["archive", book]) == 0
    capsys.readouterr()
    return book


def test_a_book_that_failed_before_it_was_begun_is_a_row_of_status_with_its_reason(
    prefect_server: None, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from prefect.settings import get_current_settings

    monkeypatch.setenv("PREFECT_API_URL", str(get_current_settings().api.url))
    hand_in("lamp", Failed(message="anthropic is not known to have a model 'nope'"))
    hand_in("log", Scheduled())
    hand_in("ship", Failed(message="no key"), Completed())
    begun = begin_and_archive(capsys)
    hand_in(begun, Scheduled())

    assert run(app, ["status"]) == 0
    shown = capsys.readouterr().out
    run(app, ["status", "--json"])
    rows = {row["book"]: row for row in json.loads(capsys.readouterr().out)}

    [failed] = [line for line in shown.splitlines() if line.startswith("lamp ")]
    assert failed.split()[1] == "failed"
    assert "anthropic is not known to have a model 'nope'" in failed
    assert (rows["lamp"]["state"], rows["log"]["state"]) == ("failed", "queued")
    assert not {"ship", begun} & set(rows)

    run(app, ["unarchive", begun])
    capsys.readouterr()
    run(app, ["status", begun, "--json"])
    assert json.loads(capsys.readouterr().out)["state"] == "queued"


def test_a_pause_that_came_while_a_book_was_being_handed_in_is_left_to_its_run(
    prefect_server: None, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def wish() -> tuple[bool, float]:
        with opened_library(load_settings()) as database, database.read() as connection:
            found = BookRepository(connection).get(book)
        return found.stop_requested, found.stop_requested_at

    hand_in("another", Scheduled())  # the pool is there
    book = begin_and_archive(capsys)
    run(app, ["pause", book])
    known = wish()[1]
    run(app, ["pause", book])

    late = run(app, ["submit", "--book", book, "--known-wish", str(known)]), wish()[0]
    known = wish()[1]
    next_time = run(app, ["submit", "--book", book, "--known-wish", str(known)]), wish()[0]

    assert (late, next_time) == ((0, True), (0, False))


def test_a_run_knows_since_when_it_was_handed_in_however_late_a_worker_takes_it() -> None:
    made = datetime(2026, 11, 1, tzinfo=UTC)

    with FlowRunContext.model_construct(flow_run=FlowRun(flow_id=uuid4(), created=made)):
        assert handed_in_at() == made.timestamp() - SLACK_SECONDS
    assert handed_in_at() == 0
