"""The order of a book: shown as a form, its changes before they are saved."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.records.brief_form import FIELDS, LONG, brief_changes, brief_values, save_brief
from bookwright.app.status.shelf import is_held
from bookwright.flows.revision.brief_edits import brief_seen
from bookwright.models.brief import make_brief
from bookwright.models.edit import BRIEF, BriefEdit
from bookwright.studio.fields import Fields
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here

router = APIRouter()

_LABELS = {
    "premise": "What happens?", "title": "Title", "pen_name": "Author on the cover", "genre": "Genre",
    "style": "How it sounds", "audience": "Who reads it", "ending": "How it ends", "length": "Length",
    "usd": "Never pay more than",
}  # fmt: skip


@router.get("/books/{book}/brief")
def brief(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show the order."""
    opened = here.look(book)
    order = opened.book.brief
    with opened.storage.read() as stores:
        waiting = stores.edits.waiting_for(BRIEF)
    values = brief_values(make_brief(waiting.edit.brief) if waiting and isinstance(waiting.edit, BriefEdit) else order)
    return page(
        request, "brief.html.j2", crumb_of(opened, "desk"), values=values, names=FIELDS, long=LONG,
        seen=brief_seen(order), is_held=is_held(opened.book), labels=_LABELS, waiting=waiting,
    )  # fmt: skip


@router.post("/books/{book}/brief/preview")
def preview(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Return what would be changed; nothing is saved by that."""
    opened = here.look(book)
    changes = brief_changes(opened.book.brief, fields)
    with opened.storage.read() as stores:
        written = stores.nodes.root().written
    crumb = crumb_of(opened, "desk")
    return page(request, "brief_changes.html.j2", crumb, changes=changes, written=written, labels=_LABELS)


@router.post("/books/{book}/brief")
def save(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Save the order by the state that the author has seen."""
    after = fields.get("after", "")
    with here.change(book) as opened:
        save_brief(opened, fields, fields.get("seen", ""), int(after) if after.isdecimal() else None)
    return HTMLResponse("", headers={"HX-Redirect": f"/books/{book}/brief"})
