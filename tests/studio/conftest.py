"""A studio over a data folder of the test's own, asked without a socket."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage
from bookwright.studio.guard import StudioKeys
from bookwright.studio.server import make_application
from tests.cli.shelf import a_book
from tests.support.books import make_settings
from tests.support.forks import forking_python

if TYPE_CHECKING:
    from tests.studio.browsing import SharedStudio, Visit

PORT = 8321


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that does not exist yet, and a model that costs nothing."""
    folder = tmp_path / "home"
    for name, value in (
        ("HOME", str(folder)), ("MODEL", "rehearsal:exact"), ("EMBEDDING", "hashing"), ("FREE_MEGABYTES", "0"),
        ("LEASE_SECONDS", "2"),
    ):  # fmt: skip
        monkeypatch.setenv(f"BOOKWRIGHT_{name}", value)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setattr(sys, "executable", forking_python())  # what the pages begin are programs of their own
    return folder


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SharedStudio]":
    """One studio and one browser for all tests of a file that leave both alive, each with books of its own.

    For no longer: a browser that is open keeps an event loop running, in which nobody else can begin one.
    """
    from tests.studio.browsing import shared_studio  # needs Playwright

    with shared_studio(tmp_path_factory.mktemp("studio") / "home") as running:
        yield running


@pytest.fixture
def visit(shared: "SharedStudio") -> "Iterator[Visit]":
    """A visit that nobody complained of in the end: no error in the console, nothing that the policy refused."""
    with shared.visiting() as visit:
        yield visit
        assert visit.complaints == []


@pytest.fixture
def settings(home: Path) -> Settings:
    """The settings of the studio."""
    return make_settings(home)


@pytest.fixture
def keys() -> StudioKeys:
    """What opens the studio."""
    return StudioKeys(PORT)


@pytest.fixture
def stranger(settings: Settings, keys: StudioKeys) -> Iterator[TestClient]:
    """A browser that the studio does not know."""
    with TestClient(make_application(settings, keys), base_url=keys.origin, follow_redirects=False) as client:
        yield client


@pytest.fixture
def page(stranger: TestClient, keys: StudioKeys) -> TestClient:
    """A browser that came in by the address that was printed, with what the studio's own page sends."""
    entered = stranger.get(keys.address.removeprefix(keys.origin))
    assert entered.status_code == 303
    stranger.headers |= {"x-studio-token": keys.token, "origin": keys.origin, "sec-fetch-site": "same-origin"}
    return stranger


@pytest.fixture
def book(settings: Settings) -> BookStorage:
    """A resting book `lamp` of two chapters out of three."""
    return a_book(settings)
