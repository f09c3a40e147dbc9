"""A step of the journal asked again with an edited prompt, its bill confirmed first, beside the old answer."""

from collections.abc import Callable

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.asking_again import AnotherAnswer, again_bill, ask_again
from bookwright.exports.markup import clean
from bookwright.studio.book_request import BookRequest, ThisBook
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job

router = APIRouter()


@router.post("/books/{book}/journal/{step}/again")
def bill(book: ThisBook, step: int, fields: Fields) -> HTMLResponse:
    """Return what asking again takes; nothing is asked by that."""
    wanted = again_bill(book.opened, step, fields.get("words", ""))
    return book.page("again_bill.html.j2", "journal", bill=wanted)


@router.post("/books/{book}/journal/{step}/again/ask")
def ask(book: ThisBook, step: int, fields: Fields) -> HTMLResponse:
    """Begin to ask, if the bill is the one that was shown."""
    wanted = again_bill(book.opened, step, fields.get("words", ""))
    wanted.check(fields.get("bill", ""))

    def work(tell: Callable[[str], None]) -> AnotherAnswer:
        with book.change() as changing:
            return ask_again(changing, wanted)

    return _answer(book, step, book.studio.jobs.start(work))


@router.get("/books/{book}/journal/{step}/again/{number}")
def answer(book: ThisBook, step: int, number: int) -> HTMLResponse:
    """Return the answer beside the old one, once it is there."""
    return _answer(book, step, book.studio.jobs.get(number, "This answer was forgotten; it stands in the journal."))


def _answer(book: BookRequest, step: int, job: Job) -> HTMLResponse:
    with book.read() as stores:
        old = clean(stores.steps.reply(step))
    return book.page("again_answer.html.j2", "journal", job=job, step=step, old=old)
