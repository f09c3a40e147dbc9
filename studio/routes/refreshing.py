"""What is stale: why, what making it anew takes, and the button that does it once the bill is confirmed."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.changes.refreshing import refresh_preview
from bookwright.app.orders.starting import check_writable
from bookwright.app.places import node_names
from bookwright.app.status.books import ListedBook
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.models.errors import InvalidInput
from bookwright.studio.book_request import ThisBook
from bookwright.studio.fields import Fields
from bookwright.studio.pages import is_piece
from bookwright.studio.routes.shelf import row_of

router = APIRouter()


@router.get("/books/{book}/stale")
def stale(book: ThisBook, node: str = "1", anew: bool = False) -> HTMLResponse:
    """Show what is stale, or the part of it that lies below a node."""
    stands = book.opened.book
    with book.read() as stores:
        sight = refresh_preview(stores, stands.brief, RefreshScope(node, anew))
        everything = sight if node == "1" else refresh_preview(stores, stands.brief, RefreshScope())
        labels = [one.document.label for one in everything.found]
        causes = [cause.old.label for one in everything.found for cause in one.causes]
        names = node_names(stores, (*labels, *causes, "1"))
        row = row_of(book.studio, ListedBook(stands, stores.nodes.root().written, 0))
    template = "stale_list.html.j2" if is_piece(book.request) else "stale.html.j2"
    return book.page(template, "stale", refresh=sight, everything=everything.found, names=names, row=row)


@router.post("/books/{book}/refresh")
def refresh(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Make anew what is stale, in a process of its own, if the bill is still the one that was shown."""
    opened = book.opened
    wanted = RefreshScope(fields.get("node", "1"), fields.get("anew") == "1")
    with book.read() as stores:
        sight = refresh_preview(stores, opened.book.brief, wanted)
    sight.check(fields.get("bill", ""))
    check_writable(opened.book.brief, opened.settings)
    if not book.studio.runs.start(book.id, ["refresh", book.id, *wanted.options, "--yes"]):
        raise InvalidInput("A process that this page started is still at work on this book.")
    return book.done("It is being made anew. This page shows what is left as it goes.")
