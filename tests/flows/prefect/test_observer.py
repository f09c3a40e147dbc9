"""What Prefect shows of a run, and that it never decides what is done. Source: DESIGN section 6."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import prefect.settings
import pytest
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import StateType

from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.failpoints import Failpoint
from bookwright.flows.deps import RunObserver
from bookwright.flows.library import book_id, find_or_create, open_library
from bookwright.flows.prefect.observer import PrefectObserver
from bookwright.flows.prefect.workers import deploy
from bookwright.flows.tasks import TASKS
from bookwright.flows.write_book import write_book
from bookwright.models.book import BookState
from bookwright.models.brief import make_brief
from bookwright.models.errors import BackendUnavailable
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.lease import Lease
from tests.flows.prefect.observed import (
    BOOK,
    BRIEF,
    PATIENCE_SECONDS,
    SHORT,
    Recording,
    ended_task_runs,
    flow_run_of,
    newest_flow_run,
    run_flow,
    state_of,
    stored_book,
    task_runs_of,
    write,
    write_at_terminal,
    written_in,
)
from tests.reference import schemas
from tests.support.fake_provider import FakeProvider
from tests.support.forks import Forks
from tests.support.novelist import write as novelist

pytestmark = [pytest.mark.prefect, pytest.mark.slow]


def test_each_activity_is_one_task_run_of_the_run_that_did_it_with_a_readable_name_and_asks_for_no_slot_of_its_tags(
    prefect_server: None, home: Path, plain_walk: list[str]
) -> None:
    """Of a book that went on: the second run shows only what was left."""
    with get_client(sync_client=True) as client:
        for tag in (f"book:{BOOK}", "level:book", "level:chapter", "type:write", "type:design"):
            client.create_concurrency_limit(tag=tag, concurrency_limit=0)
        try:
            first = run_flow(brief=BRIEF, until="chapter:1")  # one that asked for a slot would wait for ever
            second = run_flow(brief=BRIEF)
            run = flow_run_of(client, second)
            done = ended_task_runs(client, flow_run_of(client, first), 1 + plain_walk.index(_first_close(plain_walk)))
            left = ended_task_runs(client, run, len(plain_walk) - len(done))
        finally:
            for tag in (f"book:{BOOK}", "level:book", "level:chapter", "type:write", "type:design"):
                client.delete_concurrency_limit_by_tag(tag=tag)

    assert (first.name, first.is_cancelled()) == ("Paused", True)
    assert first.message == f"reached chapter 1. `bookwright submit --book {BOOK}` goes on."
    assert (run.name, second.name, second.is_completed()) == (BOOK, "Completed", True)
    assert "The Log" in (second.message or "")
    assert done
    assert left
    assert sorted(task_run.name for task_run in done + left) == sorted(plain_walk)
    assert 'plan 1 book "The Log"' in plain_walk
    plan = next(task_run for task_run in done if task_run.name.startswith("plan "))
    assert set(plan.tags) == {f"book:{BOOK}", "level:book", "type:write"}
    assert {f"book:{BOOK}"} == set.intersection(*(set(task_run.tags) for task_run in done + left))


def test_a_finished_book_makes_no_task_run_and_pays_nothing(prefect_server: None, home: Path) -> None:
    book = book_id(make_brief(SHORT))
    write(load_settings(), RunObserver(), brief=SHORT)
    calls = stored_book(load_settings(), book).calls

    state = run_flow(book=book)

    with get_client(sync_client=True) as client:
        run = flow_run_of(client, state)
        time.sleep(2)  # what a recorder that flushes every second would need
        assert ended_task_runs(client, run, 0) == []
    assert state.is_completed()
    assert stored_book(load_settings(), book).calls == calls > 0


def test_a_run_that_is_asked_for_files_writes_them_at_the_end(prefect_server: None, home: Path) -> None:
    book = book_id(make_brief(SHORT))
    refused = run_flow(brief=SHORT, export="epub,pdf")
    state = run_flow(brief=SHORT, export="epub, txt")

    files = sorted(path.name for path in (load_settings().home / "exports").iterdir())
    assert (refused.is_failed(), state.is_completed()) == (True, True)
    assert "no export format is called 'pdf'" in str(refused.message)
    assert files == [f"{book}.epub", f"{book}.txt"]


def _first_close(names: list[str]) -> str:
    return next(name for name in names if name.startswith("close "))


def test_a_task_run_that_was_left_pending_has_a_last_state_at_the_end(prefect_server: None, home: Path) -> None:
    left: list[UUID] = []

    def leave_one(count: int) -> None:
        if count == 1:
            with get_client(sync_client=True) as client:
                run = newest_flow_run(client, book_id(make_brief(SHORT))).id
                left.append(client.create_task_run(TASKS[Activity.PLAN], run, "left", name="left").id)

    write_at_terminal(load_settings(), lambda line: None, lambda inner: Recording(inner, leave_one), SHORT)

    with get_client(sync_client=True) as client:
        states = [run.state_type for run in task_runs_of(client, newest_flow_run(client, book_id(make_brief(SHORT))))]
        assert state_of(client.read_task_run(left[0])).is_crashed()
    assert len(states) > 1
    assert not {StateType.PENDING, StateType.RUNNING} & set(states)


def test_a_book_held_by_another_worker_ends_the_run_and_pays_nothing(prefect_server: None, home: Path) -> None:
    database = open_library(load_settings())
    book = find_or_create(database, make_brief(BRIEF))
    with database.write(Failpoint.EDIT_BOOK) as connection:
        Lease.take(connection, book.id, "another worker", 60)

    state = run_flow(brief=BRIEF)

    assert (state.name, state.is_failed()) == ("Held", True)
    assert "is being written by another worker" in (state.message or "")
    assert stored_book(load_settings()).calls == 0
    database.dispose()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "neither a brief nor a book is given"),
        ({"brief": {"length": 900}}, "the brief has no premise"),
        ({"brief": 'premise = "A keeper."'}, "the brief has no length"),
        ({"book": "nobody"}, "there is no book 'nobody'"),
        ({"brief": BRIEF, "model": "nobody:x"}, "nobody"),
        ({"brief": BRIEF, "until": "chapter"}, "--until is 'chapter'"),
    ],
)
def test_bad_parameters_fail_the_run_with_one_line(
    prefect_server: None, home: Path, parameters: dict[str, Any], message: str
) -> None:
    state = run_flow(**parameters)

    assert state.is_failed()
    assert message in (state.message or "")


def test_an_error_of_the_work_comes_out_as_it_is_and_the_work_ran_once(prefect_server: None, home: Path) -> None:
    node = TaskNode(key=1, book=BOOK, level="book", task_type="write", goal="g", title="{braces} \n and lines")
    error = BackendUnavailable("nobody answers")
    runs: list[str] = []

    def work() -> None:
        runs.append("begun")
        raise error

    notices: list[str] = []

    @flow(name="a test's", flow_run_name=BOOK, persist_result=False)
    def one_activity() -> None:
        PrefectObserver(notices.append).run(Activity.PLAN, node, work)

    with pytest.raises(BackendUnavailable) as caught:
        one_activity()

    with get_client(sync_client=True) as client:
        run = newest_flow_run(client, BOOK)
        (task_run,) = ended_task_runs(client, run, 1)
    assert caught.value is error
    assert runs == ["begun"]
    assert task_run.name == 'plan 1 book "{braces} and lines"'
    assert state_of(task_run).message == "nobody answers"
    assert state_of(run).is_failed()
    assert notices == []


def test_a_terminal_calls_the_flow_that_a_worker_runs(prefect_server: None, home: Path, short_walk: list[str]) -> None:
    book, notices = book_id(make_brief(SHORT)), list[str]()

    finished = write_at_terminal(load_settings(), notices.append, brief=SHORT)

    words = f"{written_in(load_settings(), book):,} of 900 words"
    with get_client(sync_client=True) as client:
        run = newest_flow_run(client, book)
        flows = client.read_flows()
        shown = ended_task_runs(client, run, len(short_walk))
    assert [one.id for one in flows if one.name == write_book.name] == [run.flow_id]
    assert run.parameters["book"] == book
    assert (state_of(run).name, notices) == ("Completed", [])
    assert state_of(run).message == f'"The Log": {words}, {finished.calls:,} calls, 0.0000 US dollars'
    assert sorted(task_run.name for task_run in shown) == sorted(short_walk)


def test_submit_hands_the_pool_a_book_named_after_itself(
    prefect_server: None, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["submit", "--premise", BRIEF["premise"], "--words", "6000", "--title", "The Log", "--json"]

    before = run(app, arguments)
    refusal = capsys.readouterr().err
    deploy(limit=4)
    after = run(app, arguments)

    told = json.loads(capsys.readouterr().out)
    url = str(prefect.settings.get_current_settings().api.url)
    (home / "prefect").mkdir(parents=True)
    (home / "prefect" / "api-url").write_text(url)  # as a running `bookwright server` says it
    listed = run(app, ["status", "--json"]), json.loads(capsys.readouterr().out)
    with get_client(sync_client=True) as client:
        submitted = client.read_flow_run(UUID(told["flow_run"]["id"]))
    assert (before, after) == (1, 0)
    assert schemas.faults(schemas.kept()["submit"], told) == []
    assert "the Prefect server has no deployment 'write-book/write-book'" in refusal
    assert told["book"] == submitted.name == BOOK
    assert (listed[0], [(one["book"], one["state"]) for one in listed[1]]) == (0, [(BOOK, "queued")])
    assert told["flow_run"]["url"].endswith(told["flow_run"]["id"])
    assert submitted.parameters["brief"]["premise"] == BRIEF["premise"]
    assert f"book:{BOOK}" in submitted.tags
    assert state_of(submitted).is_scheduled()
    assert not (home / "bookwright.db").exists()
    swept = run(app, ["submit", "--interrupted", "--json"]), json.loads(capsys.readouterr().out)
    assert swept == (0, {"again": [], "handed_in": []})
    assert schemas.faults(schemas.kept()["submit-interrupted"], swept[1]) == []


_FLOW = "tests.flows.prefect.flow_program"
_TERMINAL = ["write", "--premise", BRIEF["premise"], "--words", "6000", "--profile", "economy", "--title", "The Log"]


@pytest.mark.parametrize(
    ("program", "number", "code"),
    [
        ([_FLOW, json.dumps(BRIEF)], signal.SIGTERM, 0),
        pytest.param(["bookwright", *_TERMINAL], signal.SIGTERM, 128 + signal.SIGTERM, marks=pytest.mark.soak),
        (["bookwright", *_TERMINAL], signal.SIGINT, 128 + signal.SIGINT),
    ],
)
def test_a_signal_keeps_the_call_in_flight_and_lets_the_book_go(
    prefect_server: None, home: Path, prefect_forks: Forks, program: list[str], number: signal.Signals, code: int
) -> None:
    with FakeProvider(author=novelist, piece_seconds=0.02) as provider:
        url = prefect.settings.get_current_settings().api.url
        environment = os.environ | {
            "PREFECT_API_URL": str(url), "BOOKWRIGHT_MODEL": "compatible:fake", "BOOKWRIGHT_LLM_BASE_URL": provider.url,
        }  # fmt: skip
        child = prefect_forks.begin(program, environment, (0, 1, 2))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(provider.ledger) < 4 and time.monotonic() < deadline:
            time.sleep(0.02)

        child.send_signal(number)
        ended = child.wait(PATIENCE_SECONDS)

    settings = load_settings()
    book = stored_book(settings)
    assert ended == code
    assert len(provider.ledger) >= 4
    assert all(entry.is_whole for entry in provider.ledger)
    assert book.calls == len(provider.ledger)
    assert (book.state, book.lease_owner) == (BookState.PAUSED, None)
    with get_client(sync_client=True) as client:
        run = newest_flow_run(client, BOOK)
    assert (state_of(run).name, state_of(run).is_cancelled()) == ("Paused", True)


def test_a_signal_after_the_walk_does_not_make_a_crash_of_its_run(
    prefect_server: None, home: Path, prefect_forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", str(prefect.settings.get_current_settings().api.url))
    monkeypatch.setenv("BOOKWRIGHT_NOTIFY_COMMAND", json.dumps(["sh", "-c", "kill -TERM $PPID"]))  # once it is finished

    book = book_id(make_brief(SHORT))

    assert prefect_forks.run([_FLOW, json.dumps(SHORT)]).returncode == 0

    with get_client(sync_client=True) as client:
        run = newest_flow_run(client, book)
    assert stored_book(load_settings(), book).state is BookState.FINISHED
    assert state_of(run).is_completed()
