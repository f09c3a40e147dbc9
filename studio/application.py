"""The studio as an ASGI application: its pages behind its guard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings
from bookwright.studio.guard import StudioGuard, StudioKeys
from bookwright.studio.live import Broadcast
from bookwright.studio.pages import Crumb, is_piece, page
from bookwright.studio.remedies import in_words, remedy_of, status_of
from bookwright.studio.workshop import Workshop

_ROUTES = (
    "live", "routes.shelf", "routes.inbox", "routes.desk", "routes.reading", "routes.editing", "routes.creating",
    "routes.refreshing", "routes.exporting", "routes.codex", "routes.story", "routes.journal", "routes.pool",
    "routes.talking.asking", "routes.talking.chatting", "routes.help", "routes.comments", "routes.asking_again",
    "routes.brief", "routes.syncing", "routes.importing", "routes.candidates",
    "routes.branching.branches", "routes.branching.comparing", "routes.branching.merging",
)  # fmt: skip


def make_application(settings: Settings, keys: StudioKeys) -> FastAPI:
    """Return the studio of a data folder, to be served under the name that its keys say."""
    workshop = Workshop(settings, keys)

    @asynccontextmanager
    async def kept(_: FastAPI) -> AsyncIterator[None]:
        yield
        workshop.close()

    application = FastAPI(lifespan=kept, docs_url=None, redoc_url=None, openapi_url=None)
    application.state.workshop = workshop
    application.state.broadcast = Broadcast(workshop)
    application.add_middleware(StudioGuard, keys=keys)
    application.add_exception_handler(BookwrightError, _explained)  # type: ignore[arg-type]
    application.add_exception_handler(HTTPException, _missed)  # type: ignore[arg-type]
    application.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    for name in _ROUTES:
        application.include_router(import_module(f"bookwright.studio.{name}").router)
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
