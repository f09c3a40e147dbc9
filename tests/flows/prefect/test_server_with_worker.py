"""`bookwright server --worker`: what it asks, what a run may say, and how it ends.

Whoever has the login chooses a book, and not what the worker's machine does for it.
"""

import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolUpdate
from prefect.client.schemas.objects import StateType
from prefect.types.entrypoint import EntrypointType
from prefect.workers.process import ProcessWorker

from bookwright.flows.library import opened_library
from bookwright.flows.prefect.flow_run import FLOW_NAME
from bookwright.flows.prefect.pool import DEPLOYMENT, POOL, hand_in, on_server
from bookwright.flows.prefect.server import (
    PrefectApi,
    api_url,
    free_port,
    known_login,
    prefect_home,
    server_environment,
    stop_process,
)
from bookwright.flows.prefect.workers import job_template
from bookwright.flows.write_book import write_book
from bookwright.models.book import BookState
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.repositories.books import BookRepository
from tests.cli.operating.test_server_start import QUESTIONS
from tests.flows.prefect.hostile import local_process
from tests.flows.prefect.observed import SHORT
from tests.places import ROOT
from tests.support.fake_provider import Entry, FakeProvider
from tests.support.forks import Fork, Forks
from tests.support.novelist import write as novelist
from tests.support.prefect_database import give_database, states_by_name, states_of

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

SOURCES = ROOT
PATIENCE_SECONDS = 240
CREATED, BUSY = 201, 503
_MOST_TRIES = 20
HASTE = {"PREFECT_WORKER_QUERY_SECONDS": "2", "PREFECT_WORKER_HEARTBEAT_SECONDS": "2"}
"""How often a worker looks for runs, and says that it lives and reads its pool's template: by default every ten and
thirty seconds."""


@dataclass
class Studio:
    """The program on a fresh home, as its owner reaches it."""

    forks: Forks
    settings: Settings
    provider: FakeProvider
    log: Path
    """All that it has said."""
    port: int = field(default_factory=free_port)
    process: Fork | None = None

    def be_up(self) -> None:
        """Start it unless it runs; nobody can answer what it asks."""
        if self.process is not None and self.process.poll() is None:
            return
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        command = ["bookwright", "server", "--worker", "--port", str(self.port)]
        with open(os.devnull) as nothing, self.log.open("ab") as log:
            said, before = log.fileno(), log.tell()
            self.process = self.forks.begin(command, kept | HASTE, (nothing.fileno(), said, said))
        wait_for(lambda: f"deployed {DEPLOYMENT}".encode() in self.log.read_bytes()[before:])

    def end(self) -> int | None:
        """Ask it to end, and return its exit code."""
        if self.process is None:
            return None
        stop_process(self.process, 90)
        return self.process.returncode

    @property
    def home(self) -> Path:
        """Prefect's own."""
        return prefect_home(self.settings)

    @property
    def notice_board(self) -> Path:
        """What tells other commands where it is."""
        return self.home / "api-url"

    @property
    def api(self) -> PrefectApi:
        return PrefectApi(api_url(self.port), known_login(self.settings))

    @cached_property
    def deployment(self) -> str:
        with on_server(self.api), get_client(sync_client=True) as client:
            return str(client.read_deployment_by_name(DEPLOYMENT).id)

    def make_run(self, name: str, login: str = "", **more: Any) -> int:
        """Ask for a run of a short book; return the status of the answer.

        A server whose file is locked says that it is busy, and is asked again, as Prefect's own client does.
        """
        parameters = {"brief": {**SHORT, "title": name}}
        answers = (
            local_process(self.api.url, self.deployment, name, login, parameters=parameters, **more)
            for _ in range(_MOST_TRIES)
        )
        return next((status for status in answers if status != BUSY), BUSY)

    def states(self) -> dict[str, str]:
        """The state of each run by its name."""
        return states_by_name(self.home)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, prefect_forks: Forks) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("commanded")
    with pytest.MonkeyPatch.context() as patch, FakeProvider(author=novelist, piece_seconds=0.005) as provider:
        patch.delenv("PREFECT_API_URL", raising=False)
        told = {"MODEL": "compatible:fake", "LLM_BASE_URL": provider.url, "EMBEDDING": "hashing", "FREE_MEGABYTES": "0"}
        for name, value in (told | {"HOME": str(folder / "books")}).items():
            patch.setenv(f"BOOKWRIGHT_{name}", value)
        patch.setenv("HOME", str(folder))
        studio = Studio(prefect_forks, load_settings(), provider, folder / "log")
        give_database(studio.home)
        try:
            yield studio
        finally:
            studio.end()


@pytest.fixture
def studio(begun: Studio) -> Studio:
    """The program, which the test before may have ended."""
    begun.be_up()
    return begun


def wait_for(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.5)
    return value


def test_a_pool_that_is_made_by_hand_gets_the_same_template() -> None:
    theirs = json.loads((SOURCES / "deploy" / "work-pool.json").read_text("utf-8"))

    assert theirs == job_template("python -m bookwright.flows.prefect.child --apart prefect.engine")


def test_a_pool_that_an_earlier_version_made_still_starts_its_runs() -> None:
    command = [sys.executable, "-m", "bookwright.flows.prefect_child", "--apart", "platform"]

    child = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)

    assert child.stdout.strip() == platform.platform()


def test_a_run_chooses_neither_command_nor_folder_nor_environment(studio: Studio, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = f'sh -c "touch {mark}"'
    before = studio.states()

    def made() -> list[str]:
        """The states of the runs that came of it, each of which takes the name of its book."""
        return [state for run, state in studio.states().items() if run not in before]

    wishes = [
        {"command": command}, {"env": {"LD_PRELOAD": "x"}}, {"env.PATH": "x"}, {"working_dir": str(tmp_path)},
        {"image": "x"}, {"name": "x"}, {"labels": {"x": "x"}}, {"stream_output": False},
    ]  # fmt: skip

    without = [studio.make_run(f"stranger {number}", job_variables=wish) for number, wish in enumerate(wishes)]
    within = [
        studio.make_run(f"owner {number}", studio.api.login, job_variables=wish) for number, wish in enumerate(wishes)
    ]
    plain = studio.make_run("a plain one", studio.api.login)
    wait_for(lambda: "Completed" in made())

    assert without == [403] * len(wishes)  # no login, so no CSRF token either, which is asked for first
    assert within == [422] * len(wishes)
    assert plain == CREATED
    assert len(made()) == 1
    assert not mark.exists()


def test_without_the_pools_template_it_would_choose_and_a_start_brings_the_template_back(
    studio: Studio, tmp_path: Path
) -> None:
    """The template was what held: with Prefect's own the command runs. So a pool of an earlier version is mended."""
    marks = [tmp_path / "before", tmp_path / "after"]
    with on_server(studio.api), get_client(sync_client=True) as client:
        theirs = ProcessWorker.get_default_base_job_template()
        client.update_work_pool(POOL, WorkPoolUpdate(base_job_template=theirs))
        old = {"env": {"DO_NOT_TRACK": "1"}, "command": f"touch {marks[1]}"}
        write_book.to_deployment(
            FLOW_NAME, work_pool_name=POOL, entrypoint_type=EntrypointType.MODULE_PATH, job_variables=old
        ).apply()  # type: ignore[union-attr]

        def ran_the_command() -> bool:
            """A run that the worker took up before it read the pool's template is asked for anew."""
            if not marks[0].exists() and studio.states().get("with a command", "Completed") == "Completed":
                wish = {"command": f"touch {marks[0]}"}
                assert studio.make_run("with a command", studio.api.login, job_variables=wish) == CREATED
            return marks[0].exists()

        wait_for(ran_the_command)
        # The run before keeps its place: its command never told Prefect of an end.
        program, told = ["tests.flows.prefect.deploy_program"], server_environment(studio.settings, studio.port)
        assert studio.forks.start(program, told).wait() == 0
        handed_in = hand_in({"book": "nobody"}, "nobody")
        wait_for(lambda: studio.states()["nobody"] == "Failed")
        for _ in range(2):  # it reads the template just before it is heard of
            heard = last_heard_of(client)
            wait_for(lambda heard=heard: last_heard_of(client) > heard)

    assert handed_in.name == "nobody"
    assert not marks[1].exists()
    assert studio.make_run("again", studio.api.login, job_variables={"command": "true"}) == 422


def last_heard_of(client: SyncPrefectClient) -> datetime:
    """When the worker last said that it lives."""
    return max(worker.last_heartbeat_time for worker in client.read_workers_for_work_pool(POOL))


def test_it_ends_its_books_before_its_worker_and_its_server_and_asked_nothing(studio: Studio) -> None:
    brief = ["--premise", "A keeper reads a log.", "--words", "60000", "--profile", "economy", "--title", "Halite"]
    assert studio.forks.start(["bookwright", "submit", *brief], dict(os.environ)).wait() == 0
    wait_for(lambda: len(calls_of(studio, "Halite")) >= 6)

    code, calls = studio.end(), calls_of(studio, "Halite")

    with opened_library(studio.settings) as database, database.read() as connection:
        [book] = [book for book in BookRepository(connection).all() if book.brief.title == "Halite"]
    assert code == 128 + signal.SIGTERM
    assert (book.state, book.reason, book.lease_owner) == (BookState.PAUSED, "asked to rest", None)
    assert book.calls == len(calls)
    assert all(entry.is_whole for entry in calls)
    assert studio.states()[book.id] == "Paused"
    assert states_of(prefect_home(studio.settings), book.id) == [StateType.CANCELLED]  # one run, which is over
    assert not studio.notice_board.exists()
    assert [question for question in QUESTIONS if question in studio.log.read_text()] == []


def calls_of(studio: Studio, title: str) -> list[Entry]:
    """The provider's own record of one book's calls."""
    return [entry for entry in studio.provider.ledger if title in json.dumps(entry.body)]
