"""Walks by a small blueprint, with the rehearsal author in place of a model."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.rehearsal.backend import RehearsalBackend
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.failpoints import Failpoint
from bookwright.flows import walk_steps
from bookwright.flows.deps import Deps
from bookwright.flows.library import open_library
from bookwright.flows.walk import look_over, write_unit
from bookwright.models.document import Document, DocumentKind
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity, Reply
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.books import BookRepository
from tests.flows.walking import begin
from tests.support.at_once import at_once

PREMISES = {
    "en": "A keeper finds a log that is written in her own hand.",
    "zh": "一個守塔人在舊日誌裡讀到自己的筆跡。",
    "ja": "灯台守が古い日誌に自分の筆跡を見つける。",
    "ko": "등대지기가 낡은 일지에서 자기 글씨를 발견한다.",
}


@dataclass
class Rehearsing:
    """Answers every step, or lets a test answer some, and keeps every request."""

    home: Path
    answers: dict[str, Callable[[Request], Any]] = field(default_factory=dict)
    """By the last part of the request's name."""
    before: Callable[[Request], None] = lambda request: None
    amending: Callable[[str], str] | None = None
    """What becomes of a text that is to be changed."""
    requests: list[Request] = field(default_factory=list)

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer at once."""
        self.before(request)
        self.requests.append(request)
        step = request.name.rpartition("/")[2]
        if step.startswith("amend.") and self.amending is not None:
            text = next(made.text for made in request.facts["artefacts"] if made.tag == "text")
            return Reply(text=self.amending(text), model=request.model, cost=0)
        answer = self.answers.get(step)
        if answer is not None:
            said = answer(request)
            return Reply(text=said if isinstance(said, str) else said.model_dump_json(), model=request.model, cost=0)
        rehearsed = replace(request, model="rehearsal:exact")
        return at_once(self._author.complete(rehearsed, listener))

    @cached_property
    def _author(self) -> RehearsalBackend:
        return RehearsalBackend(load_settings(home=self.home))


@dataclass
class Intervals:
    """An observer that keeps when each piece of work on a task began and ended, and what was there at each close."""

    clock: int = 0
    worked: list[tuple[str, int, int]] = field(default_factory=list)
    closed: Callable[[TaskNode, Deps], None] = lambda unit, deps: None

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do it between two ticks."""
        self.clock += 1
        start = self.clock
        work()
        self.clock += 1
        if not node.is_unit:
            self.worked.append((node.stage, start, self.clock))

    def finished(self, unit: TaskNode, deps: Deps) -> None:
        """Tell the test."""
        self.closed(unit, deps)


def write_book(root: TaskNode, deps: Deps) -> None:
    """Take the whole walk of a book."""
    write_unit(root, deps)
    look_over(root, deps)
    walk_steps.publish(root, deps)


def begun(folder: Path, home: Path, models: Rehearsing, **values: Any) -> tuple[TaskNode, Deps]:
    """Begin a book by a blueprint's folder."""
    language = values.get("language", "en")
    usual = {"blueprint": str(folder), "premise": PREMISES[language], "length": 1_200, "profile": "economy"}
    return begin(home, models, **(usual | values))


def let_go(home: Path) -> None:
    """Take a book from a worker that is gone."""
    database = open_library(load_settings(home=home))
    with database.write(Failpoint.EDIT_BOOK) as connection:
        books = BookRepository(connection)
        books.change(books.all()[0].id, lease_owner=None)
    database.dispose()


def document(label: str, kind: DocumentKind, deps: Deps) -> Document:
    """Return the current document of a node."""
    with deps.stores() as stores:
        found = stores.documents.current(stores.nodes.by_label(label).key, kind)
    assert found is not None
    return found


def staged(deps: Deps) -> list[TaskNode]:
    """Return all tasks of members, in reading order."""
    with deps.stores() as stores:
        return [node for node in stores.nodes.walk() if node.stage]
