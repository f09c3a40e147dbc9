"""Books with gates, written by the rehearsal author, and what a person decides about them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import Decider, Gate
from bookwright.models.ruling import approval, rejection
from bookwright.models.step import Reply
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from tests.support.books import make_settings, new_library

SHORT = {"length": 900, "profile": "economy"}
CHAPTERS = {"length": 6_000, "profile": "economy", "max_unit_length": 2_400}
NOTE = "The keeper is a woman of sixty."


@dataclass
class Recorded:
    """An author who keeps what was asked."""

    author: ModelService
    requests: list[Request] = field(default_factory=list)

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        self.requests.append(request)
        return self.author.ask(request, budget, listener, on_failure)


@dataclass
class Desk:
    """A person's place: the book, what it was asked, and the decisions."""

    database: Database
    storage: BookStorage
    around: RunConfig
    asked: Recorded

    def run(self) -> Book:
        return run_book(self.storage.book, self.around)

    def wait(self) -> Gate:
        """Run the book to its next gate."""
        with pytest.raises(GateWaiting) as waiting:
            self.run()
        return waiting.value.gate

    def approve(self, gate: Gate, text: str | None = None) -> None:
        with self.storage.write(Failpoint.DECIDE_GATE) as stores:
            stores.gates.decide(gate.id, approval(gate, Decider.COMMAND, text=text))

    def reject(self, gate: Gate, note: str) -> None:
        with self.storage.write(Failpoint.DECIDE_GATE) as stores:
            stores.gates.decide(gate.id, rejection(gate, Decider.COMMAND, note))

    @property
    def book(self) -> Book:
        with self.database.read() as connection:
            return BookRepository(connection).get(self.storage.book)

    def steps_since(self, count: int) -> list[str]:
        """Names of the calls after the first `count`."""
        return [request.name for request in self.asked.requests[count:]]

    def prompts_since(self, count: int, name: str = "") -> list[str]:
        """The prompts of the calls after the first `count` whose names begin so, one text each."""
        later = (request for request in self.asked.requests[count:] if request.name.startswith(name))
        return ["\n".join(request.prompt.blocks) for request in later]

    def close(self) -> None:
        """Let go of what is open."""
        self.asked.author.close()
        self.database.dispose()


def sit_down(home: Path, identity: str = "", **brief: Any) -> Desk:
    """Begin a book with a brief, or go on with one that is there."""
    settings = make_settings(home, keep_vault=False)
    database = new_library(settings)
    values = {"premise": "A keeper of a lighthouse counts ships.", "length": 900, "profile": "economy", **brief}
    if identity:
        with database.read() as connection:
            book = BookRepository(connection).get(identity)
    else:
        book = find_or_create(database, make_brief(values))
    asked = Recorded(ModelService(settings))
    return Desk(
        database, BookStorage(database, book.id, book.brief.language), RunConfig(settings, database, asked), asked
    )


@dataclass
class Sit:
    """Has a person sit down to a book, new ones of a brief."""

    home: Path
    desks: list[Desk] = field(default_factory=list)

    def __call__(self, identity: str = "", **brief: Any) -> Desk:
        self.desks.append(sit_down(self.home, identity, **brief))
        return self.desks[-1]


def living(desk: Desk, *types: TaskType) -> list[TaskNode]:
    """The nodes of these types that nothing has replaced, in reading order."""
    with desk.storage.read() as stores:
        return list(stores.nodes.walk(*types))


def sums_hold(desk: Desk) -> bool:
    """Whether there is prose, and what every unit counts as written is the length of the prose below it."""
    units = living(desk, TaskType.WRITE)
    with desk.storage.read() as stores:
        lengths = {
            unit.label: document.length
            for unit in units
            if (document := stores.documents.current(unit.key, DocumentKind.PROSE))
        }
    return bool(lengths) and all(
        unit.written == sum(length for label, length in lengths.items() if f"{label}.".startswith(f"{unit.label}."))
        for unit in units
    )
