"""What the tests of Prefect share."""

from pathlib import Path

import pytest

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
