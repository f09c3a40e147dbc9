"""A studio in a process of its own, and a real browser that opens it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.browser import PROGRAM

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

_WAIT_MILLIS = 60_000


@dataclass
class RunningStudio:
    """A studio that runs."""

    address: str
    """The one-time address."""
    process: "subprocess.Popen[str]"

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
        page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.studio.origin + path)
        return page

    def _hear(self, said: "playwright.ConsoleMessage") -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(said.text)


@contextmanager
def running_studio(home: Path, port: int = 0) -> Iterator[RunningStudio]:
    """Run `bookwright studio` for as long as the block lasts."""
    environment = os.environ | {"BOOKWRIGHT_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "bookwright", "studio", "--port", str(port), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        try:
            yield RunningStudio(process.stdout.readline().strip(), process)
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def visiting(studio: RunningStudio, *options: str, **context: object) -> Iterator[Visit]:
    """Open a browser that has come in by the one-time address."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox", *options])
        visit = Visit(browser.new_context(**context), studio)
        entrance = visit.tab(studio.address.removeprefix(studio.origin))
        entrance.close()
        try:
            yield visit
        finally:
            browser.close()
