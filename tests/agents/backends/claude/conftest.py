"""A stand-in that speaks the protocol of the program `claude`, and a service that runs it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from tests.agents.backends.claude.asking import TEXT, Make
from tests.support.fake_claude import FakeClaude


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[FakeClaude]:
    """The stand-in; it answers a text."""
    folder = tmp_path / "bin"
    folder.mkdir()
    with FakeClaude(folder, author=lambda prompt, schema: TEXT) as stand_in:
        yield stand_in


@pytest.fixture
def service(claude: FakeClaude, make_service: Make) -> ModelService:
    """A service whose program it is."""
    return make_service(claude_path=str(claude.path))
