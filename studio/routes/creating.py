"""A new book: the form, its bill as a job in the background, and the start once the bill is confirmed."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import library
from bookwright.app.orders.checks import check_writable
from bookwright.app.orders.ordering import bill_hash, blueprint_names, brief_of, check_bill
from bookwright.app.orders.starting import begin
from bookwright.manuscripts.outlines.outlines import read_outline
from bookwright.models.errors import InvalidInput
from bookwright.models.gate import PHASES
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job
from bookwright.studio.pages import page
from bookwright.studio.routes.shelf import start_writing
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()


@dataclass(frozen=True)
class Ordered:
    """An order with what it would take."""

    brief: Any
    estimate: Any
    hash: str


@router.get("/new")
def form(request: Request, here: Here) -> HTMLResponse:
    """Show the form of a new book."""
    return page(
        request, "new.html.j2", model=here.settings.model, gates=PHASES, blueprints=blueprint_names(here.settings.home),
        is_embedded=here.settings.model.startswith("embedded:"),
    )  # fmt: skip


@router.post("/new/bill")
def ask_bill(request: Request, here: Here, fields: Fields) -> HTMLResponse:
    """Begin to rehearse an order; nothing is kept or paid."""
    brief = brief_of(fields, here.settings.home)
    check_writable(brief, here.settings)

    def work(tell: Any) -> Ordered:
        from bookwright.app.estimates.rehearsal import estimate_book  # brings the engine

        estimate = estimate_book(brief, here.settings, tell)
        return Ordered(brief, estimate, bill_hash(brief, estimate))

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
    return page(request, "bill.html.j2", job=_job(here, number))


@router.post("/new/begin")
def start(request: Request, here: Here, fields: Fields) -> HTMLResponse:
    """Begin the book whose bill was confirmed, and go to its desk."""
    number = fields.get("job", "")
    job = _job(here, int(number) if number.isdecimal() and len(number) < 10 else 0)
    if not isinstance(job.result, Ordered):
        raise InvalidInput("The bill is not there yet.")
    brief = brief_of(fields, here.settings.home)
    check_bill(brief, job.result.estimate, fields.get("bill", ""))
    with library(here.settings) as database:
        book = begin(database, brief, here.settings)
    start_writing(here, book.id)
    return HTMLResponse("", headers={"HX-Redirect": f"/books/{book.id}"})


def _job(here: Workshop, number: int) -> Job:
    job = here.jobs.get(number)
    if job is None:
        raise InvalidInput("This bill was forgotten; ask for it again.")
    return job
