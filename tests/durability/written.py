"""Books that the scenarios have written, and what is there of one at its end."""

from pathlib import Path

from sqlalchemy import Table, event, func, select
from sqlalchemy.engine import Engine

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.exports.files import export, export_path
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.brief import Brief, make_brief
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import allowances
from tests.durability.children import finished_text
from tests.durability.crashes import JOURNAL_READS

PLANNED = {"profile": "economy", "max_planning_rounds": 1}
"""A short book that is planned like a long one; without it, it is told."""
TALE = make_brief({"premise": "A clerk counts the lamps.", "title": "Lamps", "length": 600, **PLANNED})


def write(brief: Brief, settings: Settings) -> None:
    """Have a book written and exported."""
    database = open_library(settings)
    book = find_or_create(database, brief)
    models = _Attentive(ModelService(settings), database.engine, settings.home / JOURNAL_READS)
    try:
        run_book(book.id, RunConfig(settings, database, models))
        storage = BookStorage(database, book.id, book.brief.language)
        export(storage, "md", export_path(book.id, "md", settings))
    finally:
        models.service.close()
        database.dispose()


class _Attentive:
    """The model service, which leaves word of how often the journal was read before the first call."""

    def __init__(self, service: ModelService, engine: Engine, note: Path) -> None:
        self.service = service
        self._note: Path | None = note
        self._reads = 0

        self._engine = engine
        event.listen(engine, "before_cursor_execute", self._count)

    def _count(self, connection: object, cursor: object, statement: str, *_: object) -> None:
        self._reads += "FROM steps" in statement

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        if self._note is not None:
            self._note.write_text(str(self._reads))
            self._note = None
            event.remove(self._engine, "before_cursor_execute", self._count)  # what is heard takes longer
        return self.service.ask(request, budget, listener, on_failure)


def whole_book(settings: Settings) -> object:
    """A book that is finished and exported once, and lets all it held of a cap go."""
    book, text = finished_text(settings)
    exports = {path.name: path.read_text() for path in (settings.home / "exports").glob("[!.]*")}
    return book.state, book.reason, book.lease_owner, text, exports, count(allowances, settings)


def count(table: Table, settings: Settings) -> int:
    """How many rows a table has."""
    database = open_library(settings)
    with database.read() as connection:
        rows: int = connection.execute(select(func.count()).select_from(table)).scalar_one()
    database.dispose()
    return rows
