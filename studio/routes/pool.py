"""The work pool: many books at once, what they spend together, and the way into the operator's view."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.orders.starting import check_writable
from bookwright.app.status.books import is_held, list_books
from bookwright.flows.prefect.server import known_server
from bookwright.models.errors import BookHeld, InvalidInput
from bookwright.storage.studio import Studio
from bookwright.studio.book_request import ThisBook
from bookwright.studio.pages import page
from bookwright.studio.routes.shelf import row_of
from bookwright.studio.workshop import Here

router = APIRouter()


@router.post("/books/{book}/hand-in")
def hand_in(book: ThisBook) -> HTMLResponse:
    """Hand a resting book to the work pool."""
    opened = book.opened
    if is_held(opened.book):
        raise BookHeld(book.id, opened.book.lease_owner or "", 0.0)
    if known_server(opened.settings) is None:
        raise InvalidInput("No work pool is set up here.")
    check_writable(opened.book.brief, opened.settings)
    book.studio.runs.start(book.id, ["submit", "--book", book.id])
    return book.done("It is being handed in; a worker of the pool writes it.")


@router.get("/pool")
def pool(request: Request, here: Here) -> HTMLResponse:
    """Show who writes what, which books were interrupted, and the cap over all of them."""
    database = here.library.database()
    lines = list_books(database) if database is not None else []
    standing = None
    if database is not None:
        with database.read() as connection:
            standing = Studio(connection).standing()
    server = known_server(here.settings)
    rows = [row_of(here, line) for line in lines]
    resting = [row for row in rows if row.line.standing in ("paused", "interrupted")]
    return page(
        request, "pool.html.j2", held=[row for row in rows if is_held(row.line.book)], standing=standing,
        interrupted=[row for row in resting if row.line.standing == "interrupted"], resting=resting if server else [],
        cap=here.settings.studio_cap, server=server.url.removesuffix("/api") if server else "",
    )  # fmt: skip
