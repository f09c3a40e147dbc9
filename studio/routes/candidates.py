"""The candidates of a unit: its drafts side by side with what blind readers said, and the author's own choice."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.candidates.sight import candidates_at
from bookwright.app.candidates.taking import take
from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput
from bookwright.models.text.prose import paragraphs
from bookwright.studio.fields import Fields
from bookwright.studio.pages import done, page, speaker
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here

router = APIRouter()


@router.get("/books/{book}/candidates/{label}")
def candidates(request: Request, here: Here, book: str, label: str) -> HTMLResponse:
    """Show the drafts of a unit."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        sight = candidates_at(stores.nodes.by_label(label), stores)
    drafts = [(one, paragraphs(clean(one.text))) for one in sight.choice.candidates]
    return page(request, "candidates.html.j2", crumb_of(opened, "read"), sight=sight, drafts=drafts)


@router.post("/books/{book}/candidates/{label}/take")
def take_one(request: Request, here: Here, book: str, label: str, fields: Fields) -> HTMLResponse:
    """Make one of them the unit's text; its versions have what stood there."""
    with here.change(book) as opened:
        version = take(opened, label, _number(fields)).made.version
    say = speaker(request)
    words = say("It stands now, as version {version}; the versions have what stood there.", version=version)
    return done(request, words)


def _number(fields: dict[str, str]) -> int:
    value = fields.get("candidate", "")
    if not value.isdecimal() or len(value) > 2:
        raise InvalidInput("Say which of the drafts.")
    return int(value)
