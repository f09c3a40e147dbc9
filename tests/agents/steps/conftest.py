"""What the tests of the desk share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.steps.shop import RAIN, Shop
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A book whose model answers as each test says."""
    backend = ScriptedBackend(lines={"*": [RAIN]})
    root, deps = begin(tmp_path, backend)
    yield Shop(root, deps, backend)
    deps.storage.database.dispose()
