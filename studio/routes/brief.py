"""The order of a book: shown as a form, its changes before they are saved."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.orders.order_form import FIELDS, LONG, brief_changes, brief_values, save_brief
from bookwright.app.status.books import is_held
from bookwright.flows.revision.edits import brief_seen
from bookwright.models.brief import make_brief
from bookwright.models.edit import BRIEF, BriefEdit
from bookwright.studio.pages import go_to
from bookwright.studio.requests import Fields, ThisBook, number_in

router = APIRouter()

_LABELS = {
    "premise": "What happens?", "title": "Title", "pen_name": "Author on the cover", "genre": "Genre",
    "style": "How it sounds", "audience": "Who reads it", "ending": "How it ends", "length": "Length",
    "usd": "Never pay more than",
}  # fmt: skip


@router.get("/books/{book}/brief")
def brief(book: ThisBook) -> HTMLResponse:
    """Show the order."""
    order = book.opened.book.brief
    with book.read() as stores:
        waiting = stores.edits.waiting_for(BRIEF)
    values = brief_values(make_brief(waiting.edit.brief) if waiting and isinstance(waiting.edit, BriefEdit) else order)
    return book.page(
        "brief.html.j2", "desk", values=values, names=FIELDS, long=LONG, seen=brief_seen(order),
        is_held=is_held(book.opened.book), labels=_LABELS, waiting=waiting,
    )  # fmt: skip


@router.post("/books/{book}/brief/preview")
def preview(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Return what would be changed; nothing is saved by that."""
    changes = brief_changes(book.opened.book.brief, fields)
    with book.read() as stores:
        written = stores.nodes.root().written
    return book.page("brief_changes.html.j2", "desk", changes=changes, written=written, labels=_LABELS)


@router.post("/books/{book}/brief")
def save(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Save the order by the state that the author has seen."""
    with book.change() as opened:
        save_brief(opened, fields, fields.get("seen", ""), number_in(fields, "after"))
    return go_to(f"/books/{book.id}/brief")
