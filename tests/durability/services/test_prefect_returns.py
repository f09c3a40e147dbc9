"""A stock Prefect server under load is killed while books are written, and comes back: at their ends all is whole."""

import re
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    ArtifactFilter,
    ArtifactFilterFlowRunId,
    FlowRunFilter,
    FlowRunFilterId,
    FlowRunFilterName,
)
from prefect.client.schemas.objects import FlowRun, StateType, TaskRun
from prefect.events.worker import EventsWorker

from bookwright.agents.backends.service import ModelService
from bookwright.flows.deps import RunObserver
from bookwright.flows.library import book_id, find_or_create, opened_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.prefect.server import PrefectApi, api_url, free_port
from bookwright.flows.run_book import run_book
from bookwright.flows.write_book import write_book
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.stores import BookStorage
from tests.durability.command import wait_until
from tests.durability.services.prefects import PATIENCE_SECONDS, StockServer, Walk
from tests.flows.prefect.observed import Recording, reached
from tests.support.fake_provider import FakeProvider
from tests.support.forks import Forks
from tests.support.novelist import write as novelist
from tests.support.prefect_database import states_of

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

BRIEFS = [
    {"premise": "A keeper reads a log in her own hand.", "length": 3_600, "profile": "economy", "title": title}
    for title in ("The Log", "The Lamp")
]
KILLED_AT, BACK_AT = 10, 20
"""At which call of both books together the server dies, and at which it is back."""
LOAD = 2
"""Threads that keep the server's database busy."""


@dataclass
class Fate:
    """The novelist, who waits until both books are begun, and has the server killed and back at certain calls."""

    server: StockServer
    calls: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    begun: threading.Event = field(default_factory=threading.Event)

    def write(self, prompt: str, schema: dict[str, Any] | None) -> str:
        self.begun.wait(PATIENCE_SECONDS)
        with self.lock:
            self.calls += 1
            if self.calls == KILLED_AT:
                self.server.kill()
            if self.calls == BACK_AT:
                self.server.start_again()
        return novelist(prompt, schema)


@contextmanager
def load(url: str) -> Iterator[None]:
    """Write to the server from many threads at once, and whether it answers or not."""
    done = threading.Event()

    def press(number: int) -> None:
        with httpx.Client(base_url=url, timeout=5) as client:
            turn = 0
            while not done.is_set():
                turn += 1
                try:
                    done.wait(0.1)
                    client.post("/artifacts/", json={"key": f"load-{number}", "data": "x" * 2_000 + str(turn)})
                except httpx.HTTPError:
                    done.wait(0.2)

    with ThreadPoolExecutor(LOAD) as pool:
        for number in range(LOAD):
            pool.submit(press, number)
        try:
            yield
        finally:
            done.set()


@pytest.fixture
def server(tmp_path: Path, prefect_forks: Forks) -> Iterator[StockServer]:
    server = StockServer.begin(prefect_forks, tmp_path / "prefect", free_port())
    try:
        with reached(PrefectApi(api_url(server.port))):
            yield server
            EventsWorker.drain_all(timeout=10)
    finally:
        server.kill()


@pytest.fixture
def fate(server: StockServer) -> Fate:
    return Fate(server)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fate: Fate) -> Iterator[Settings]:
    with FakeProvider(author=fate.write) as provider:
        told = {"home": tmp_path / "books", "model": "compatible:fake", "llm_base_url": provider.url}
        for name, value in (told | {"embedding": "hashing", "free_megabytes": 0}).items():
            monkeypatch.setenv(f"BOOKWRIGHT_{name.upper()}", str(value))
        yield load_settings()


def walked(home: Path) -> dict[str, tuple[list[str], set[str]]]:
    """By book: the names of all activities where nobody watches, and the boards; for another title, these are alike."""
    recording = Recording(RunObserver())
    with FakeProvider(author=novelist) as provider:
        alone = load_settings(home=home, model="compatible:fake", llm_base_url=provider.url, embedding="hashing")
        with opened_library(alone) as database, closing(ModelService(alone)) as models:
            book = find_or_create(database, make_brief(BRIEFS[0]))
            run_book(book.id, RunConfig(alone, database, models, observer=recording))
            with BookStorage(database, book.id, book.brief.language).read() as stores:
                has_design = stores.documents.latest(DocumentKind.BOOK_DESIGN) is not None
    boards = {"plan", "progress", "cost"} | ({"design"} if has_design else set())
    titled = {book_id(make_brief(brief)): f'"{brief["title"]}"' for brief in BRIEFS}
    own = titled[book.id]
    return {other: ([name.replace(own, title) for name in recording.names], boards) for other, title in titled.items()}


def runs_of(client: SyncPrefectClient, book: str) -> list[FlowRun]:
    return client.read_flow_runs(flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[book])))


def task_runs_of(client: SyncPrefectClient, run: FlowRun) -> list[TaskRun]:
    return client.read_task_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[run.id])), limit=200)


def artifacts_of(client: SyncPrefectClient, run: FlowRun) -> set[str]:
    of = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run.id]))
    return {artifact.key or "" for artifact in client.read_artifacts(artifact_filter=of, limit=200)}


def test_two_books_are_shown_whole_although_a_loaded_server_was_killed_in_their_middle(
    server: StockServer, fate: Fate, settings: Settings, tmp_path: Path
) -> None:
    expected = walked(tmp_path / "alone")

    walks = [Walk(lambda brief=brief: write_book(brief=brief, return_state=True)) for brief in BRIEFS]
    wait_until(lambda: are_running(tmp_path / "prefect", expected), "both books are begun", PATIENCE_SECONDS)
    fate.begun.set()
    with load(api_url(server.port)):
        states = [walk.ended() for walk in walks]

    assert [walk.error for walk in walks] == [None, None]
    assert server.deaths == 1
    assert [state is not None and state.is_completed() for state in states] == [True, True]
    with get_client(sync_client=True) as client:
        for book, (names, boards) in expected.items():
            (run,) = runs_of(client, book)
            task_runs = task_runs_of(client, run)
            assert (run.state_name, sorted(one.name for one in task_runs)) == ("Completed", sorted(names))
            assert {one.state_name for one in task_runs} == {"Completed"}
            assert {f"book:{book}", "type:write"} == set.intersection(*(set(one.tags) for one in task_runs))
            chapters = {re.sub(r"\W+", "-", f"{book}-chapter-{name.split()[1]}") for name in names if is_chapter(name)}
            assert chapters
            assert artifacts_of(client, run) == {f"{book}-{what}" for what in boards} | chapters


def are_running(home: Path, books: Iterable[str]) -> bool:
    return all(states_of(home, book) == [StateType.RUNNING] for book in books)


def is_chapter(name: str) -> bool:
    return name.startswith("close ") and " chapter " in name
