"""A finished book that each test forks in a copy of its own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bookwright.flows.library import open_library
from tests.app.branches.grove import Grove
from tests.flows.revision.changed import LAMPS, Written, written_once


@pytest.fixture(scope="session")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One of three chapters, about which its author has said nothing."""
    yield from written_once(tmp_path_factory, "lamps", **LAMPS)


@pytest.fixture
def grove(lamps: Written, tmp_path: Path) -> Iterator[Grove]:
    """A copy of that book's data folder."""
    _, settings = lamps
    shutil.copytree(settings.home, tmp_path / "grove")
    own = settings.model_copy(update={"home": tmp_path / "grove"})
    database = open_library(own)
    yield Grove(database, own)
    database.dispose()


@pytest.fixture
def origin(lamps: Written) -> str:
    """The id of that book."""
    return lamps[0].book
