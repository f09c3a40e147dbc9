"""What `doctor` looks at so that nobody else commands the worker or reads along: Prefect's server, modes of files."""

import importlib.metadata
import socket
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from bookwright.app.doctor.health import Health, first_of
from bookwright.models.settings import ENV_FILE, Settings
from bookwright.storage.files.privacy import is_open_to_others, open_to_others

_LOOK_SECONDS = 5.0
_SHOWN = 3
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_ELSEWHERE = "192.0.2.1"
"""An address for documentation: a datagram socket that is connected to it sends nothing, and says who would send."""


def prefect(settings: Settings) -> tuple[Health, str]:
    """Where Prefect runs, whether it asks for a login, and who can reach it."""
    from prefect.settings import get_current_settings  # takes a second

    from bookwright.flows.prefect.server import known_server

    version = importlib.metadata.version("prefect")
    warnings = []
    if (host := get_current_settings().server.api.host) not in _LOOPBACK:
        reached = "a server started with it can be reached from other machines"
        warnings.append(f"PREFECT_SERVER_API_HOST is {host}: {reached}")
    api = known_server(settings)
    if api is None:
        return first_of([], warnings, f"{version}, in process (no server runs or is named)")
    faults = []
    if (status := _status_without_login(api.url)) is None:
        warnings.append(f"the server at {api.url} does not answer")
    elif httpx.codes.is_success(status):
        faults.append(
            f"the Prefect server at {api.url} asks for no login: whoever reaches it has its workers run any command; "
            "end it and start `bookwright server`, or set PREFECT_SERVER_API_AUTH_STRING for it"
        )
    if urlsplit(api.url).hostname in _LOOPBACK:
        warnings += reached_at(_own_address(), urlsplit(api.url).port or 80)
    return first_of(faults, warnings, f"{version}, server at {api.url}")


def privacy(settings: Settings) -> tuple[Health, str]:
    """Whether others can read the data folder or the books' folders."""
    folders = [settings.home, *([settings.vaults] if settings.vaults else [])]
    found = [_open_files(folder) for folder in folders]
    if is_open_to_others(keys := Path(ENV_FILE).absolute()):
        found.append(f"others can read {keys}, where keys may stand; `chmod go= {keys}` keeps them out")
    return first_of([], [each for each in found if each], "nobody else can read the data folder")


def _status_without_login(url: str) -> int | None:
    try:
        return httpx.get(f"{url}/admin/version", timeout=_LOOK_SECONDS).status_code
    except httpx.HTTPError:
        return None


def reached_at(address: str | None, port: int) -> list[str]:
    """Try the port at this machine's address in its network, which a server on loopback does not answer at."""
    if address is None or address in _LOOPBACK:
        return []
    with socket.socket() as probe:
        probe.settimeout(_LOOK_SECONDS)
        is_open = probe.connect_ex((address, port)) == 0
    return [f"the Prefect server can be reached from other machines, at {address}:{port}"] if is_open else []


def _own_address() -> str | None:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((_ELSEWHERE, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def _open_files(folder: Path) -> str:
    found = open_to_others(folder, _SHOWN + 1)
    if not found:
        return ""
    named = ", ".join(str(path) for path in found[:_SHOWN]) + (" and more" if len(found) > _SHOWN else "")
    return f"others can read {named}; `chmod -R go= {folder}` keeps them out"
