"""Books whose author decides: approves a text, takes another draft, or has some written beside one."""

from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import select

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import OpenBook
from bookwright.app.candidates import candidates_at, draft_at
from bookwright.app.text_orders import take
from bookwright.failpoints import Failpoint
from bookwright.flows.activities.prose.write import make_candidates
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.models.brief import Brief, make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.errors import GateDecided, GateWaiting, InvalidInput
from bookwright.models.gate import Decider, Gate, GateKind, GateState
from bookwright.models.ruling import approval, rejection
from bookwright.models.settings import Settings
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import gates
from tests.durability.children import finished_text
from tests.durability.written import TALE, whole_book, write

GATED = make_brief(
    {"premise": "A clerk waits for a word.", "title": "Words", "length": 600, "profile": "economy",
     "gates": ["book_design", "chapter"], "webhook": "http://127.0.0.1:9/gates"}
)  # fmt: skip
"""Nobody listens there, so the news is noted as not told."""
PAINTED = make_brief(
    {"premise": "A clerk paints the lamps.", "title": "Paint", "length": 600, "profile": "economy", "candidates": 3,
     "gates": ["candidates"]}
)  # fmt: skip


def write_gated(settings: Settings) -> None:
    """Write a book to its end; its author rejects the first text, and approves what follows."""
    _write_deciding(GATED, _decide, settings)


def write_candidates(settings: Settings) -> None:
    """Write a book whose author takes another draft than its readers do."""
    _write_deciding(PAINTED, _take_the_other, settings)


def _write_deciding(brief: Brief, decide: Callable[[Gate, BookStorage], None], settings: Settings) -> None:
    while True:
        try:
            write(brief, settings)
            return
        except GateWaiting as waiting:
            database = open_library(settings)
            with suppress(GateDecided):  # by a worker that died
                decide(waiting.gate, BookStorage(database, waiting.gate.book, brief.language))
            database.dispose()


def _decide(gate: Gate, storage: BookStorage) -> None:
    with storage.read() as stores:
        rejected = {known.kind for known in stores.gates.all() if known.state is GateState.REJECTED}
    is_good = gate.kind in rejected or gate.kind is GateKind.BOOK_DESIGN
    by = Decider.COMMAND
    with storage.write(Failpoint.DECIDE_GATE) as stores:
        stores.gates.decide(gate.id, approval(gate, by) if is_good else rejection(gate, by, "Fewer lamps."))


def _take_the_other(gate: Gate, storage: BookStorage) -> None:
    with storage.read() as stores:
        choice = candidates_at(stores.nodes.get(gate.node), stores).choice
        other = draft_at(gate, choice.preferred % 3 + 1, stores)
    with storage.write(Failpoint.DECIDE_GATE) as stores:
        stores.gates.decide(gate.id, approval(gate, Decider.COMMAND, text=other))


def gated_book(settings: Settings) -> object:
    """Each gate was opened, decided and carried out once."""
    database = open_library(settings)
    with database.read() as connection:
        columns = (gates.c.kind, gates.c.revision, gates.c.number, gates.c.state, gates.c.is_settled)
        found = [tuple(row) for row in connection.execute(select(*columns).order_by(gates.c.id))]
    database.dispose()
    return found, whole_book(settings)


def draft_beside(settings: Settings) -> None:
    """Have three candidates written beside a text that stands, and take the second one."""
    database = open_library(settings)
    book = find_or_create(database, TALE)
    storage = BookStorage(database, book.id, book.brief.language)
    models = ModelService(settings)
    try:
        with hold_book(book.id, RunConfig(settings, database, models), way_on="`bookwright candidates`") as deps:
            make_candidates(deps.storage.node(_root(storage).key), 3, deps)
        with suppress(InvalidInput):  # a worker that died had taken it
            take(OpenBook(settings, storage, book), "1", 2)
    finally:
        models.close()
        database.dispose()


def _root(storage: BookStorage) -> TaskNode:
    with storage.read() as stores:
        return stores.nodes.root()


def candidates_of(brief: Brief, settings: Settings) -> object:
    """Every version of the choice is kept once, beside the text that it led to."""
    database = open_library(settings)
    book = find_or_create(database, brief)
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        root = stores.nodes.root()
        kinds = (DocumentKind.CANDIDATES, DocumentKind.PROSE)
        versions = [version for kind in kinds for version in stores.documents.versions(root.key, kind)]
        kept = [(version.kind, version.origin, stores.documents.text_of(version)) for version in versions]
    database.dispose()
    return kept, root.written, finished_text(settings)[1]
