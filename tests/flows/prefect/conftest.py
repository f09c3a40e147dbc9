"""What the tests of Prefect share."""

from collections.abc import Iterator
from pathlib import Path

import prefect.settings
import pytest
from prefect.events.worker import EventsWorker
from prefect.settings import temporary_settings
from prefect.testing.utilities import prefect_test_harness

from bookwright.flows.deps import NoObserver
from bookwright.models.settings import load_settings
from tests.flows.prefect.observed import Recording, write


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
    settings = load_settings(
        home=tmp_path_factory.mktemp("plain"), model="rehearsal:exact", embedding="hashing", free_megabytes=0
    )
    recording = Recording(NoObserver())
    write(settings, recording)
    return recording.names


@pytest.fixture(scope="module")
def prefect_server() -> Iterator[None]:
    """One server for these tests alone, which records task runs as quickly as ours do."""
    batches = {
        prefect.settings.PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE: 100,
        prefect.settings.PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL: 1,
        prefect.settings.PREFECT_SERVER_ANALYTICS_ENABLED: False,
    }
    with temporary_settings(batches), prefect_test_harness(server_startup_timeout=180):
        yield
        EventsWorker.drain_all(timeout=10)  # the harness waits for ever, also for events of a server that is gone
