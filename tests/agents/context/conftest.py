"""What the tests of contexts share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.context.books import Library, make_library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """A book that has nothing but its root."""
    made = make_library(tmp_path)
    yield made
    made.storage.database.dispose()
