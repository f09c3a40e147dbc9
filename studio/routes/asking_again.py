"""A step of the journal asked again with an edited prompt, its bill confirmed first, beside the old answer."""

from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.journal.asked_again import AnotherAnswer, again_bill, ask_again
from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()


@router.post("/books/{book}/journal/{step}/again")
def bill(request: Request, here: Here, book: str, step: int, fields: Fields) -> HTMLResponse:
    """Return what asking again takes; nothing is asked by that."""
    opened = here.look(book)
    wanted = again_bill(opened, step, fields.get("words", ""))
    return page(request, "again_bill.html.j2", crumb_of(opened, "journal"), bill=wanted)


@router.post("/books/{book}/journal/{step}/again/ask")
def ask(request: Request, here: Here, book: str, step: int, fields: Fields) -> HTMLResponse:
    """Begin to ask, if the bill is the one that was shown."""
    wanted = again_bill(here.look(book), step, fields.get("words", ""))
    wanted.check(fields.get("bill", ""))

    def work(tell: Callable[[str], None]) -> AnotherAnswer:
        with here.change(book) as changing:
            return ask_again(changing, wanted)

    return _answer(request, here, book, step, here.jobs.start(work))


@router.get("/books/{book}/journal/{step}/again/{number}")
def answer(request: Request, here: Here, book: str, step: int, number: int) -> HTMLResponse:
    """Return the answer beside the old one, once it is there."""
    job = here.jobs.get(number)
    if job is None:
        raise InvalidInput("This answer was forgotten; it stands in the journal.")
    return _answer(request, here, book, step, job)


def _answer(request: Request, here: Workshop, book: str, step: int, job: Job) -> HTMLResponse:
    opened = here.look(book)
    with opened.storage.read() as stores:
        old = clean(stores.steps.reply(step))
    return page(request, "again_answer.html.j2", crumb_of(opened, "journal"), job=job, step=step, old=old)
