"""The work pool: many books at once, what they spend together, and the way into the operator's view."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.orders.checks import check_writable
from bookwright.app.status.shelf import is_held, shelf
from bookwright.flows.prefect.server import known_server
from bookwright.models.errors import BookHeld, InvalidInput
from bookwright.storage.studio import Studio
from bookwright.studio.pages import done, page, speaker
from bookwright.studio.routes.shelf import row_of
from bookwright.studio.workshop import Here

router = APIRouter()


@router.post("/books/{book}/hand-in")
def hand_in(request: Request, here: Here, book: str) -> HTMLResponse:
    """Hand a resting book to the work pool."""
    opened = here.look(book)
    if is_held(opened.book):
        raise BookHeld(book, opened.book.lease_owner or "", 0.0)
    if known_server(here.settings) is None:
        raise InvalidInput("No work pool is set up here.")
    check_writable(opened.book.brief, opened.settings)
    here.runs.start(book, ["submit", "--book", book], here.settings)
    return done(request, speaker(request)("It is being handed in; a worker of the pool writes it."))


@router.get("/pool")
def pool(request: Request, here: Here) -> HTMLResponse:
    """Show who writes what, which books were interrupted, and the cap over all of them."""
    database = here.library.database()
    lines = shelf(database) if database is not None else []
    standing = None
    if database is not None:
        with database.read() as connection:
            standing = Studio(connection).standing()
    server = known_server(here.settings)
    resting = [row_of(here, line) for line in lines if line.standing in ("paused", "interrupted")]
    return page(
        request, "pool.html.j2", held=[row_of(here, line) for line in lines if is_held(line.book)],
        interrupted=[row_of(here, line) for line in lines if line.standing == "interrupted"], standing=standing,
        resting=resting if server else [],
        cap=here.settings.studio_cap, server=server.url.removesuffix("/api") if server else "",
    )  # fmt: skip
