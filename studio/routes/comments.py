"""Comments at passages: kept, laid aside, and made orders to a model once their bill is confirmed."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import editable_parts
from bookwright.app.comments.orders import confirm_order, mark_ordered, order_of
from bookwright.app.comments.passages import comment_on, comments_at, lay_aside
from bookwright.models.comment import Anchor
from bookwright.models.errors import InvalidInput
from bookwright.studio.fields import Fields
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()


@router.get("/books/{book}/comments/{label}")
def comments(request: Request, here: Here, book: str, label: str) -> HTMLResponse:
    """Return the comments at a chapter's text."""
    return _listed(request, here, here.look(book), label)


@router.post("/books/{book}/comments/{label}")
def add(request: Request, here: Here, book: str, label: str, fields: Fields) -> HTMLResponse:
    """Keep a comment on the words that were selected."""
    opened = here.look(book)
    anchor = Anchor(quote=fields.get("quote", ""), before=fields.get("before", ""), after=fields.get("after", ""))
    with opened.storage.read() as stores:
        labels = editable_parts(stores, label)
    with here.change(book) as changing:
        comment_on(changing, labels, anchor, fields.get("words", ""))
    return _listed(request, here, opened, label)


@router.get("/books/{book}/comments/{label}/{number}/bill")
def bill(request: Request, here: Here, book: str, label: str, number: int) -> HTMLResponse:
    """Return what a comment takes as an order to a model."""
    opened = here.look(book)
    order = order_of(opened, number)
    return page(request, "comment_bill.html.j2", crumb_of(opened, "read"), order=order, label=label)


@router.post("/books/{book}/comments/{label}/{number}/order")
def give_order(request: Request, here: Here, book: str, label: str, number: int, fields: Fields) -> HTMLResponse:
    """Have a model see to a comment, in a process of its own, if the bill is the one that was shown."""
    opened = here.look(book)
    order = confirm_order(opened, number, fields.get("bill", ""))
    if here.runs.is_starting(book):
        raise InvalidInput("A process that this page started is still at work on this book.")
    with here.change(book) as changing:
        mark_ordered(changing, order)
    here.runs.start(book, order.arguments, here.settings)
    return _listed(request, here, opened, label)


@router.post("/books/{book}/comments/{label}/{number}/done")
def put_away(request: Request, here: Here, book: str, label: str, number: int) -> HTMLResponse:
    """Lay a comment aside."""
    with here.change(book) as changing, changing.storage.write() as stores:
        lay_aside(stores, number)
    return _listed(request, here, here.look(book), label)


def _listed(request: Request, here: Workshop, opened: OpenBook, label: str) -> HTMLResponse:
    with opened.storage.read() as stores:
        sights = comments_at(stores, editable_parts(stores, label))
    book = opened.book.id
    return page(
        request, "comments.html.j2", crumb_of(opened, "read"), sights=sights, label=label,
        failure=here.runs.failure(book), is_at_work=here.runs.is_starting(book),
    )  # fmt: skip
