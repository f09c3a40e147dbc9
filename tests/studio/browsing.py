"""Studios in processes of their own, and one real browser that opens them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bookwright.models.settings import Settings
from tests.support.books import make_settings
from tests.support.browser import PROGRAM
from tests.support.forks import Fork, reached

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

STRANGE_NAME = "evil.example"
"""A name that the browser takes for this machine, as one that was rebound."""
_WAIT_MILLIS = 60_000
_SETTINGS = {
    "MODEL": "rehearsal:exact", "EMBEDDING": "hashing", "FREE_MEGABYTES": "0", "LEASE_SECONDS": "2",
}  # fmt: skip


@dataclass
class RunningStudio:
    """A studio that runs."""

    address: str
    """The one-time address."""
    process: Fork

    @property
    def origin(self) -> str:
        """Where its pages lie."""
        return self.address.partition("/enter")[0]


@dataclass
class Visit:
    """A browser's context, with all that its pages complained of."""

    context: "playwright.BrowserContext"
    studio: RunningStudio
    complaints: list[str] = field(default_factory=list)

    def tab(self, path: str = "/") -> "playwright.Page":
        """Open a page of the studio in a tab of its own."""
        page = self.context.new_page()
        page.set_default_timeout(_WAIT_MILLIS)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.studio.origin + path)
        return page

    def _hear(self, said: "playwright.ConsoleMessage") -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(said.text)


@dataclass
class SharedStudio:
    """A studio and a browser that many tests share, each with books of its own."""

    home: Path
    settings: Settings
    studio: RunningStudio
    browser: "playwright.Browser"
    state: Any
    """What the browser has once it came in by the one-time address."""

    @contextmanager
    def visiting(self, **context: object) -> Iterator[Visit]:
        """Visit as the browser that the studio knows."""
        opened = self.browser.new_context(storage_state=self.state, **context)
        try:
            yield Visit(opened, self.studio)
        finally:
            opened.close()


def environment_of(home: Path) -> dict[str, str]:
    """Return what lets a process find a data folder, and a model that costs nothing."""
    given = {f"BOOKWRIGHT_{name}": value for name, value in {"HOME": str(home), **_SETTINGS}.items()}
    return {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"} | given


@contextmanager
def shared_studio(home: Path) -> Iterator[SharedStudio]:
    """Run a studio and a browser that has come in."""
    with running_studio(home) as studio, launched() as browser:
        first = browser.new_context()
        first.new_page().goto(studio.address)
        state = first.storage_state()
        first.close()
        yield SharedStudio(home, make_settings(home), studio, browser, state)


@contextmanager
def running_studio(home: Path, port: int = 0) -> Iterator[RunningStudio]:
    """Run `bookwright studio` for as long as the block lasts."""
    environment = environment_of(home) | {"PYTHONUNBUFFERED": "1"}
    command = ["bookwright", "studio", "--port", str(port), "--no-browser"]
    with reached().talking(command, environment) as (process, said):
        yield RunningStudio(said.readline().strip(), process)


@contextmanager
def launched() -> "Iterator[playwright.Browser]":
    """Run a browser without a window."""
    rules = f"--host-resolver-rules=MAP {STRANGE_NAME} 127.0.0.1"
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu", "--in-process-gpu", rules]
        )
        try:
            yield browser
        finally:
            browser.close()
