"""A studio in little: a Prefect server, a process work pool, a worker, and books side by side."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId, FlowRunFilterName
from prefect.client.schemas.objects import TERMINAL_STATES, FlowRun, State, StateType
from prefect.events.worker import EventsWorker
from prefect.flow_runs import resume_flow_run
from prefect.states import Suspended
from starlette.testclient import TestClient

from bookwright.agents.workflows import REVISION_MARK
from bookwright.failpoints import Failpoint
from bookwright.flows.library import book_id, find_or_create, open_library
from bookwright.flows.prefect.pool import hand_in
from bookwright.flows.prefect.server import (
    PrefectApi,
    api_url,
    free_port,
    make_login,
    prefect_home,
    server_environment,
    stop_process,
    wait_until_up,
)
from bookwright.flows.prefect.workers import deploy, sweep_once
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.settings import load_settings
from bookwright.storage.engine.database import Database
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from bookwright.studio.guard import StudioKeys
from bookwright.studio.server import make_application
from tests.flows.prefect.observed import reached
from tests.support.fake_provider import Entry, FakeProvider
from tests.support.forks import SERVER, Fork, Forks, forking_python
from tests.support.novelist import write as novelist
from tests.support.prefect_database import give_database, states_of

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

WORKER = ("prefect", "worker", "start")
HASTE = {"PREFECT_WORKER_QUERY_SECONDS": "2"}
"""How often a worker looks for runs: by default every ten seconds."""
PATIENCE_SECONDS = 240
TWO, FOUR = ("Amber", "Basalt"), ("Cobalt", "Dross", "Jade", "Opal")
"""Titles of books that are written at once."""


@dataclass
class Studio:
    """All that runs, and what a person would type at it."""

    forks: Forks
    environment: dict[str, str]
    provider: FakeProvider
    database: Database
    worker: Fork

    def prefect(self, *arguments: str) -> None:
        """Type a command of Prefect's."""
        assert self.forks.start(["prefect", *arguments], self.environment).wait() == 0

    def start_book(self, brief: dict[str, Any]) -> str:
        """Hand a book in as DESIGN section 6 says; returns its id."""
        self.prefect("deployment", "run", "write-book/write-book", "--param", f"brief={json.dumps(brief)}")
        return book_id(make_brief(brief))

    def hand_in(self, brief: dict[str, Any]) -> str:
        """Hand a book in as `bookwright submit` does; returns its id."""
        book = book_id(make_brief(brief))
        hand_in({"brief": brief}, book)
        return book

    def run_of(self, book: str) -> FlowRun | None:
        """The flow run of a book, once it has its name."""
        with get_client(sync_client=True) as client:
            found = client.read_flow_runs(flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[book])))
        return found[0] if found else None

    def ended_run_of(self, book: str) -> FlowRun:
        """The flow run of a book, waited for."""
        home = prefect_home(load_settings())
        wait_for(lambda: TERMINAL_STATES.issuperset(states_of(home, book)[-1:] or [StateType.SCHEDULED]))
        run = self.run_of(book)
        assert run is not None
        return run

    def calls_of(self, title: str) -> list[Entry]:
        """The provider's own record of one book's calls, in order."""
        return [entry for entry in self.provider.ledger if title in json.dumps(entry.body)]

    def shown_of(self, run: FlowRun) -> set[str]:
        """The names of a flow run's task runs that Prefect has recorded so far."""
        with get_client(sync_client=True) as client:
            one = FlowRunFilter(id=FlowRunFilterId(any_=[run.id]))
            return {task_run.name for task_run in client.read_task_runs(flow_run_filter=one, limit=200)}

    def stored(self, book: str) -> Book:
        """A book's row."""
        with self.database.read() as connection:
            return BookRepository(connection).get(book)

    def times_of(self, book: str) -> list[tuple[float, float]]:
        """When each call of a book began and when it was recorded, as its journal has it."""
        with BookStorage(self.database, book, self.stored(book).brief.language).read() as stores:
            return [(line.recorded_at - line.duration_millis / 1000, line.recorded_at) for line in stores.steps.lines()]

    def start_worker(self) -> None:
        """Start another worker."""
        self.worker = self.forks.start([*WORKER, "--pool", "books", "--limit", "4"], self.environment)


def author(prompt: str, schema: dict[str, Any] | None) -> str:
    """The novelist, who also knows how a revision is to look."""
    text = novelist(prompt, schema)
    is_revision = schema is None and REVISION_MARK in prompt and REVISION_MARK not in text
    return f"Nothing is to be changed.\n{REVISION_MARK}\n{text}" if is_revision else text


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.5)  # each look is work for the server, too


def brief_of(title: str, length: int, **more: Any) -> dict[str, Any]:
    premise = "A keeper reads a log in her own hand."
    return {"premise": premise, "length": length, "profile": "economy", "title": title, **more}


def set_environment(patch: pytest.MonkeyPatch, home: Path, provider_url: str) -> None:
    patch.delenv("PREFECT_API_URL", raising=False)
    for name, value in {"HOME": str(home), "EMBEDDING": "hashing", "FREE_MEGABYTES": "0"}.items():
        patch.setenv(f"BOOKWRIGHT_{name}", value)
    patch.setenv("BOOKWRIGHT_MODEL", "compatible:fake")
    patch.setenv("BOOKWRIGHT_LLM_BASE_URL", provider_url)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, prefect_forks: Forks) -> Iterator[Studio]:
    home = tmp_path_factory.mktemp("studio")
    port = free_port()
    with pytest.MonkeyPatch.context() as patch, FakeProvider(author=author, piece_seconds=0.006) as provider:
        set_environment(patch, home, provider.url)
        environment = server_environment(load_settings(), port, has_ui=False) | HASTE
        give_database(prefect_home(load_settings()))
        server = prefect_forks.start([SERVER], environment)
        try:
            wait_until_up(server, api_url(port))
            with reached(PrefectApi(api_url(port), make_login(load_settings()))):
                yield from _deployed(prefect_forks, environment, provider)
                EventsWorker.drain_all(timeout=10)  # the next server gets events of its own only
        finally:
            stop_process(server)


def _deployed(forks: Forks, environment: dict[str, str], provider: FakeProvider) -> Iterator[Studio]:
    worker = forks.start([*WORKER, "--pool", "books", "--limit", "4", "--type", "process"], environment)
    studio = Studio(forks, environment, provider, open_library(load_settings()), worker)
    try:
        wait_for(_pool_exists)
        studio.prefect("--no-prompt", "deploy", "--all")
        yield studio
    finally:
        stop_process(studio.worker, 60)
        studio.database.dispose()


def _pool_exists() -> bool:
    with get_client(sync_client=True) as client:
        return "books" in {pool.name for pool in client.read_work_pools()}


@pytest.mark.parametrize("titles", [TWO, pytest.param(FOUR, marks=pytest.mark.soak)], ids=["two", "four"])
def test_books_are_written_at_once_and_each_is_one_line_of_thought(studio: Studio, titles: tuple[str, ...]) -> None:
    books = [studio.hand_in(brief_of(title, 6_000, max_unit_length=2_100)) for title in titles]
    runs = [studio.ended_run_of(book) for book in books]

    assert [run.state.name for run in runs if run.state] == ["Completed"] * len(titles)
    for title, book in zip(titles, books, strict=True):
        found, times, calls = studio.stored(book), studio.times_of(book), studio.calls_of(title)
        assert found.state is BookState.FINISHED
        assert found.calls == len(calls) == len(times)
        assert all((first.time_out or 0) <= second.time_in for first, second in pairwise(calls))
        assert all(recorded <= begun + 0.01 for (_, recorded), (begun, _) in pairwise(times))  # a commit's time
    assert any(_overlap(studio.calls_of(one), studio.calls_of(other)) for one, other in combinations(titles, 2))
    with get_client(sync_client=True) as client:
        keys = {str(artifact.key) for artifact in client.read_artifacts(limit=200)}
    assert all(f"{book}-{what}" in keys for book in books for what in ("progress", "cost"))
    assert all(sum(key.startswith(f"{book}-chapter-") for key in keys) == 3 for book in books)
    # Prefect records a run's last task runs only after it calls the run Completed: up to 1.4 s measured under load.
    wait_for(lambda: {f'{done} 1 book "{titles[0]}"' for done in ("plan", "publish")} <= studio.shown_of(runs[0]))


def _overlap(one: list[Entry], other: list[Entry]) -> bool:
    return any(a.time_in < (b.time_out or 0) and b.time_in < (a.time_out or 0) for a in one for b in other)


def test_a_cancelled_run_keeps_the_call_in_flight_and_lets_the_book_go(studio: Studio) -> None:
    book = studio.start_book(brief_of("Ember", 60_000))
    wait_for(lambda: len(studio.calls_of("Ember")) >= 5)
    run = studio.run_of(book)
    assert run is not None

    studio.prefect("flow-run", "cancel", str(run.id))
    ended = studio.ended_run_of(book)

    found = studio.stored(book)
    calls = studio.calls_of("Ember")
    assert ended.state is not None
    assert ended.state.is_cancelled()
    assert (found.state, found.lease_owner) == (BookState.PAUSED, None)
    assert found.reason in ("asked to rest", "the flow run was cancelled in Prefect")  # as the signal or the look comes
    assert found.calls == len(calls)
    assert all(entry.is_whole for entry in calls)


@pytest.mark.soak
def test_a_run_that_is_suspended_in_the_ui_rests_there_and_goes_on_when_it_is_resumed(studio: Studio) -> None:
    book = studio.start_book(brief_of("Garnet", 12_000))
    wait_for(lambda: len(studio.calls_of("Garnet")) >= 5)
    run = studio.run_of(book)
    assert run is not None

    with get_client(sync_client=True) as client:
        client.set_flow_run_state(run.id, Suspended(timeout_seconds=3_600))
        wait_for(lambda: studio.stored(book).lease_owner is None)
        rested = studio.stored(book)
        resume_flow_run(run.id)
    ended = studio.ended_run_of(book)

    assert (rested.state, rested.reason) == (BookState.PAUSED, "the flow run was suspended in Prefect")
    assert "submit --book" in rested.advice
    assert ended.id == run.id
    assert ended.state is not None
    assert ended.state.is_completed()
    assert studio.stored(book).calls == len(studio.calls_of("Garnet"))


@pytest.mark.soak
def test_a_worker_that_is_told_to_end_brings_its_book_to_rest_and_the_next_goes_on(studio: Studio) -> None:
    deploy(limit=4)  # as `bookwright server --worker` does
    book = studio.start_book(brief_of("Flint", 60_000))
    wait_for(lambda: len(studio.calls_of("Flint")) >= 5)

    stop_process(studio.worker, 60)
    wait_for(lambda: studio.stored(book).lease_owner is None)
    found = studio.stored(book)
    calls = studio.calls_of("Flint")
    first_run = studio.ended_run_of(book)
    studio.start_worker()
    studio.prefect(
        "deployment", "run", "write-book/write-book", "--param", f"book={book}", "--param", "until=chapter:1"
    )
    wait_for(lambda: studio.stored(book).reason == "reached chapter 1")

    assert first_run.state is not None
    assert first_run.state.name == "Paused"
    assert (found.state, found.lease_owner) == (BookState.PAUSED, None)
    assert found.calls == len(calls)
    assert all(entry.is_whole for entry in calls)
    assert studio.stored(book).calls == len(studio.calls_of("Flint"))


def test_a_resting_book_is_handed_in_on_the_page_of_the_pool(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PREFECT_API_URL", "PREFECT_API_AUTH_STRING", "PREFECT_HOME"):
        monkeypatch.setenv(name, studio.environment[name])
    monkeypatch.setattr(sys, "executable", forking_python())  # the page hands in by a program of its own
    settings, keys = load_settings(), StudioKeys(8321)
    book = find_or_create(studio.database, make_brief(brief_of("Feldspar", 900))).id
    with TestClient(make_application(settings, keys), base_url=keys.origin) as page:
        page.get(keys.address.removeprefix(keys.origin))
        shown = page.get("/pool").text

        sent = {"x-studio-token": keys.token, "origin": keys.origin}
        handed = page.post(f"/books/{book}/hand-in", headers=sent)

        assert f'hx-post="/books/{book}/hand-in"' in shown
        assert "It is being handed in" in handed.text
        assert studio.ended_run_of(book).state_name == "Completed"
    assert studio.stored(book).state is BookState.FINISHED


@pytest.mark.soak
def test_a_book_whose_process_is_killed_under_a_living_worker_goes_on_by_itself(studio: Studio) -> None:
    book = studio.start_book(brief_of("Howlite", 12_000))
    wait_for(lambda: len(studio.calls_of("Howlite")) >= 5)
    owner = str(studio.stored(book).lease_owner)

    os.kill(int(owner.split()[1]), signal.SIGKILL)  # of which the pool knows only the one that waits for it
    wait_for(lambda: _state_of(studio, book).is_crashed())
    with studio.database.write(Failpoint.TAKE_LEASE) as connection:  # as a minute of silence does
        held = BookRepository(connection).get(book)
        Lease.end(connection, book, str(held.lease_owner), held.lease_expires)
    swept = [sweep_once(load_settings()) for _ in range(2)]
    wait_for(lambda: studio.stored(book).state is BookState.FINISHED)

    assert swept == [[book], []]
    answered = sum(entry.is_whole for entry in studio.calls_of("Howlite"))
    assert answered - studio.stored(book).calls in (0, 1)  # one may have been answered and not recorded yet


def _state_of(studio: Studio, book: str) -> State[Any]:
    run = studio.run_of(book)
    assert run is not None
    assert run.state is not None
    return run.state
