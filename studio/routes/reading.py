"""Reading: the book as its readers get it, a chapter at a time, with its author's comments at passages."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.candidates import candidates_of
from bookwright.app.changes.editing import editable_parts
from bookwright.app.comments import comment_on, comments_at, lay_aside
from bookwright.app.status.books import is_held
from bookwright.app.text_orders import give_order, order_of
from bookwright.exports.manuscript import Chapter, Manuscript, Section
from bookwright.models.document import DocumentKind
from bookwright.models.edit import Anchor, CommentState
from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language
from bookwright.models.tree.task import TaskNode
from bookwright.studio.pages import BookRequest, Fields, ThisBook

router = APIRouter()

_TEXTS = (DocumentKind.DESIGN, DocumentKind.FINDINGS)
"""Documents with data whose text is read all the same."""


@router.get("/books/{book}/read")
def contents(book: ThisBook) -> HTMLResponse:
    """Show what chapters there are."""
    manuscript = Manuscript(book.opened.storage)
    lines = [(line, isinstance(line, Chapter), _named(line)) for line in manuscript.sections()]
    return book.page("contents.html.j2", "read", cover=manuscript.cover(), lines=lines)


@router.get("/books/{book}/read/{label}")
def chapter(book: ThisBook, label: str, vertical: bool = False) -> HTMLResponse:
    """Show one chapter with its neighbours: the one that a node is, holds, or lies in."""
    manuscript = Manuscript(book.opened.storage)
    chapters = [section for section in manuscript.sections() if isinstance(section, Chapter)]
    with book.read() as stores:
        wanted = stores.nodes.by_label(label)
        place = next((i for i, one in enumerate(chapters) if _meets(one.unit, wanted)), None)
        found = chapters[place] if place is not None else next(manuscript.sections(label))
        assert isinstance(found, Chapter)
        parts = editable_parts(stores, found.unit.label)
        drafted = [part for part in parts if candidates_of(stores.nodes.by_label(part), stores) is not None]
    before, after = (chapters[place - 1 : place], chapters[place + 1 : place + 2]) if place is not None else ([], [])
    return book.page(
        "read.html.j2", "read", heading=_named(found), label=found.unit.label, scenes=manuscript.scenes(found),
        parts=parts, drafted=drafted, previous=before[0].unit.label if before else "",
        next=after[0].unit.label if after else "", is_vertical=vertical,
        can_be_vertical=book.opened.book.brief.language is Language.JA,
    )  # fmt: skip


@router.get("/books/{book}/page/{label}")
def node_page(book: ThisBook, label: str) -> HTMLResponse:
    """Show a node of the tree with all that was made for it."""
    with book.read() as stores:
        node = stores.nodes.by_label(label)
        found = stores.documents.of_nodes([node.key], *DocumentKind)
    shown = [(one, one.data_hash is None or one.kind in _TEXTS) for one in found]
    return book.page("node.html.j2", "desk", node=node, shown=shown)


@router.get("/books/{book}/comments/{label}")
def comments(book: ThisBook, label: str) -> HTMLResponse:
    """Return the comments at a chapter's text."""
    return _listed(book, label)


@router.post("/books/{book}/comments/{label}")
def add(book: ThisBook, label: str, fields: Fields) -> HTMLResponse:
    """Keep a comment on the words that were selected."""
    anchor = Anchor(quote=fields.get("quote", ""), before=fields.get("before", ""), after=fields.get("after", ""))
    with book.read() as stores:
        labels = editable_parts(stores, label)
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


def _named(section: Section) -> str:
    return section.heading or section.unit.title


def _meets(unit: TaskNode, wanted: TaskNode) -> bool:
    """One lies in the other."""
    short, long = sorted((unit.order, wanted.order), key=len)
    return long[: len(short)] == short


def _listed(book: BookRequest, label: str, laid: int | None = None) -> HTMLResponse:
    with book.read() as stores:
        sights = comments_at(stores, editable_parts(stores, label))
    runs = book.studio.runs
    return book.page(
        "comments.html.j2", "read", sights=sights, label=label, laid=laid, failure=runs.failure(book.id),
        is_at_work=runs.is_starting(book.id),
    )  # fmt: skip
