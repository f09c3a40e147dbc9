"""A real browser without a window, for tests of what a page can do; skipped by name where none is installed."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first costs half
PROGRAM = next((found for name in _NAMES if (found := shutil.which(name))), "")

needs_browser = pytest.mark.skipif(
    not PROGRAM, reason="no Chromium is installed; `apt install chromium-headless-shell` brings one"
)

_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    # What newer browsers do by themselves against pages that reach into a network is not what is tested.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights",
)  # fmt: skip


@contextmanager
def browsing(url: str, folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """Keep a page open, with a profile of its own, for as long as the block lasts."""
    command = [PROGRAM, *_OPTIONS, f"--user-data-dir={folder}", *options, url]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):  # it has ended by itself
                os.killpg(process.pid, signal.SIGTERM)  # Debian's program is a script that starts the browser


def shown(url: str, folder: Path) -> str:
    """Return the page as it stands once its scripts have run."""
    with browsing(url, folder, "--dump-dom", "--virtual-time-budget=20000") as process:
        output, _ = process.communicate(timeout=120)
    return output.decode("utf-8", "replace")
