"""The work pool: many books at once, what they spend together, and the way into the operator's view."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.shelf import is_held, shelf
from bookwright.flows.prefect.server import known_server
from bookwright.storage.studio import Studio
from bookwright.studio.pages import page
from bookwright.studio.routes.shelf import row_of
from bookwright.studio.workshop import Here

router = APIRouter()


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
    return page(
        request, "pool.html.j2", held=[row_of(here, line) for line in lines if is_held(line.book)],
        interrupted=[row_of(here, line) for line in lines if line.standing == "interrupted"], standing=standing,
        cap=here.settings.studio_cap, server=server.url.removesuffix("/api") if server else "",
    )  # fmt: skip
