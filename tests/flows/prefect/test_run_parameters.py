"""What a run may say: whoever has the login chooses a book, and not what the worker's machine does for it."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import WorkPoolUpdate
from prefect.types.entrypoint import EntrypointType
from prefect.workers.process import ProcessWorker

from bookwright.flows.prefect.flow_run import FLOW_NAME
from bookwright.flows.prefect.pool import DEPLOYMENT, POOL, hand_in, on_server
from bookwright.flows.prefect.server import PrefectApi, api_url, free_port, known_login, prefect_home, stop_process
from bookwright.flows.prefect.workers import deploy, job_template
from bookwright.flows.write_book import write_book
from bookwright.models.settings import Settings, load_settings
from tests.flows.prefect.hostile import local_process
from tests.flows.prefect.observed import BRIEF
from tests.places import ROOT
from tests.support.forks import Forks
from tests.support.prefect_database import give_database, has_deployment, states_by_name

pytestmark = [pytest.mark.prefect, pytest.mark.slow]

SOURCES = ROOT
PATIENCE_SECONDS = 240
CREATED, BUSY = 201, 503
_MOST_TRIES = 20


@dataclass(frozen=True)
class Studio:
    """A running `bookwright server --worker`, as its owner reaches it."""

    api: PrefectApi
    deployment: str
    home: Path
    """Prefect's own."""

    def make_run(self, name: str, login: str = "", **more: Any) -> int:
        """Ask for a run of a short book; return the status of the answer.

        A server whose file is locked says that it is busy, and is asked again, as Prefect's own client does.
        """
        parameters = {"brief": {**BRIEF, "length": 600}}
        answers = (
            local_process(self.api.url, self.deployment, name, login, parameters=parameters, **more)
            for _ in range(_MOST_TRIES)
        )
        return next((status for status in answers if status != BUSY), BUSY)

    def states(self) -> dict[str, str]:
        """The state of each run by its name."""
        return states_by_name(self.home)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(home=tmp_path_factory.mktemp("commanded"))


@pytest.fixture(scope="module")
def studio(settings: Settings, prefect_forks: Forks) -> Iterator[Studio]:
    port = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PREFECT_API_URL", raising=False)
        for name, value in {"MODEL": "rehearsal:exact", "EMBEDDING": "hashing", "FREE_MEGABYTES": "0"}.items():
            patch.setenv(f"BOOKWRIGHT_{name}", value)
        patch.setenv("BOOKWRIGHT_HOME", str(settings.home))
        give_database(prefect_home(settings))
        process = prefect_forks.begin(["bookwright", "server", "--worker", "--port", str(port)], os.environ, (0, 1, 2))
        try:
            api = wait_for(lambda: found(settings, port))
            wait_for(lambda: has_deployment(prefect_home(settings)))
            yield Studio(api, deployment_of(api), prefect_home(settings))
        finally:
            stop_process(process, 60)


def found(settings: Settings, port: int) -> PrefectApi | None:
    login = known_login(settings)
    return PrefectApi(api_url(port), login) if login else None


def deployment_of(api: PrefectApi) -> str:
    with on_server(api), get_client(sync_client=True) as client:
        return str(client.read_deployment_by_name(DEPLOYMENT).id)


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
    wishes = [
        {"command": command}, {"env": {"LD_PRELOAD": "x"}}, {"env.PATH": "x"}, {"working_dir": str(tmp_path)},
        {"image": "x"}, {"name": "x"}, {"labels": {"x": "x"}}, {"stream_output": False},
    ]  # fmt: skip

    without = [studio.make_run(f"stranger {number}", job_variables=wish) for number, wish in enumerate(wishes)]
    within = [
        studio.make_run(f"owner {number}", studio.api.login, job_variables=wish) for number, wish in enumerate(wishes)
    ]
    plain = studio.make_run("a plain one", studio.api.login)
    wait_for(lambda: "Completed" in studio.states().values())

    assert without == [403] * len(wishes)  # no login, so no CSRF token either, which is asked for first
    assert within == [422] * len(wishes)
    assert plain == CREATED
    assert len(studio.states()) == 1
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
            """A worker reads its pool's template every half minute: a run that it took up before is asked for anew."""
            if not marks[0].exists() and set(studio.states().values()) <= {"Completed"}:
                wish = {"command": f"touch {marks[0]}"}
                assert studio.make_run("with a command", studio.api.login, job_variables=wish) == CREATED
            return marks[0].exists()

        wait_for(ran_the_command)
        deploy(limit=4)  # the run before keeps its place: its command never told Prefect of an end
        handed_in = hand_in({"book": "nobody"}, "nobody")
        wait_for(lambda: studio.states()["nobody"] == "Failed")

    assert handed_in.name == "nobody"
    assert not marks[1].exists()
    assert studio.make_run("again", studio.api.login, job_variables={"command": "true"}) == 422
