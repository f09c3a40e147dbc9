"""The studio as an ASGI application, its pages behind its guard; and serving it on this machine's loopback alone."""

import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from bookwright.app.access import existing_library
from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings
from bookwright.studio.guard import StudioGuard, StudioKeys
from bookwright.studio.live import Broadcast
from bookwright.studio.pages import Crumb, is_piece, page
from bookwright.studio.state import StudioState
from bookwright.studio.texts import in_words, remedy_of, status_of

_ROUTES = (
    "live", "routes.shelf", "routes.inbox", "routes.book", "routes.reading", "routes.comments", "routes.editing",
    "routes.orders", "routes.files", "routes.codex", "routes.story", "routes.journal", "routes.talking",
    "routes.branches",
)  # fmt: skip
_STOP_SECONDS = 1


def serve(settings: Settings, listener: socket.socket, tell: Callable[[str], None], *, opens_browser: bool) -> None:
    """Serve until a signal ends it; `tell` hears the address that opens it. Books that were started go on."""
    with existing_library(settings):
        pass  # an older database is brought up to date once, before anybody looks
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


def make_application(settings: Settings, keys: StudioKeys) -> FastAPI:
    """Return the studio of a data folder, to be served under the name that its keys say."""
    studio = StudioState(settings, keys)

    @asynccontextmanager
    async def kept(_: FastAPI) -> AsyncIterator[None]:
        yield
        studio.close()

    application = FastAPI(lifespan=kept, docs_url=None, redoc_url=None, openapi_url=None)
    application.state.studio = studio
    application.state.broadcast = Broadcast(studio)
    application.add_middleware(StudioGuard, keys=keys)
    application.add_exception_handler(BookwrightError, _explained)  # type: ignore[arg-type]
    application.add_exception_handler(HTTPException, _missed)  # type: ignore[arg-type]
    application.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    for name in _ROUTES:
        # As they are: `include_router` makes each of them anew, at the first request.
        application.router.routes.extend(import_module(f"bookwright.studio.{name}").router.routes)
    return application


def _explained(request: Request, error: BookwrightError) -> HTMLResponse:
    """Answer with what is wrong and the way out: a note within a page, or a page of its own."""
    book = str(request.path_params.get("book", ""))
    return page(
        request, "notice.html.j2" if is_piece(request) else "trouble.html.j2", Crumb(), status_of(error),
        words=in_words(str(error)), remedy=remedy_of(error, book, _address(request)),
    )  # fmt: skip


def _address(request: Request) -> str:
    """Return where on the studio the person is: the page that a piece is asked for, or the one that is shown."""
    whole = urlsplit(request.headers.get("hx-current-url", "" if request.method == "POST" else str(request.url)))
    return f"{whole.path}?{whole.query}" if whole.query else whole.path


def _missed(request: Request, error: HTTPException) -> HTMLResponse:
    return page(request, "trouble.html.j2", status=error.status_code, words="There is no such page.", remedy=None)
