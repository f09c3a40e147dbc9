"""The command line in this process, over a data folder of the test's own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.cli.error_handling import run
from bookwright.cli.main import app
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import a_book
from tests.support.books import make_settings, new_library


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]

_VERBS = get_command(app)
"""What Typer makes of the program each time that it is called, and what a program of one call makes once."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that does not exist yet, a model that costs nothing, and no keys."""
    return set_home(tmp_path / "home", monkeypatch)


def set_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set the variables for such a data folder."""
    for provider in PROVIDERS.values():
        for variable in (*provider.key_variables, *provider.url_variables):
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("BOOKWRIGHT_HOME", str(folder))
    monkeypatch.setenv("BOOKWRIGHT_MODEL", "rehearsal:exact")
    monkeypatch.setenv("BOOKWRIGHT_EMBEDDING", "hashing")
    monkeypatch.setenv("BOOKWRIGHT_FREE_MEGABYTES", "0")
    monkeypatch.setenv("BOOKWRIGHT_LEASE_SECONDS", "2")
    return folder


@pytest.fixture
def settings(home: Path) -> Settings:
    """The settings that the commands see."""
    return make_settings(home)


@pytest.fixture
def library(settings: Settings) -> None:
    """A library without a book in the data folder, for tests that do not ask how one begins."""
    new_library(settings).dispose()


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run a command as `main` does and return its exit code and what it printed."""

    def call(*arguments: Any) -> Outcome:
        capsys.readouterr()
        code = run(_VERBS, [str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def book(settings: Settings) -> BookStorage:
    """A finished book `lamp` of two chapters, with designs and a journal."""
    return a_book(settings)
