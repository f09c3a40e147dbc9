"""Finds the Prefect server that a walk is shown on, or starts one for as long as the walk lasts; keeps its login."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from bookwright import NO_CALLS_OUT
from bookwright.models.errors import BookwrightError, InvalidSetting
from bookwright.models.log_format import LogFormat
from bookwright.models.settings import Settings
from bookwright.storage.files.file_system import lives
from bookwright.storage.files.privacy import make_private, write_once

START_SECONDS = 120.0
"""How long a server may take to come up; its first start makes its database."""

NO_AUTHORITY = str(Path(__file__).with_name("nobody.pem"))
"""A file with one certificate, of nobody's: a server without TLS shows none, and each client of Prefect's would read
the hundreds of all authorities anew."""

CHILD = "bookwright.flows.prefect.child"
_APP = "bookwright.flows.prefect.app"

_STOP_SECONDS = 30.0
_LOOK_SECONDS = 5.0
_UP_PERIOD = 0.25

_SERVER_DEFAULTS = {
    # Task runs are recorded in batches: with Prefect's defaults each costs the server twice the CPU.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_API_HOST": "127.0.0.1",
    "PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED": "true",
}

_JSON_LINES = {"PREFECT_LOGGING_HANDLERS_CONSOLE_FORMATTER": "json", "PREFECT_LOGGING_COLORS": "false"}
"""Prefect's own settings that make its log, and that of the runs, one object a line."""
_LOGIN_VARIABLE = "PREFECT_SERVER_API_AUTH_STRING"
_LOGIN_USER, _LOGIN_BYTES = "bookwright", 32


def login_file(settings: Settings) -> Path:
    """Where the login lies: one line, `user:password`, which is also what the UI asks for."""
    return prefect_home(settings) / "login"


def make_login(settings: Settings) -> str:
    """Return the login of this data folder's servers, making one if there is none; a person's own setting wins.

    Raises:
        InvalidSetting: The file is there and holds none.
    """
    file = login_file(settings)
    made = known_login(settings) or write_once(file, f"{_LOGIN_USER}:{secrets.token_urlsafe(_LOGIN_BYTES)}")
    if not made:
        raise InvalidSetting(f"{str(file)!r} holds no login; remove it, and the next start makes one")
    return made


def known_login(settings: Settings) -> str:
    """Return the login if there is one; empty, and nothing made, if there is not."""
    try:
        return os.environ.get(_LOGIN_VARIABLE) or login_file(settings).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


class NoPrefectServer(BookwrightError):
    """No Prefect server is there, or none could be started."""


@dataclass(frozen=True)
class PrefectApi:
    """The API of a Prefect server, and what it takes to be let in."""

    url: str
    login: str = field(default="", repr=False)
    """`user:password`; empty for what Prefect's own settings say."""


def server_environment(settings: Settings, port: int, *, has_ui: bool = True) -> dict[str, str]:
    """Return the environment of a server on `port`, and of its worker, whose data lies in the data folder.

    What the person has set in the environment stays, so Prefect's own database can be a Postgres.
    """
    url, login = api_url(port), make_login(settings)
    ours = {
        "PREFECT_HOME": str(prefect_home(settings)),
        "PREFECT_API_SSL_CERT_FILE": NO_AUTHORITY,
        "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": url.removesuffix("/api"),
        "PREFECT_SERVER_UI_ENABLED": str(has_ui).lower(),
        # Which kinds of blocks there are is shown in the UI alone, and a fifth of a start to write down.
        "PREFECT_API_BLOCKS_REGISTER_ON_START": str(has_ui).lower(),
    } | _SERVER_DEFAULTS
    # The port as a setting and not only as an option: the UI asks the settings where the API is.
    lines = _JSON_LINES if settings.log_format is LogFormat.JSON else {}
    fixed = {"PREFECT_SERVER_API_PORT": str(port), "PREFECT_API_URL": url, "BOOKWRIGHT_HOME": str(settings.home)}
    # One login for both sides: an API without one obeys whoever reaches it.
    logins = {_LOGIN_VARIABLE: login, "PREFECT_API_AUTH_STRING": login}
    return ours | lines | dict(os.environ) | fixed | logins | NO_CALLS_OUT


def api_url(port: int) -> str:
    """Return the address of the API of a server on this machine."""
    return f"http://127.0.0.1:{port}/api"


def prefect_home(settings: Settings) -> Path:
    """Where our own servers keep what they are told."""
    return settings.home / "prefect"


def start_server(environment: dict[str, str], log: Path | None = None) -> subprocess.Popen[bytes]:
    """Start a server by its environment, with our guard before it; it ends as `start_prefect` has it."""
    return _start([_APP], environment, log)


def start_prefect(arguments: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a command of Prefect that ends when this process does, and not at its Ctrl-C.

    The books come to their end first, then the worker, then the server that is told of it.
    """
    return _start(["prefect", *arguments], environment)


def _start(module: Sequence[str], environment: dict[str, str], log: Path | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", CHILD, *module]
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") if log is not None else nullcontext() as file:
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
    """Return once a server that was started answers; raise `NoPrefectServer` if it ended, or took too long."""
    deadline = time.monotonic() + seconds
    with _looking() as client:
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise NoPrefectServer(f"the Prefect server ended at its start with code {process.returncode}")
            if _listens(url) and _answers(client, url):
                return
            time.sleep(_UP_PERIOD)
    raise NoPrefectServer(f"the Prefect server did not come up within {seconds:.0f} s")


def is_up(url: str) -> bool:
    """True if an API answers there."""
    with _looking() as client:
        return _answers(client, url)


def _listens(url: str) -> bool:
    """True if somebody takes a connection there, which is far cheaper to ask again and again than a request is."""
    address = urlsplit(url)
    with suppress(OSError), socket.create_connection((address.hostname, address.port), _LOOK_SECONDS):
        return True
    return False


def _looking() -> httpx.Client:
    """A client that asks whether a server is up: no secret, so that no certificates are read for it (20 ms)."""
    return httpx.Client(timeout=_LOOK_SECONDS, verify=False)


def _answers(client: httpx.Client, url: str) -> bool:
    try:
        return client.get(f"{url}/health").is_success
    except httpx.HTTPError:
        return False


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def known_server(settings: Settings) -> PrefectApi | None:
    """Return the API as Prefect's own settings have it, or of a running `bookwright server`."""
    from prefect.settings import get_current_settings

    chosen, announced_url = get_current_settings().api, _announced_url(settings)
    login = "" if chosen.auth_string else known_login(settings)
    if chosen.url:
        return PrefectApi(str(chosen.url), login if str(chosen.url) == announced_url else "")
    return PrefectApi(announced_url, login) if announced_url and is_up(announced_url) else None


@contextmanager
def announced(settings: Settings, url: str) -> Iterator[None]:
    """Let other commands on this data folder find a server while it runs."""
    board = _notice_board(settings)
    make_private(board.parent)
    board.write_text(f"{url}\n{os.getpid()}\n", encoding="utf-8")
    try:
        yield
    finally:
        board.unlink(missing_ok=True)


@contextmanager
def own_server(settings: Settings) -> Iterator[PrefectApi]:
    """Run a server without a UI for as long as the block lasts; yields its API.

    It keeps its data where `bookwright server` does, which shows it afterwards; raises `NoPrefectServer`.
    """
    port = free_port()
    log = settings.home / "logs" / "prefect-server.log"
    process = start_server(server_environment(settings, port, has_ui=False), log)
    try:
        try:
            wait_until_up(process, api_url(port))
        except NoPrefectServer as error:
            raise NoPrefectServer(f"{error}; {str(log)!r} says why") from None
        yield PrefectApi(api_url(port), make_login(settings))
    finally:
        stop_process(process)


def _announced_url(settings: Settings) -> str:
    """The address on the notice board; empty if who wrote it has died: whoever listens there now gets no login."""
    with suppress(OSError):
        url, _, process = _notice_board(settings).read_text(encoding="utf-8").strip().partition("\n")
        return url if not process or lives(int(process)) else ""
    return ""


def _notice_board(settings: Settings) -> Path:
    return prefect_home(settings) / "api-url"
