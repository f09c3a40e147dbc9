"""A finished book that each test forks in a copy of its own."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import open_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.models.settings import Settings
from bookwright.storage.branches.repository import BranchRepository
from tests.app.branches.grove import Grove
from tests.flows.revision.changed import LAMPS, RESTING, Written, written_once
from tests.support.made_once import made_once


@pytest.fixture(scope="session")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One of two chapters, about which its author has said nothing."""
    yield from written_once(tmp_path_factory, "lamps", **LAMPS)


@pytest.fixture(scope="session")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One like it that rests behind its first chapter."""
    yield from written_once(tmp_path_factory, "resting", **RESTING)


@pytest.fixture(scope="session")
def branched(lamps: Written, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of a copy of its data folder in which a branch from its second chapter on is written, too.

    Meanwhile the book itself was held by somebody else.
    """
    origin = lamps[0].book

    def make(home: Path) -> None:
        with (
            copied(lamps[1], home) as made,
            closing(ModelService(made.settings)) as models,
            hold_book(origin, RunConfig(made.settings, made.database, models), way_on="the same command"),
        ):
            made.write(made.fork(origin, at="chapter 2", name="she stays"))

    return lamps[1].model_copy(update={"home": made_once(tmp_path_factory, "branched", make)})


@pytest.fixture
def grove(lamps: Written, tmp_path: Path) -> Iterator[Grove]:
    """A copy of that book's data folder."""
    with copied(lamps[1], tmp_path / "grove") as found:
        yield found


@pytest.fixture
def grown(branched: Settings, tmp_path: Path) -> Iterator[Grove]:
    """A copy of the data folder with the written branch."""
    with copied(branched, tmp_path / "grown") as found:
        yield found


@contextmanager
def copied(settings: Settings, home: Path) -> Iterator[Grove]:
    """A data folder like another one, for as long as the block lasts."""
    shutil.copytree(settings.home, home)
    own = settings.model_copy(update={"home": home})
    database = open_library(own)
    yield Grove(database, own)
    database.dispose()


@pytest.fixture
def origin(lamps: Written) -> str:
    """The id of that book."""
    return lamps[0].book


@pytest.fixture
def branch(grown: Grove, origin: str) -> str:
    """The id of its written branch."""
    with grown.database.read() as connection:
        [only] = BranchRepository(connection).of(origin)
    return only.book
