"""Runs Prefect's server with our guard before it: `python -m bookwright.flows.prefect.app`.

`prefect server start` lets nothing stand before its app; `create_app` is Prefect's way to host it oneself.
"""

from collections.abc import Callable, Iterable

import uvicorn
from prefect.server.api.server import create_app
from prefect.settings import get_current_settings
from starlette.types import ASGIApp

from bookwright.flows.prefect.guard import PageGuard
from bookwright.models.log_format import LogFormat
from bookwright.models.settings import load_settings

_EVERYWHERE = ("0.0.0.0", "::")


def own_hosts(host: str, port: int) -> set[str]:
    """The names, with their port, by which the server may be asked for."""
    listens = {host} - set(_EVERYWHERE) | {"127.0.0.1"}
    named = {f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in listens}
    return named | set(load_settings().server_hosts)


def main() -> None:
    """Serve until a signal comes."""
    serve(PageGuard)


def serve(guard: Callable[[ASGIApp, Iterable[str]], ASGIApp]) -> None:
    """Serve Prefect's app behind a guard, where Prefect's settings say."""
    server = get_current_settings().server
    own_lines = None if load_settings().log_format is LogFormat.JSON else uvicorn.config.LOGGING_CONFIG
    guarded = guard(create_app(final=True), own_hosts(server.api.host, server.api.port))
    uvicorn.run(
        guarded, host=server.api.host, port=server.api.port, timeout_keep_alive=server.api.keepalive_timeout,
        log_level=server.logging_level.lower(), log_config=own_lines,
    )  # fmt: skip


if __name__ == "__main__":
    main()
