"""A new book: the form, its bill as a job in the background, and the start once the bill is confirmed."""

from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import library
from bookwright.app.orders.order_form import OrderBill, blueprint_names, brief_of
from bookwright.app.orders.starting import begin, check_writable
from bookwright.manuscripts.outlines import read_outline
from bookwright.models.errors import InvalidInput
from bookwright.models.gate import PHASES
from bookwright.studio.fields import Fields, number_in
from bookwright.studio.pages import go_to, page
from bookwright.studio.routes.shelf import start_writing
from bookwright.studio.workshop import Here

router = APIRouter()

_FORGOTTEN = "This bill was forgotten; ask for it again."


@router.get("/new")
def form(request: Request, here: Here) -> HTMLResponse:
    """Show the form of a new book."""
    return page(request, "new.html.j2", gates=PHASES, blueprints=blueprint_names(here.settings.home))


@router.post("/new/bill")
def ask_bill(request: Request, here: Here, fields: Fields) -> HTMLResponse:
    """Begin to rehearse an order; nothing is kept or paid."""
    brief = brief_of(fields, here.settings.home)
    check_writable(brief, here.settings)

    def work(tell: Callable[[str], None]) -> OrderBill:
        from bookwright.app.estimates.rehearsal import estimate_book  # brings the engine

        return OrderBill(brief, estimate_book(brief, here.settings, tell))

    return page(request, "bill.html.j2", job=here.jobs.start(work))


@router.post("/new/outline")
def outline(request: Request, fields: Fields) -> HTMLResponse:
    """Return how an outline would be split; nothing is kept."""
    text = fields.get("outline", "").strip()
    found = read_outline(text) if text else None
    return page(request, "outline.html.j2", outline=found)


@router.get("/new/bill/{number}")
def bill(request: Request, here: Here, number: int) -> HTMLResponse:
    """Return how far the rehearsal is, or the bill."""
    return page(request, "bill.html.j2", job=here.jobs.get(number, _FORGOTTEN))


@router.post("/new/begin")
def start(request: Request, here: Here, fields: Fields) -> HTMLResponse:
    """Begin the book whose bill was confirmed, and go to its desk."""
    bill = here.jobs.get(number_in(fields, "job"), _FORGOTTEN).result
    if not isinstance(bill, OrderBill):
        raise InvalidInput("The bill is not there yet.")
    brief = brief_of(fields, here.settings.home)
    OrderBill(brief, bill.estimate).check(fields.get("bill", ""))
    with library(here.settings) as database:
        book = begin(database, brief, here.settings)
    start_writing(here, book.id)
    return go_to(f"/books/{book.id}")
