"""Comments at passages: kept, laid aside, and made orders to a model once their bill is confirmed."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import editable_parts
from bookwright.app.comments.orders import confirm_order, give_order, order_of
from bookwright.app.comments.passages import comment_on, comments_at, lay_aside
from bookwright.app.status.shelf import is_held
from bookwright.models.comment import Anchor, CommentState
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
def order(request: Request, here: Here, book: str, label: str, number: int, fields: Fields) -> HTMLResponse:
    """Have a model see to a comment, here or by whoever writes the book, if the bill is the one that was shown."""
    opened = here.look(book)
    wanted = confirm_order(opened, number, fields.get("bill", ""))
    if here.runs.is_starting(book) and not is_held(opened.book):
        raise InvalidInput("A process that this page started is still at work on this book.")
    with here.change(book) as changing:
        is_left = give_order(changing, wanted)
    if not is_left:
        here.runs.start(book, wanted.arguments, here.settings)
    return _listed(request, here, opened, label)


@router.post("/books/{book}/comments/{label}/{number}/done")
def put_away(request: Request, here: Here, book: str, label: str, number: int) -> HTMLResponse:
    """Lay a comment aside; what of it waited for a model is taken back."""
    with here.change(book) as changing, changing.storage.write() as stores:
        lay_aside(stores, number)
    return _listed(request, here, here.look(book), label, laid=number)


@router.post("/books/{book}/comments/{label}/{number}/open")
def take_out(request: Request, here: Here, book: str, label: str, number: int) -> HTMLResponse:
    """Take a comment out again that was laid aside."""
    with here.change(book) as changing, changing.storage.write() as stores:
        stores.comments.settle(stores.comments.get(number).id, CommentState.OPEN)
    return _listed(request, here, here.look(book), label)


def _listed(request: Request, here: Workshop, opened: OpenBook, label: str, laid: int | None = None) -> HTMLResponse:
    with opened.storage.read() as stores:
        sights = comments_at(stores, editable_parts(stores, label))
    book = opened.book.id
    return page(
        request, "comments.html.j2", crumb_of(opened, "read"), sights=sights, label=label,
        laid=laid, failure=here.runs.failure(book), is_at_work=here.runs.is_starting(book),
    )  # fmt: skip
