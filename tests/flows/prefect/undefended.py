"""Prefect's server with defences taken away: `python -m tests.flows.prefect.undefended FILE`.

The file says which at the time, such as `login page`, so that one server can be attacked without each: checks of the
guard, and what Prefect itself refuses.
"""

import base64
import os
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from copy import copy
from pathlib import Path

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from prefect.settings import PREFECT_SERVER_CSRF_PROTECTION_ENABLED, temporary_settings
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from bookwright.flows.prefect.app import serve
from bookwright.flows.prefect.guard import PageGuard

FILE = Path(sys.argv[1])
LOGIN = base64.b64encode(os.environ["PREFECT_SERVER_API_AUTH_STRING"].encode()).decode()


class HalfGuard(PageGuard):
    """Lets by what the missing checks would have refused."""

    def refused_name(self, headers: Headers) -> PlainTextResponse | None:
        return None if "host" in missing() else super().refused_name(headers)

    def refused_page(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        return None if "page" in missing() else super().refused_page(scope, headers)


class Undefended:
    """Prefect's app, which without a defence of its own behaves as one that is set to have none."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._open = open_to_every_origin(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if "login" in missing():
            MutableHeaders(scope=scope)["Authorization"] = f"Basic {LOGIN}"  # so nobody needs to know it
        app = self._open if "cors" in missing() else self._app
        without = temporary_settings({PREFECT_SERVER_CSRF_PROTECTION_ENABLED: False})
        with without if "csrf" in missing() else nullcontext():
            await app(scope, receive, send)


def open_to_every_origin(app: FastAPI) -> FastAPI:
    """The same app, whose answers pages of all origins may read."""
    opened = copy(app)
    opened.user_middleware = [
        Middleware(CORSMiddleware, **each.kwargs | {"allow_origins": ["*"]}) if each.cls is CORSMiddleware else each
        for each in app.user_middleware
    ]
    return opened


def missing() -> set[str]:
    return set(FILE.read_text("utf-8").split())


def guarded(app: ASGIApp, hosts: Iterable[str]) -> ASGIApp:
    assert isinstance(app, FastAPI)
    return HalfGuard(Undefended(app), hosts)


if __name__ == "__main__":
    serve(guarded)
