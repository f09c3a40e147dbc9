"""Which Prefect server a walk is shown on: one that is there, or one of its own while it lasts."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings

START_SECONDS = 120.0
"""How long a server may take to come up; its first start makes its database."""

CHILD = "bookwright.flows.prefect_child"

_STOP_SECONDS = 15.0
_LOOK_SECONDS = 5.0

_SERVER_DEFAULTS = {
    # Task runs are recorded in batches: with Prefect's defaults each costs the server twice the CPU.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_API_HOST": "127.0.0.1",
    "DO_NOT_TRACK": "1",
}


class NoPrefectServer(BookwrightError):
    """No Prefect server is there, or none could be started."""


def server_environment(settings: Settings, port: int) -> dict[str, str]:
    """Return the environment of a server on `port` whose data lies in the data folder.

    What the person has set in the environment stays, so Prefect's own database can be a Postgres.
    """
    ours = {"PREFECT_HOME": str(prefect_home(settings))} | _SERVER_DEFAULTS
    url = api_url(port)
    # The port as a setting and not only as an option: the UI asks the settings where the API is.
    fixed = {"PREFECT_SERVER_API_PORT": str(port), "PREFECT_API_URL": url}
    return ours | dict(os.environ) | fixed


def api_url(port: int) -> str:
    """Return the address of the API of a server on this machine."""
    return f"http://127.0.0.1:{port}/api"


def prefect_home(settings: Settings) -> Path:
    """Where our own servers keep what they are told."""
    return settings.home / "prefect"


def start_prefect(
    arguments: Sequence[str], environment: dict[str, str], log: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a command of Prefect that ends when this process does, and not at its Ctrl-C.

    The books come to their end first, then the worker, then the server that is told of it.
    """
    command = [sys.executable, "-m", CHILD, "prefect", *arguments]
    if log is None:
        return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, start_new_session=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        return subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=file, stderr=file, start_new_session=True
        )


def stop_process(process: subprocess.Popen[bytes], seconds: float = _STOP_SECONDS) -> None:
    """End a child: asked first, killed if it does not listen."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until_up(process: subprocess.Popen[bytes], url: str, seconds: float = START_SECONDS) -> None:
    """Return once a server that was started answers.

    Raises:
        NoPrefectServer: It ended, or took too long.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NoPrefectServer(f"the Prefect server ended at its start with code {process.returncode}")
        if is_up(url):
            return
        time.sleep(0.1)
    raise NoPrefectServer(f"the Prefect server did not come up within {seconds:.0f} s")


def is_up(url: str) -> bool:
    """True if an API answers there."""
    try:
        return httpx.get(f"{url}/health", timeout=_LOOK_SECONDS).is_success
    except httpx.HTTPError:
        return False


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def known_server(settings: Settings) -> str | None:
    """Return the API's address: as Prefect's own settings have it, or of a running `bookwright server`."""
    from prefect.settings import get_current_settings

    chosen = get_current_settings().api.url
    if chosen:
        return str(chosen)
    with suppress(OSError):
        told = _notice_board(settings).read_text(encoding="utf-8").strip()
        return told if told and is_up(told) else None
    return None


@contextmanager
def announced(settings: Settings, url: str) -> Iterator[None]:
    """Let other commands on this data folder find a server while it runs."""
    board = _notice_board(settings)
    board.parent.mkdir(parents=True, exist_ok=True)
    board.write_text(url, encoding="utf-8")
    try:
        yield
    finally:
        board.unlink(missing_ok=True)


@contextmanager
def own_server(settings: Settings) -> Iterator[str]:
    """Run a server without a UI for as long as the block lasts; yields its API's address.

    It keeps its data where `bookwright server` does, which shows it afterwards.

    Raises:
        NoPrefectServer: It could not be started.
    """
    port = free_port()
    log = settings.home / "logs" / "prefect-server.log"
    process = start_prefect(["server", "start", "--no-ui"], server_environment(settings, port), log)
    try:
        try:
            wait_until_up(process, api_url(port))
        except NoPrefectServer as error:
            raise NoPrefectServer(f"{error}; {str(log)!r} says why") from None
        yield api_url(port)
    finally:
        stop_process(process)


def _notice_board(settings: Settings) -> Path:
    return prefect_home(settings) / "api-url"
