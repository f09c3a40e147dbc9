"""Two branches of a book side by side: which units differ, figures, one unit's texts, and a reader's verdict."""

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.branches.comparing import TextPair, UnitPair, compare, compare_units, text_pair
from bookwright.app.branches.merging import standing_of
from bookwright.app.branches.offers import DocumentOffer, Offers, differing_documents, differing_kinds, offers_of
from bookwright.app.branches.verdicts import ask_for_verdict, order_verdict
from bookwright.app.changes.editing import node_names
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.text.word_diff import Change
from bookwright.storage.branches.repository import BranchRepository
from bookwright.studio.fields import Fields
from bookwright.studio.jobs import Job
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()


@dataclass(frozen=True)
class Pair:
    """Two books side by side: what stands here, and what was made there."""

    a: OpenBook
    b: OpenBook
    names: tuple[str, str]
    seen: str
    """What stands for both as they are shown."""


@dataclass(frozen=True)
class CompareSight:
    """What differs between them."""

    pair: Pair
    units: tuple[UnitPair, ...]
    """Those whose texts differ."""
    count: int
    """How many units have a text of their own."""
    offers: Offers
    documents: list[DocumentOffer]
    """Beside the texts."""


@dataclass(frozen=True)
class RowSight:
    """A paragraph of one beside that of the other."""

    changes: list[Change]

    @property
    def differs(self) -> bool:
        """Whether they read differently."""
        return any(old != new for old, new in self.changes)


@dataclass(frozen=True)
class UnitSight:
    """One unit's texts beside each other."""

    pair: Pair
    name: str
    texts: TextPair
    rows: list[RowSight]
    kinds: list[DocumentKind]
    """Of the documents of the unit that differ."""


@router.get("/books/{book}/compare/{other}")
def compared(request: Request, here: Here, book: str, other: str) -> HTMLResponse:
    """Show which units differ; figures are looked up once that is shown."""
    pair = pair_of(here, book, other)
    units = compare_units(pair.a, pair.b)
    differing = tuple(unit for unit in units if not unit.is_same)
    offers = offers_of(pair.a, pair.b, differing)
    sight = CompareSight(pair, differing, len(units), offers, differing_documents(pair.a, pair.b))
    template = "compare_units.html.j2" if "hx-request" in request.headers else "compare.html.j2"
    return page(request, template, crumb_of(pair.a, "branches"), sight=sight, pair=pair)


@router.get("/books/{book}/compare/{other}/figures")
def figures(request: Request, here: Here, book: str, other: str) -> HTMLResponse:
    """Return figures and scores, threads and secrets that differ."""
    pair = pair_of(here, book, other)
    found = compare(pair.a, pair.b)
    with pair.a.storage.read() as mine, pair.b.storage.read() as theirs:
        titles = {unit.label: unit.title for stores in (theirs, mine) for unit in stores.nodes.titled_units()}
    crumb = crumb_of(pair.a, "branches")
    return page(request, "compare_figures.html.j2", crumb, found=found, titles=titles, pair=pair)


@router.get("/books/{book}/compare/{other}/{label}")
def unit(request: Request, here: Here, book: str, other: str, label: str) -> HTMLResponse:
    """Show the texts of a unit beside each other."""
    pair = pair_of(here, book, other)
    texts = text_pair(pair.a, pair.b, label)
    with pair.a.storage.read() as stores:
        name = node_names(stores, [texts.label])[texts.label]
    rows = [RowSight(changes) for changes in texts.rows]
    sight = UnitSight(pair, name, texts, rows, differing_kinds(pair.a, pair.b, texts.label))
    return page(request, "compare_unit.html.j2", crumb_of(pair.a, "branches"), sight=sight, pair=pair)


@router.get("/books/{book}/compare/{other}/{label}/verdict")
def bill(request: Request, here: Here, book: str, other: str, label: str) -> HTMLResponse:
    """Return what a reader's verdict takes; nothing is asked by that."""
    pair = pair_of(here, book, other)
    order = order_verdict(pair.a, text_pair(pair.a, pair.b, label))
    return page(request, "verdict_bill.html.j2", crumb_of(pair.a, "branches"), order=order, pair=pair)


@router.post("/books/{book}/compare/{other}/{label}/verdict")
def ask(request: Request, here: Here, book: str, other: str, label: str, fields: Fields) -> HTMLResponse:
    """Begin to ask the reader, if the bill is the one that was shown."""
    pair = pair_of(here, book, other)
    order = order_verdict(pair.a, text_pair(pair.a, pair.b, label))
    order.check(fields.get("bill", ""))

    def work(tell: Callable[[str], None]) -> object:
        with here.change(book) as opened:
            return ask_for_verdict(opened, order)

    return _verdict(request, pair, label, here.jobs.start(work))


@router.get("/books/{book}/compare/{other}/{label}/verdict/{number}")
def verdict(request: Request, here: Here, book: str, other: str, label: str, number: int) -> HTMLResponse:
    """Return what the reader said, once it is there."""
    job = here.jobs.get(number)
    if job is None:
        raise InvalidInput("This answer was forgotten; it stands in the journal.")
    return _verdict(request, pair_of(here, book, other), label, job)


def pair_of(here: Workshop, book: str, other: str) -> Pair:
    """Open two branches for a look.

    Raises:
        BookNotFound: One of them is none.
        InvalidInput: They are no branches of one book.
    """
    a, b = here.look(book), here.look(other)
    return Pair(a, b, (_name(a), _name(b)), standing_of(a, b.book.id))


def _name(opened: OpenBook) -> str:
    with opened.storage.database.read() as connection:
        fork = BranchRepository(connection).find(opened.book.id)
    return fork.name if fork else opened.book.title or opened.book.brief.working_title


def _verdict(request: Request, pair: Pair, label: str, job: Job) -> HTMLResponse:
    crumb = crumb_of(pair.a, "branches")
    return page(request, "verdict.html.j2", crumb, job=job, pair=pair, label=label)
