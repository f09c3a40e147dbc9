"""What the tests of Prefect share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect.events.worker import EventsWorker

from bookwright.flows.deps import RunObserver
from bookwright.flows.prefect.server import (
    PrefectApi,
    api_url,
    free_port,
    prefect_home,
    server_environment,
    stop_process,
    wait_until_up,
)
from bookwright.models.settings import load_settings
from tests.flows.prefect.observed import BRIEF, SHORT, Recording, reached, write
from tests.support.forks import SERVER, Forks
from tests.support.prefect_database import QUIET, give_database


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that the flow, too, finds."""
    for name, value in {"HOME": str(tmp_path), "EMBEDDING": "hashing", "FREE_MEGABYTES": "0"}.items():
        monkeypatch.setenv(f"BOOKWRIGHT_{name}", value)
    monkeypatch.setenv("BOOKWRIGHT_MODEL", "rehearsal:exact")
    return tmp_path


@pytest.fixture(scope="module")
def plain_walk(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What is done for the book where nobody watches."""
    return _walk(tmp_path_factory.mktemp("plain"), BRIEF)


@pytest.fixture(scope="module")
def short_walk(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What is done for the short one."""
    return _walk(tmp_path_factory.mktemp("short"), SHORT)


def _walk(home: Path, brief: dict[str, Any]) -> list[str]:
    settings = load_settings(home=home, model="rehearsal:exact", embedding="hashing", free_megabytes=0)
    recording = Recording(RunObserver())
    write(settings, recording, brief=brief)
    return recording.names


@pytest.fixture(scope="module")
def prefect_server(tmp_path_factory: pytest.TempPathFactory, prefect_forks: Forks) -> Iterator[None]:
    """One server for these tests alone, without a login, so that they can ask it plainly."""
    settings, port = load_settings(home=tmp_path_factory.mktemp("prefect")), free_port()
    give_database(prefect_home(settings))
    environment = server_environment(settings, port, has_ui=False) | QUIET
    del environment["PREFECT_SERVER_API_AUTH_STRING"]
    environment["PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED"] = "false"
    server = prefect_forks.start([SERVER], environment)
    try:
        wait_until_up(server, api_url(port), seconds=180)
        with reached(PrefectApi(api_url(port))):
            yield
            EventsWorker.drain_all(timeout=10)  # the next server gets events of its own only
    finally:
        stop_process(server)
