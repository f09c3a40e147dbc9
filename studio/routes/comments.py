"""Comments at passages: kept, laid aside, and made orders to a model once their bill is confirmed."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.comments import comment_on, comments_at, lay_aside
from bookwright.app.status.books import is_held
from bookwright.app.text_orders import give_order, order_of
from bookwright.flows.revision.revise import with_prose
from bookwright.models.edit import Anchor, CommentState
from bookwright.models.errors import InvalidInput
from bookwright.studio.pages import BookRequest, Fields, ThisBook

router = APIRouter()


@router.get("/books/{book}/comments/{label}")
def comments(book: ThisBook, label: str) -> HTMLResponse:
    """Return the comments at a chapter's text."""
    return _listed(book, label)


@router.post("/books/{book}/comments/{label}")
def add(book: ThisBook, label: str, fields: Fields) -> HTMLResponse:
    """Keep a comment on the words that were selected."""
    anchor = Anchor(quote=fields.get("quote", ""), before=fields.get("before", ""), after=fields.get("after", ""))
    with book.read() as stores:
        labels = with_prose(stores.nodes.by_label(label), stores)
    with book.change() as changing:
        comment_on(changing, labels, anchor, fields.get("words", ""))
    return _listed(book, label)


@router.get("/books/{book}/comments/{label}/{number}/bill")
def bill(book: ThisBook, label: str, number: int) -> HTMLResponse:
    """Return what a comment takes as an order to a model."""
    return book.page("comment_bill.html.j2", "read", order=order_of(book.opened, number), label=label)


@router.post("/books/{book}/comments/{label}/{number}/order")
def order(book: ThisBook, label: str, number: int, fields: Fields) -> HTMLResponse:
    """Have a model see to a comment, here or by whoever writes the book, if the bill is the one that was shown."""
    wanted = order_of(book.opened, number)
    wanted.check(fields.get("bill", ""))
    runs = book.studio.runs
    if runs.is_starting(book.id) and not is_held(book.opened.book):
        raise InvalidInput("A process that this page started is still at work on this book.")
    with book.change() as changing:
        is_left = give_order(changing, wanted)
    if not is_left:
        runs.start(book.id, wanted.arguments)
    return _listed(book, label)


@router.post("/books/{book}/comments/{label}/{number}/done")
def put_away(book: ThisBook, label: str, number: int) -> HTMLResponse:
    """Lay a comment aside; what of it waited for a model is taken back."""
    with book.change() as changing, changing.storage.write() as stores:
        lay_aside(stores, number)
    return _listed(book, label, laid=number)


@router.post("/books/{book}/comments/{label}/{number}/open")
def take_out(book: ThisBook, label: str, number: int) -> HTMLResponse:
    """Take a comment out again that was laid aside."""
    with book.change() as changing, changing.storage.write() as stores:
        stores.comments.settle(stores.comments.get(number).id, CommentState.OPEN)
    return _listed(book, label)


def _listed(book: BookRequest, label: str, laid: int | None = None) -> HTMLResponse:
    with book.read() as stores:
        sights = comments_at(stores, with_prose(stores.nodes.by_label(label), stores))
    runs = book.studio.runs
    return book.page(
        "comments.html.j2", "read", sights=sights, label=label, laid=laid, failure=runs.failure(book.id),
        is_at_work=runs.is_starting(book.id),
    )  # fmt: skip
