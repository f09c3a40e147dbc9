"""A told book, written whole by the rehearsal author."""

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.relay.style_guide import guide_of_sample, keep_guide
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentOrigin
from bookwright.models.errors import BookPaused
from bookwright.models.step import Reply
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from tests.support.books import make_settings, new_library


class Told:
    """A book that the rehearsal author wrote, to its end where no limit is given, and all that was asked for it."""

    def __init__(self, home: Path, sample: str = "", limits: Limits | None = None, **brief: Any) -> None:
        settings = make_settings(home, free_megabytes=0, keep_vault=False)
        self.database = new_library(settings)
        self.requests: list[Request] = []
        self._service = ModelService(settings)
        book = find_or_create(self.database, make_brief({"premise": "A keeper finds a log.", **brief}))
        if sample:
            with BookStorage(self.database, book.id, book.brief.language).write() as stores:
                keep_guide(guide_of_sample(sample, book.brief), book.brief, stores, DocumentOrigin.AUTHOR)
        run = RunConfig(settings, self.database, self, limits=limits or Limits())
        with suppress(BookPaused) if limits else nullcontext():
            run_book(book.id, run)
        with self.database.read() as connection:
            self.book = BookRepository(connection).get(book.id)
        self.storage = BookStorage(self.database, book.id, book.brief.language)

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        self.requests.append(request)
        return self._service.ask(request, budget, listener, on_failure)

    def close(self) -> None:
        self._service.close()
        self.database.dispose()

    def prompts(self, name: str) -> list[str]:
        """The prompts of the steps whose name begins so."""
        return ["\n\n".join(asked.prompt.blocks) for asked in self.requests if asked.name.startswith(name)]
