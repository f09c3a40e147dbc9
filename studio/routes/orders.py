"""The order of a book: a new one, from a form or a manuscript, begun once its bill is confirmed; changes of one."""

import hashlib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from bookwright.agents.backends.windows import with_known
from bookwright.app.access import library
from bookwright.app.manuscript_reading import ManuscriptReading, chapter_row, check_new, read_for_import
from bookwright.app.orders.order_form import (
    FIELDS,
    LONG,
    OrderBill,
    blueprint_names,
    brief_changes,
    brief_of,
    brief_values,
    save_brief,
)
from bookwright.app.orders.starting import begin, check_writable, going_on_with
from bookwright.app.status.books import is_held
from bookwright.flows.revision.edits import brief_seen
from bookwright.manuscripts.outlines import read_outline
from bookwright.manuscripts.reading import digest_of
from bookwright.models.book import BookState
from bookwright.models.brief import make_brief
from bookwright.models.edit import BRIEF, BriefEdit
from bookwright.models.errors import BookHeld, InvalidInput
from bookwright.models.gate import PHASES
from bookwright.studio.pages import BookRequest, Fields, ThisBook, go_to, needed_number, number_in, page
from bookwright.studio.routes.shelf import start_writing
from bookwright.studio.state import StudioState, ThisStudio

router = APIRouter()

_LABELS = {
    "premise": "What happens?", "title": "Title", "pen_name": "Author on the cover", "genre": "Genre",
    "style": "How it sounds", "audience": "Who reads it", "ending": "How it ends", "length": "Length",
    "usd": "Never pay more than",
}  # fmt: skip
_BILL_FORGOTTEN = "This bill was forgotten; ask for it again."
_MANUSCRIPT_FORGOTTEN = "This manuscript was forgotten; name it again."


@dataclass(frozen=True)
class Brought:
    """A manuscript with what looking at it takes."""

    reading: ManuscriptReading
    digest: str
    bill: str

    @property
    def rows(self) -> list[dict[str, object]]:
        """What is told of its chapters."""
        found = self.reading.found
        return [chapter_row(number, one, found, self.reading.brief) for number, one in enumerate(found.chapters, 1)]

    @property
    def hash(self) -> str:
        """What stands for this file and this bill."""
        return hashlib.sha256(f"{self.digest} {self.bill}".encode()).hexdigest()


@router.get("/new")
def form(request: Request, studio: ThisStudio) -> HTMLResponse:
    """Show the form of a new book."""
    return page(request, "new.html.j2", gates=PHASES, blueprints=blueprint_names(studio.settings.home))


@router.post("/new/bill")
def ask_bill(request: Request, studio: ThisStudio, fields: Fields) -> HTMLResponse:
    """Begin to rehearse an order; nothing is kept or paid."""
    brief = brief_of(fields, studio.settings.home)
    check_writable(brief, studio.settings)

    def work(tell: Callable[[str], None]) -> OrderBill:
        from bookwright.app.estimates.rehearsal import estimate_book  # brings the engine

        return OrderBill(brief, estimate_book(brief, studio.settings, tell))

    return page(request, "bill.html.j2", job=studio.jobs.start(work))


@router.post("/new/outline")
def outline(request: Request, fields: Fields) -> HTMLResponse:
    """Return how an outline would be split; nothing is kept."""
    text = fields.get("outline", "").strip()
    found = read_outline(text) if text else None
    return page(request, "outline.html.j2", outline=found)


@router.get("/new/bill/{number}")
def bill(request: Request, studio: ThisStudio, number: int) -> HTMLResponse:
    """Return how far the rehearsal is, or the bill."""
    return page(request, "bill.html.j2", job=studio.jobs.get(number, _BILL_FORGOTTEN))


@router.post("/new/begin")
def start(request: Request, studio: ThisStudio, fields: Fields) -> HTMLResponse:
    """Begin the book whose bill was confirmed, and go to its desk."""
    brief, bill = brief_of(fields, studio.settings.home), _bill_in(fields, studio)
    OrderBill(brief, bill.estimate).check(fields.get("bill", ""))
    with library(studio.settings) as database:
        book = begin(database, brief, studio.settings)
    start_writing(studio, book.id)
    return go_to(f"/books/{book.id}")


@router.get("/import")
def import_form(request: Request) -> HTMLResponse:
    """Show where a manuscript is named."""
    return page(request, "import.html.j2")


@router.post("/import/preview")
async def preview(request: Request, studio: ThisStudio, name: str = "") -> HTMLResponse:
    """Read a manuscript that is sent along; nothing is kept."""
    content = await request.body()
    return await run_in_threadpool(_preview, request, studio, content, name)


@router.get("/import/{number}")
def import_found(request: Request, studio: ThisStudio, number: int) -> HTMLResponse:
    """Return how far the look at a manuscript is, or what was found."""
    return page(request, "import_found.html.j2", job=studio.jobs.get(number, _MANUSCRIPT_FORGOTTEN))


@router.post("/import/begin")
def begin_import(request: Request, studio: ThisStudio, fields: Fields) -> HTMLResponse:
    """Make a book of the manuscript whose bill was confirmed; it is looked at at once, or rests."""
    from bookwright.flows.intake.manuscript_import import bring_in, longest_piece  # brings the engine

    brought = studio.jobs.get(number_in(fields, "job"), _MANUSCRIPT_FORGOTTEN).result
    if not isinstance(brought, Brought) or brought.hash != fields.get("bill"):
        raise InvalidInput("The bill is not the one that was shown; ask for it again.")
    reading = brought.reading
    with library(studio.settings) as database:
        check_new(reading.file, brought.digest, database)
        piece = longest_piece(reading.brief, studio.settings)
        book = bring_in(database, reading.found, reading.brief, brought.digest, piece)
    if fields.get("rests") != "1":
        start_writing(studio, book.id)
    return go_to(f"/books/{book.id}")


@router.get("/books/{book}/brief")
def order(book: ThisBook) -> HTMLResponse:
    """Show the order."""
    brief = book.opened.book.brief
    with book.read() as stores:
        waiting = stores.edits.waiting_for(BRIEF)
    values = brief_values(make_brief(waiting.edit.brief) if waiting and isinstance(waiting.edit, BriefEdit) else brief)
    return book.page(
        "brief.html.j2", "desk", values=values, names=FIELDS, long=LONG, seen=brief_seen(brief),
        is_held=is_held(book.opened.book), labels=_LABELS, waiting=waiting, unit=brief.length_unit,
        is_finished=book.opened.book.state is BookState.FINISHED,
    )  # fmt: skip


@router.post("/books/{book}/brief/preview")
def preview_changes(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Return what would be changed; nothing is saved by that."""
    changes = brief_changes(book.opened.book.brief, fields)
    return book.page("brief_changes.html.j2", "desk", changes=changes, written=_written(book), labels=_LABELS)


@router.post("/books/{book}/brief")
def save_order(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Save the order by the state that the author has seen."""
    with book.change() as opened:
        save_brief(opened, fields, fields.get("seen", ""), number_in(fields, "after"))
    return go_to(f"/books/{book.id}/brief")


@router.post("/books/{book}/more/bill")
def ask_bill_of_more(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Begin to rehearse what is to be written behind a book's end; nothing is kept or paid."""
    opened, more = book.opened, needed_number(fields, "more", "Say how much more is to be written.")
    check_writable(opened.book.brief, opened.settings)

    def work(tell: Callable[[str], None]) -> OrderBill:
        from bookwright.app.estimates.existing_text import estimate_more  # brings the engine

        brief, settings = opened.book.brief, with_known(opened.book.windows, opened.settings)
        return OrderBill(brief, estimate_more(opened.storage, brief, more, settings, tell), book.id, _written(book))

    return book.page("bill.html.j2", "desk", job=book.studio.jobs.start(work))


@router.post("/books/{book}/more")
def write_on(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Go on behind the book's end, in a process of its own, by as much as was confirmed."""
    opened, bill = book.opened, _bill_in(fields, book.studio)
    if is_held(opened.book):
        raise BookHeld(book.id, opened.book.lease_owner or "", 0.0)
    OrderBill(opened.book.brief, bill.estimate, book.id, _written(book)).check(fields.get("bill", ""))
    check_writable(opened.book.brief, opened.settings)
    book.start(going_on_with(opened.book, "--words", str(bill.estimate.length)))
    return go_to(f"/books/{book.id}")


def _written(book: BookRequest) -> int:
    """Return how long a book is."""
    with book.read() as stores:
        return stores.nodes.root().written


def _bill_in(fields: Mapping[str, str], studio: StudioState) -> OrderBill:
    """Return the bill that a form confirms."""
    bill = studio.jobs.get(number_in(fields, "job"), _BILL_FORGOTTEN).result
    if not isinstance(bill, OrderBill):
        raise InvalidInput("The bill is not there yet.")
    return bill


def _preview(request: Request, studio: StudioState, content: bytes, name: str) -> HTMLResponse:
    with tempfile.TemporaryDirectory(prefix="bookwright-import-") as folder:
        file = Path(folder) / (PurePath(name.replace("\\", "/")).name or "manuscript.txt")
        file.write_bytes(content)
        try:
            reading, digest = replace(read_for_import(file, {}), file=Path(file.name)), digest_of(file)
        except InvalidInput as error:
            raise InvalidInput(str(error).replace(str(file), file.name)) from None
    check_writable(reading.brief, studio.settings)

    def work(tell: Callable[[str], None]) -> Brought:
        from bookwright.app.estimates.existing_text import bill_of_import  # brings the engine

        return Brought(reading, digest, bill_of_import(reading.found, reading.brief, studio.settings, 0, tell))

    return page(request, "import_found.html.j2", job=studio.jobs.start(work))
