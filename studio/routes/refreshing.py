"""What is stale: why, what making it anew takes, and the button that does it once the bill is confirmed."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import node_names
from bookwright.app.changes.refreshing import RefreshSight, refresh_sight
from bookwright.app.orders.checks import check_writable
from bookwright.app.status.shelf import ShelfLine
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.models.errors import InvalidInput
from bookwright.models.staleness import StaleDocument
from bookwright.studio.fields import Fields
from bookwright.studio.pages import done, page, speaker
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.routes.shelf import ShelfRow, row_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()


@dataclass(frozen=True)
class StaleSight:
    """What the page shows: what is stale within a scope, and what there is to choose."""

    refresh: RefreshSight
    everything: list[StaleDocument]
    names: dict[str, str]
    row: ShelfRow


@router.get("/books/{book}/stale")
def stale(request: Request, here: Here, book: str, node: str = "1", anew: bool = False) -> HTMLResponse:
    """Show what is stale, or the part of it that lies below a node."""
    opened = here.look(book)
    sight = _sight(here, opened, RefreshScope(node, anew))
    is_piece = "hx-request" in request.headers
    template = "stale_list.html.j2" if is_piece else "stale.html.j2"
    return page(request, template, crumb_of(opened, "stale"), sight=sight)


@router.post("/books/{book}/refresh")
def refresh(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Make anew what is stale, in a process of its own, if the bill is still the one that was shown."""
    opened = here.look(book)
    wanted = RefreshScope(fields.get("node", "1"), fields.get("anew") == "1")
    with opened.storage.read() as stores:
        sight = refresh_sight(stores, opened.book.brief, wanted)
    sight.check(fields.get("bill", ""))
    check_writable(opened.book.brief, opened.settings)
    if not here.runs.start(book, ["refresh", book, *wanted.options, "--yes"], here.settings):
        raise InvalidInput("A process that this page started is still at work on this book.")
    words = speaker(request)("It is being made anew. This page shows what is left as it goes.")
    return done(request, words)


def _sight(here: Workshop, opened: OpenBook, wanted: RefreshScope) -> StaleSight:
    with opened.storage.read() as stores:
        sight = refresh_sight(stores, opened.book.brief, wanted)
        whole = sight if wanted.label == "1" else refresh_sight(stores, opened.book.brief, RefreshScope())
        labels = [one.document.label for one in whole.found]
        causes = [cause.old.label for one in whole.found for cause in one.causes]
        names = node_names(stores, (*labels, *causes, "1"))
        written = stores.nodes.root().written
    return StaleSight(sight, list(whole.found), names, row_of(here, ShelfLine(opened.book, written, 0)))
