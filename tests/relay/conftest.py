"""What the tests of the Relay share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bookwright.flows.deps import Deps
from tests.flows.walking import begin
from tests.relay.scripted import LENGTH, lay_out
from tests.support.fakes import ScriptedBackend


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Callable[..., Deps]]:
    """Opens a designed book of five chapters, or the same one again after a restart."""
    opened: list[Deps] = []

    def start(backend: ScriptedBackend, **brief: Any) -> Deps:
        for deps in opened:
            with deps.storage.write() as stores:
                stores.books.change(deps.storage.book, lease_owner=None)
            deps.storage.database.dispose()
        root, deps = begin(tmp_path, backend, length=5 * LENGTH, max_unit_length=LENGTH, title="The Lamp", **brief)
        if not opened:
            lay_out(root, deps)
        opened.append(deps)
        return deps

    yield start
    opened[-1].storage.database.dispose()
