"""What ails Prefect ails no book: its server, its database and its runs are taken away while a book is written."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import prefect.settings
import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun, State
from prefect.client.schemas.sorting import FlowRunSort
from prefect.events.worker import EventsWorker
from prefect.exceptions import ObjectNotFound
from prefect.flow_engine import run_flow
from prefect.settings import temporary_settings
from prefect.states import AwaitingRetry, Cancelling, Crashed

from bookwright.agents.backends.service import ModelService
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.flows.deps import RunObserver
from bookwright.flows.library import book_id, find_or_create, opened_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.prefect.pool import hand_in
from bookwright.flows.prefect.server import PrefectApi, api_url, free_port, make_login, stop_process
from bookwright.flows.prefect.terminal import write_in_flow
from bookwright.flows.prefect.workers import deploy
from bookwright.flows.run_book import BookRun, run_book
from bookwright.flows.write_book import write_book
from bookwright.models.book import Book, BookState
from bookwright.models.brief import make_brief
from bookwright.models.errors import BookPaused
from bookwright.models.settings import Settings, load_settings
from tests.durability.children import finished_text
from tests.durability.command import wait_until
from tests.durability.services.prefects import IN_THE_MIDDLE, PATIENCE_SECONDS, Gates, Server, Walk
from tests.flows.prefect.observed import reached
from tests.support.fake_provider import FakeProvider
from tests.support.forks import Forks
from tests.support.novelist import write as novelist

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

BRIEF = {"premise": "A keeper reads a log in her own hand.", "length": 3_600, "profile": "economy", "title": "The Log"}
"""Of two chapters, for what Prefect is not told any more."""
SHORT = BRIEF | {"length": 900}
"""Told in one sitting: eight calls, of which the last two belong to activities of their own."""
BOOK = book_id(make_brief(SHORT))
SILENT_SECONDS = 60
"""How long a walk leaves a silent server alone."""

FAULTS = [pytest.param("locked", marks=pytest.mark.soak), "full"]
"""What keeps Prefect's database from taking anything."""


Calm = Callable[[int], tuple[int, str]]
"""Says how many calls a book of a length takes where nothing happens, and its text."""


@dataclass
class Studio:
    """A library, the provider its books are written by, and an undisturbed book to compare with."""

    settings: Settings
    provider: FakeProvider
    gates: Gates
    calm: Calm
    brief: dict[str, Any] = field(default_factory=lambda: SHORT)
    notices: list[str] = field(default_factory=list)

    def deployed(self, **parameters: Any) -> State[Any]:
        """Write the book as a worker does."""
        given: Mapping[str, Any] = parameters or {"brief": self.brief}
        state: State[Any] = write_book(**given, return_state=True)
        return state

    def terminal(self) -> None:
        """Write the book as `bookwright write` does."""
        with opened_library(self.settings) as database, closing(ModelService(self.settings)) as models:

            def run_seen_by(observer: RunObserver) -> BookRun:
                around = RunConfig(self.settings, database, models, observer=observer)
                return BookRun(around, lambda: closing(EventBus()), lambda gate: False)

            book = find_or_create(database, make_brief(self.brief))
            write_in_flow(book, self.settings, run_seen_by, self.notices.append)

    def stored(self) -> tuple[Book, str]:
        return finished_text(self.settings)

    def check_resting(self, reason: str) -> None:
        book, _ = self.stored()
        assert (book.state, book.lease_owner, book.reason) == (BookState.PAUSED, None, reason)
        assert book.calls == len(self.provider.ledger)
        assert all(entry.is_whole for entry in self.provider.ledger)

    def check_finished(self) -> None:
        """The book is whole, and not a call was made twice."""
        book, text = self.stored()
        assert (book.state, book.lease_owner) == (BookState.FINISHED, None)
        assert (book.calls, text) == self.calm(self.brief["length"])
        assert len(self.provider.ledger) == book.calls


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, prefect_forks: Forks) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PREFECT_API_URL", raising=False)
        port = free_port()
        settings = load_settings(home=tmp_path_factory.mktemp("prefect"))
        server = Server.start(prefect_forks, settings, port)
        try:
            with reached(PrefectApi(api_url(port), make_login(settings))):
                yield server
                EventsWorker.drain_all(timeout=10)  # the next server gets events of its own only
        finally:
            stop_process(server.process)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    """Each book is written once."""

    @cache
    def write(length: int) -> tuple[int, str]:
        with FakeProvider(author=novelist) as provider:
            settings = load_settings(**settings_for(tmp_path_factory.mktemp("calm"), provider))
            with opened_library(settings) as database, closing(ModelService(settings)) as models:
                book = find_or_create(database, make_brief(BRIEF | {"length": length}))
                run_book(book.id, RunConfig(settings, database, models))
        book, text = finished_text(settings)
        return book.calls, text

    return write


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calm: Calm) -> Iterator[Studio]:
    gates = Gates()
    with FakeProvider(author=gates.write) as provider:
        for name, value in settings_for(tmp_path, provider).items():
            monkeypatch.setenv(f"BOOKWRIGHT_{name.upper()}", str(value))
        yield Studio(load_settings(), provider, gates, calm)


def settings_for(home: Path, provider: FakeProvider) -> dict[str, Any]:
    return {"home": home, "model": "compatible:fake", "llm_base_url": provider.url, "embedding": "hashing",
            "free_megabytes": 0}  # fmt: skip


@pytest.fixture
def client() -> Iterator[SyncPrefectClient]:
    with get_client(sync_client=True) as client:
        yield client


def running(client: SyncPrefectClient) -> FlowRun:
    """The newest flow run that is running: one whose end the server could not be told stays so."""
    newest_first = client.read_flow_runs(sort=FlowRunSort.EXPECTED_START_TIME_DESC)
    return next(run for run in newest_first if run.state and run.state.is_running())


def state_of(client: SyncPrefectClient, run: FlowRun) -> tuple[str, str]:
    state = client.read_flow_run(run.id).state
    assert state is not None
    return state.name or "", state.message or ""


@pytest.mark.parametrize("entry", ["deployed", "terminal"])
def test_a_run_that_is_cancelled_rests_its_book_though_no_worker_ends_it(
    server: Server, studio: Studio, client: SyncPrefectClient, entry: str
) -> None:
    walk = Walk(getattr(studio, entry))
    with studio.gates.during_the_next():
        run = running(client)
        client.set_flow_run_state(run.id, Cancelling())  # as the UI does
    walk.ended()

    studio.check_resting("the flow run was cancelled in Prefect")
    assert state_of(client, run)[0] == "Cancelled"
    assert entry == "deployed" or isinstance(walk.error, BookPaused)
    assert studio.deployed().is_completed()
    studio.check_finished()


def test_a_run_that_is_called_crashed_while_it_lives_writes_on_and_a_second_pays_nothing(
    server: Server, studio: Studio, client: SyncPrefectClient
) -> None:
    walk = Walk(studio.deployed)
    with studio.gates.during_the_next():
        run = running(client)
        client.set_flow_run_state(run.id, Crashed(message="no heartbeat"), force=True)  # as a zombie automation does
        second = studio.deployed()
        paid = len(studio.provider.ledger)
    walk.ended()

    assert (second.name, second.is_failed()) == ("Held", True)
    assert paid == IN_THE_MIDDLE
    assert state_of(client, run)[0] == "Completed"
    studio.check_finished()


def test_a_run_that_is_given_to_the_pool_again_while_it_lives_pays_nothing_there(
    server: Server, studio: Studio, client: SyncPrefectClient
) -> None:
    deploy(limit=4)
    run = UUID(hand_in({"brief": SHORT}, BOOK).id)

    def execute() -> State[Any]:
        given = client.read_flow_run(run)
        return cast(State[Any], run_flow(write_book, given, parameters={"brief": SHORT}, return_type="state"))

    walk = Walk(execute)
    with studio.gates.during_the_next():
        client.set_flow_run_state(run, AwaitingRetry(), force=True)  # as a sweep does that takes it for dead
        second = execute()
        paid = len(studio.provider.ledger)
    walk.ended()

    assert (second.name, second.is_failed()) == ("Held", True)
    assert paid == IN_THE_MIDDLE
    studio.check_finished()


@pytest.mark.parametrize("entry", ["deployed", "terminal"])
def test_a_run_that_is_deleted_while_it_lives_writes_its_book_to_the_end(
    server: Server, studio: Studio, client: SyncPrefectClient, entry: str
) -> None:
    studio.brief = BRIEF
    walk = Walk(getattr(studio, entry))
    with studio.gates.during_the_next():
        run = running(client)
        client.delete_flow_run(run.id)
    walk.ended()

    studio.check_finished()
    with pytest.raises(ObjectNotFound):
        client.read_flow_run(run.id)
    assert studio.deployed().is_completed()
    studio.check_finished()
    if entry == "terminal":
        assert studio.notices == ["the flow run was deleted in Prefect; the book is written on without it"]
        assert walk.error is None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_book_is_written_where_prefects_database_takes_nothing(server: Server, studio: Studio, fault: str) -> None:
    studio.gates.at = ()

    with getattr(server, fault)():
        studio.terminal()

    assert [notice.split(" (")[0] for notice in studio.notices] == ["Prefect could not be started"]
    studio.check_finished()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_book_is_written_on_when_prefects_database_takes_nothing_more(
    server: Server, studio: Studio, fault: str
) -> None:
    studio.brief = BRIEF
    walk = Walk(studio.terminal)
    with ExitStack() as stack:
        with studio.gates.during_the_next():
            stack.enter_context(getattr(server, fault)())
        walk.ended()

    assert walk.error is None
    assert len(studio.notices) == 1
    studio.check_finished()
    assert studio.deployed().is_completed()
    studio.check_finished()


def test_a_deployed_run_whose_server_was_never_there_pays_nothing_and_a_terminal_writes_without(studio: Studio) -> None:
    studio.gates.at = ()

    with temporary_settings({prefect.settings.PREFECT_API_URL: api_url(free_port())}):
        deployed = Walk(studio.deployed)
        deployed.ended()
        paid = len(studio.provider.ledger)
        studio.terminal()
        EventsWorker.drain_all(timeout=0)  # of a server that nobody starts

    assert deployed.error is not None
    assert paid == 0
    assert [notice.split(" (")[0] for notice in studio.notices] == ["Prefect could not be started"]
    studio.check_finished()


@pytest.mark.soak
def test_a_deployed_run_ends_well_where_its_server_dies_and_is_back_only_after_the_book(
    server: Server, studio: Studio, client: SyncPrefectClient
) -> None:
    studio.brief = BRIEF
    walk = Walk(studio.deployed)
    with studio.gates.during_the_next():
        run = running(client)
        server.kill()
    wait_until(lambda: studio.stored()[0].state is BookState.FINISHED, "the book is finished", PATIENCE_SECONDS)
    server.start_again()
    walk.ended()

    assert state_of(client, run)[0] == "Completed"
    studio.check_finished()
    assert studio.deployed().is_completed()
    studio.check_finished()


@pytest.mark.soak
def test_a_server_that_comes_back_is_told_of_what_it_missed(
    server: Server, studio: Studio, client: SyncPrefectClient
) -> None:
    studio.brief = BRIEF
    studio.gates.at = (IN_THE_MIDDLE, 2 * IN_THE_MIDDLE)

    walk = Walk(studio.terminal)
    with studio.gates.during_the_next():
        run = running(client)
        server.kill()
    with studio.gates.during_the_next():
        server.start_again()
        time.sleep(SILENT_SECONDS)
    walk.ended()

    assert walk.error is None
    assert [notice.split(" (")[0] for notice in studio.notices] == [
        "Prefect fails", "Prefect is back; what it missed is posted there"
    ]  # fmt: skip
    wait_until(lambda: 'publish 1 book "The Log"' in shown_of(client, run), "the last task run", PATIENCE_SECONDS)
    assert state_of(client, run)[0] == "Completed"
    studio.check_finished()


def shown_of(client: SyncPrefectClient, run: FlowRun) -> set[str]:
    one = FlowRunFilter(id=FlowRunFilterId(any_=[run.id]))
    return {task_run.name for task_run in client.read_task_runs(flow_run_filter=one, limit=200)}
