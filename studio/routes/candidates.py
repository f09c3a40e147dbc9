"""The candidates of a unit: its drafts side by side with what blind readers said, and the author's own choice."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.candidate_orders import take
from bookwright.app.candidates import candidates_at
from bookwright.exports.markup import clean
from bookwright.models.text.prose import paragraphs
from bookwright.studio.book_request import ThisBook
from bookwright.studio.fields import Fields, needed_number

router = APIRouter()


@router.get("/books/{book}/candidates/{label}")
def candidates(book: ThisBook, label: str) -> HTMLResponse:
    """Show the drafts of a unit."""
    with book.read() as stores:
        sight = candidates_at(stores.nodes.by_label(label), stores)
    drafts = [(one, paragraphs(clean(one.text))) for one in sight.choice.candidates]
    return book.page("candidates.html.j2", "read", sight=sight, drafts=drafts)


@router.post("/books/{book}/candidates/{label}/take")
def take_one(book: ThisBook, label: str, fields: Fields) -> HTMLResponse:
    """Make one of them the unit's text; its versions have what stood there."""
    with book.change() as opened:
        version = take(opened, label, needed_number(fields, "candidate", "Say which of the drafts.")).made.version
    return book.done("It stands now, as version {version}; the versions have what stood there.", version=version)
