"""Two branches of a book side by side: which units differ, figures, one unit's texts, and a reader's verdict."""

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.branches.comparing import compare, compare_units, text_pair
from bookwright.app.branches.merging import standing_of
from bookwright.app.branches.offers import differing_documents, differing_kinds, offers_of
from bookwright.app.branches.verdicts import ask_for_verdict, order_verdict
from bookwright.app.places import node_names
from bookwright.studio.book_request import BookRequest, ThisBook, fork_of
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job
from bookwright.studio.pages import is_piece

router = APIRouter()


@dataclass(frozen=True)
class Pair:
    """Two books side by side: what stands here, and what was made there."""

    a: OpenBook
    b: OpenBook
    names: tuple[str, str]
    seen: str
    """What stands for both as they are shown."""


@router.get("/books/{book}/compare/{other}")
def compared(book: ThisBook, other: str) -> HTMLResponse:
    """Show which units differ; figures are looked up once that is shown."""
    pair = pair_of(book, other)
    units = compare_units(pair.a, pair.b)
    differing = tuple(unit for unit in units if not unit.is_same)
    return book.page(
        "compare_units.html.j2" if is_piece(book.request) else "compare.html.j2", "branches", pair=pair,
        units=differing, count=len(units), offers=offers_of(pair.a, pair.b, differing),
        documents=differing_documents(pair.a, pair.b),
    )  # fmt: skip


@router.get("/books/{book}/compare/{other}/figures")
def figures(book: ThisBook, other: str) -> HTMLResponse:
    """Return figures and scores, threads and secrets that differ."""
    pair = pair_of(book, other)
    found = compare(pair.a, pair.b)
    with pair.a.storage.read() as mine, pair.b.storage.read() as theirs:
        titles = {unit.label: unit.title for stores in (theirs, mine) for unit in stores.nodes.titled_units()}
    return book.page("compare_figures.html.j2", "branches", found=found, titles=titles, pair=pair)


@router.get("/books/{book}/compare/{other}/{label}")
def unit(book: ThisBook, other: str, label: str) -> HTMLResponse:
    """Show the texts of a unit beside each other."""
    pair = pair_of(book, other)
    texts = text_pair(pair.a, pair.b, label)
    with pair.a.storage.read() as stores:
        name = node_names(stores, [texts.label])[texts.label]
    rows = [(changes, any(old != new for old, new in changes)) for changes in texts.rows]
    kinds = differing_kinds(pair.a, pair.b, texts.label)
    return book.page("compare_unit.html.j2", "branches", pair=pair, name=name, texts=texts, rows=rows, kinds=kinds)


@router.get("/books/{book}/compare/{other}/{label}/verdict")
def bill(book: ThisBook, other: str, label: str) -> HTMLResponse:
    """Return what a reader's verdict takes; nothing is asked by that."""
    pair = pair_of(book, other)
    order = order_verdict(pair.a, text_pair(pair.a, pair.b, label))
    return book.page("verdict_bill.html.j2", "branches", order=order, pair=pair)


@router.post("/books/{book}/compare/{other}/{label}/verdict")
def ask(book: ThisBook, other: str, label: str, fields: Fields) -> HTMLResponse:
    """Begin to ask the reader, if the bill is the one that was shown."""
    pair = pair_of(book, other)
    order = order_verdict(pair.a, text_pair(pair.a, pair.b, label))
    order.check(fields.get("bill", ""))

    def work(tell: Callable[[str], None]) -> object:
        with book.change() as opened:
            return ask_for_verdict(opened, order)

    return _verdict(book, pair, label, book.studio.jobs.start(work))


@router.get("/books/{book}/compare/{other}/{label}/verdict/{number}")
def verdict(book: ThisBook, other: str, label: str, number: int) -> HTMLResponse:
    """Return what the reader said, once it is there."""
    job = book.studio.jobs.get(number, "This answer was forgotten; it stands in the journal.")
    return _verdict(book, pair_of(book, other), label, job)


def pair_of(book: BookRequest, other: str) -> Pair:
    """Open two branches for a look.

    Raises:
        BookNotFound: One of them is none.
        InvalidInput: They are no branches of one book.
    """
    a, b = book.opened, book.studio.look(other)
    return Pair(a, b, (_name(a), _name(b)), standing_of(a, b.book.id))


def _name(opened: OpenBook) -> str:
    fork = fork_of(opened)
    return fork.name if fork else opened.book.title or opened.book.brief.working_title


def _verdict(book: BookRequest, pair: Pair, label: str, job: Job) -> HTMLResponse:
    return book.page("verdict.html.j2", "branches", job=job, pair=pair, label=label)
