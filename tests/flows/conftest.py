"""Finished books that several modules change copies of, and a person who decides about new ones."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bookwright.flows.library import open_library
from bookwright.models.codex.entries import CodexEntry, EntryKind, Section
from bookwright.storage.stores import BookStorage
from tests.flows.gated import Sit
from tests.flows.revision.changed import LAMPS, RESTING, Written, written_once

SECRET = "Old Tam is the drowned king under another name."
HABIT = "Keeps a brass key under the third stair of the quay."

HEIR = {"id": "heir", "content": SECRET, "forbidden_keywords": ["drowned king"]}
SABINE = CodexEntry(
    id="sabine", kind=EntryKind.CHARACTER, name="Sabine", aliases=("Pell Anders",),
    sections=(Section(name="habit", text=HABIT),),
)  # fmt: skip


ABOUT: dict[str, Any] = {"entries": [SABINE], "secrets": [HEIR]}


@pytest.fixture(scope="session")
def novel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """A book of eight chapters with a secret and somebody in its codex."""
    yield from written_once(tmp_path_factory, "novel", **ABOUT, length=6_000, profile="economy", max_unit_length=750)


@pytest.fixture(scope="session")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One of about a hundred chapters."""
    yield from written_once(tmp_path_factory, "hundred", **ABOUT, length=250_000, profile="economy")


@pytest.fixture(scope="session")
def fable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One of three chapters."""
    yield from written_once(tmp_path_factory, "fable", **ABOUT, length=6_000, profile="economy", max_unit_length=2_100)


@pytest.fixture(scope="session")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One of five scenes that a model has read beside the secret."""
    yield from written_once(tmp_path_factory, "reviewed", **ABOUT, length=5_000, profile="standard")


@pytest.fixture(scope="session")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One of two chapters, about which its author has said nothing."""
    yield from written_once(tmp_path_factory, "lamps", **LAMPS)


@pytest.fixture(scope="session")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One like it that rests behind its first chapter."""
    yield from written_once(tmp_path_factory, "resting", **RESTING)


@pytest.fixture
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Written]:
    """A copy of the book that the test names, to be changed."""
    storage, settings = request.getfixturevalue(request.param)
    home = tmp_path / "copy"
    shutil.copytree(settings.home, home)
    own = settings.model_copy(update={"home": home})
    database = open_library(own)
    yield BookStorage(database, storage.book, storage.language), own
    database.dispose()


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """Seats a person at books in a data folder of the test's own."""
    sitting = Sit(tmp_path)
    yield sitting
    for desk in sitting.desks:
        desk.close()
