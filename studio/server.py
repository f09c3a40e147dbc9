"""Serving the studio on this machine: a socket of the loopback alone, one address that opens it, a quick stop."""

import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from bookwright.app.access import existing_library
from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import Settings
from bookwright.studio.application import make_application
from bookwright.studio.guard import StudioKeys

LOOPBACK = "127.0.0.1"
_STOP_SECONDS = 1


def serve(settings: Settings, port: int, tell: Callable[[str], None], *, opens_browser: bool) -> None:
    """Serve until a signal ends it; `tell` hears the address that opens it. Books that were started go on.

    Raises:
        InvalidSetting: The port is taken.
    """
    with existing_library(settings):
        pass  # an older database is brought up to date once, before anybody looks
    with _listening(port) as listener:
        keys = StudioKeys(listener.getsockname()[1])
        server = uvicorn.Server(
            uvicorn.Config(
                make_application(settings, keys), log_level="warning", access_log=False, server_header=False,
                timeout_graceful_shutdown=_STOP_SECONDS,
            )
        )  # fmt: skip
        tell(keys.address)
        if opens_browser:
            threading.Timer(0.5, webbrowser.open, [keys.address]).start()
        server.run([listener])


def _listening(port: int) -> socket.socket:
    """Return a socket of the loopback; 0 takes any port that is free."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise InvalidSetting(f"port {port} cannot be had ({error.strerror}); --port names another") from None
    listener.listen(128)
    return listener
