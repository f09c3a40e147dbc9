"""What a Prefect server holds of books beside their runs: artifacts, what was handed in, turns at a provider."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId
from prefect.client.schemas.objects import Artifact, FlowRun, State
from prefect.context import FlowRunContext
from prefect.settings import get_current_settings
from prefect.states import Completed, Failed, Scheduled

from bookwright.agents.backends.spending.pace import DatabasePacer
from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.flows.deps import RunObserver
from bookwright.flows.library import find_or_create, opened_library
from bookwright.flows.prefect.flow_run import FLOW_NAME, SLACK_SECONDS, handed_in_at
from bookwright.flows.prefect.pace import PrefectPacer, shared_pacer
from bookwright.flows.prefect.server import PrefectApi, api_url, free_port
from bookwright.flows.stopping import Limits
from bookwright.flows.write_book import write_book
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookPaused
from bookwright.models.settings import load_settings
from bookwright.storage.repositories.books import BookRepository
from tests.agents.backends.test_pace import Handing, Permit
from tests.flows.prefect.observed import (
    BOOK,
    BRIEF,
    SHORT,
    Recording,
    flow_run_of,
    newest_flow_run,
    run_flow,
    stored_book,
    write,
    write_at_terminal,
    written_in,
)

pytestmark = [pytest.mark.prefect, pytest.mark.slow]


def artifacts_of(client: SyncPrefectClient, run: UUID) -> dict[str, Artifact]:
    """The newest artifact of each key that a flow run has posted."""
    of = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run]))
    found = client.read_artifacts(artifact_filter=of, limit=200)
    return {artifact.key: artifact for artifact in sorted(found, key=lambda one: str(one.created)) if artifact.key}


def links_in(text: object) -> set[str]:
    return set(re.findall(r"\]\(/artifacts/key/([a-z0-9-]+)\)", str(text)))


def test_plan_progress_chapters_design_and_cost_are_artifacts_under_readable_keys_that_link_to_each_other(
    prefect_server: None, home: Path
) -> None:
    seen: list[set[str]] = []

    def look(count: int) -> None:
        if count == 0:
            with get_client(sync_client=True) as client:
                seen.append(set(artifacts_of(client, newest_flow_run(client, BOOK).id)))

    write_at_terminal(load_settings(), lambda line: None, lambda inner: Recording(inner, look))

    with get_client(sync_client=True) as client:
        by_key = artifacts_of(client, newest_flow_run(client, BOOK).id)
    assert seen == [{f"{BOOK}-plan", f"{BOOK}-progress", f"{BOOK}-cost"}]  # before the first activity
    boards = {f"{BOOK}-{what}" for what in ("plan", "progress", "cost", "design")}
    chapters = sorted(key for key in by_key if key.startswith(f"{BOOK}-chapter-1-"))
    assert set(by_key) - set(chapters) == boards
    assert len(chapters) == 2
    written = written_in(load_settings())
    assert by_key[f"{BOOK}-progress"].data == min(100.0 * written / 6_000, 100.0)
    assert str(by_key[f"{BOOK}-progress"].description).startswith(f"{written:,} of 6,000 words. ")
    assert str(by_key[chapters[0]].data).startswith("# ")
    rows = json.loads(str(by_key[f"{BOOK}-cost"].data))
    assert sum(row["calls"] for row in rows) == stored_book(load_settings()).calls
    assert links_in(by_key[f"{BOOK}-plan"].data) == boards | set(chapters)
    assert links_in(by_key[f"{BOOK}-progress"].description) == links_in(by_key[f"{BOOK}-cost"].description) == boards
    assert links_in(by_key[f"{BOOK}-design"].data) == links_in(by_key[chapters[0]].data) == boards


def test_chapters_that_a_dead_process_could_not_show_are_shown_by_the_next_run(
    prefect_server: None, home: Path
) -> None:
    # A book of which this server has seen nothing yet.
    brief = {**SHORT, "length": 6_000, "max_unit_length": 2_100, "title": "The Other Log"}
    with pytest.raises(BookPaused):
        write(load_settings(), RunObserver(), Limits.parse("chapter:2", None), brief)

    state = run_flow(brief=brief)

    with get_client(sync_client=True) as client:
        keys = artifacts_of(client, flow_run_of(client, state).id)
    assert len([key for key in keys if "-chapter-1-" in key]) == 3


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
        book = find_or_create(database, make_brief({**BRIEF, "title": "The Log That Waits"})).id
    assert run(app, ["archive", book]) == 0
    capsys.readouterr()
    return book


def test_a_book_that_failed_before_it_was_begun_is_a_row_of_status_with_its_reason(
    prefect_server: None, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_workers_share_a_limit_of_the_server_that_is_made_for_them(prefect_server: None, home: Path) -> None:
    settings, url = load_settings(requests_per_minute={"openai": 6}), str(get_current_settings().api.url)
    nobody = Handing([])
    first, second = (PrefectPacer(PrefectApi(url), nobody, settings) for _ in range(2))

    turns = [first.take("openai"), second.take("openai"), first.take("openai")]

    with get_client(sync_client=True) as client:
        limit = client.read_global_concurrency_limit_by_name("bookwright-openai")
    assert [turn.is_ours for turn in turns] == [True, False, False]
    assert all(turn.seconds > 0 for turn in turns[1:])
    assert (limit.limit, limit.slot_decay_per_second) == (1, 0.1)
    assert nobody.asked == []


def test_the_database_hands_out_turns_while_the_server_is_away(home: Path) -> None:
    settings, instead = load_settings(requests_per_minute={"openai": 6}), Handing([Permit(1.0), Permit(2.0)])
    pacer = PrefectPacer(PrefectApi(api_url(free_port())), instead, settings)

    turns = [pacer.take("openai"), pacer.take("openai")]

    assert [turn.seconds for turn in turns] == [1.0, 2.0]
    assert instead.asked == ["openai", "openai"]


def test_where_no_server_is_known_or_no_rate_is_set_the_database_alone_is_asked(home: Path) -> None:
    with opened_library(load_settings()) as database:
        assert isinstance(shared_pacer(database, load_settings()), DatabasePacer)
