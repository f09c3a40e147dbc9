"""What several benches build: an asker that costs nothing, a context that is empty, a held book."""

import json
import logging
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.context.builder import Context
from bookwright.agents.steps.desk import Asker
from bookwright.flows import walk_steps
from bookwright.flows.activities.prompt_sizes import condense
from bookwright.flows.deps import Deps
from bookwright.flows.library import find_or_create, opened_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.walk import write_unit
from bookwright.models.brief import make_brief
from bookwright.models.codex.extraction import DesignExtraction, Extraction
from bookwright.models.settings import Settings, load_settings
from bookwright.models.step import Activity, Reply, Usage
from bookwright.models.story.quality import QualityJudgement, Scores
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.story.state import Ending, GlobalState, Promise, Settled
from bookwright.models.text.changes import Changes
from bookwright.models.tree.decision import Choice, Decision, FlowDecision, Questions, Routing, TitleAndBlurb
from bookwright.models.tree.plan import PlanOutput
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import Card
from bookwright.prompts.render import render, render_system

_LEASE_SECONDS = 600.0
_WORD_LETTERS = 6
_POOL_WORDS = 40_000
_REPLY_WORDS = 290
"""Words of 6 letters that make 2 KB."""
_PROSE = ("draft", "draft.again", "revise", "refine")
"""Steps of the activity `write` that are answered with a unit's prose."""


_RANDOM = random.Random(1)
POOL = ["".join(_RANDOM.choices(ascii_lowercase, k=_WORD_LETTERS)) for _ in range(_POOL_WORDS)]
"""Words that nobody knows, made at import, so that no clock of a bench runs meanwhile."""

logging.getLogger("bookwright").addHandler(logging.NullHandler())  # what a null book lacks is no news of a bench


class EnoughAsked(BaseException):
    """Ends a walk at a wanted step, as a kill would: no handler of the engine's takes it for a fault."""


class NoContext:
    """Knows nothing of the book, so that prompts stay fixed."""

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, *only: str) -> Context:
        """Return an empty context."""
        return Context(blocks=(), sources=(), stable=0)


_SCORES = Scores(**dict.fromkeys(Scores.model_fields, 0.75))


@dataclass
class NullAsker:
    """Answers at once with 2 KB that nobody has to think of, and keeps the time of each call.

    Plans hold three atoms, divisions one child or all, decisions follow the length, prose has the
    length that was asked for.
    """

    stop_after: int | None = None
    times_prompts: bool = False
    """Render each prompt once more, to learn what that costs."""
    calls: int = 0
    cpu: list[float] = field(default_factory=list)
    """CPU seconds of this process when each call came."""
    on_call: Callable[[Request], None] = lambda request: None
    """Hears of each call before it is answered; may raise `EnoughAsked`."""
    nodes: int = 1
    """Nodes that the answers so far have made, the book among them."""
    text_bytes: int = 0
    prompt_cpu: float = 0.0
    """CPU seconds that rendering the prompts took, once."""
    own_cpu: float = 0.0
    """CPU seconds spent in here."""

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer, or end the walk.

        Raises:
            EnoughAsked: This call is past the last one wanted.
        """
        if self.stop_after is not None and self.calls >= self.stop_after:
            raise EnoughAsked
        began = time.process_time()
        self.calls += 1
        self.cpu.append(began)
        self.on_call(request)
        text = self._answer(request, request.facts["card"])
        self.text_bytes += len(text.encode())
        if self.times_prompts:
            self._render(request, request.facts["card"])
        self.own_cpu += time.process_time() - began
        return Reply(text=text, model=request.model, usage=Usage(input_tokens=700, output_tokens=500), cost=0)

    def _render(self, request: Request, card: Card) -> None:
        began = time.process_time()
        render(request.facts["template"], card)
        render_system(card.book)
        self.prompt_cpu += time.process_time() - began

    def _answer(self, request: Request, card: Card) -> str:
        if request.output is None:
            is_prose = request.facts["step"] in _PROSE and request.facts["activity"] == "write"
            return self._words(card.ask_length if is_prose else _REPLY_WORDS)
        if request.output is PlanOutput:
            return self._plan(request.facts["activity"], card)
        if request.output is FlowDecision:
            fits = card.unit.length <= card.usual_child_length
            decision = Decision.PROCEED_TO_WRITE if fits else Decision.DIVIDE_HIERARCHY
            return FlowDecision(reasoning=self._words(_REPLY_WORDS), decision=decision).model_dump_json()
        if request.output is Routing:
            return json.dumps({"reasoning": self._words(_REPLY_WORDS), "expert": "generalist"})
        if request.output is Questions:
            return Questions(questions=(self._words(12), self._words(12, 1))).model_dump_json()
        if request.output is GlobalState:
            promise = Promise(promise=self._words(20))
            state = GlobalState(aim=self._words(20), conflict=self._words(20), promises=(promise,))
            return state.model_copy(update={"settled": self._settled(request)}).model_dump_json()
        if request.output is TitleAndBlurb:
            return TitleAndBlurb(blurb=self._words(100), title=self._words(4)).model_dump_json()
        return self._judge(request)

    def _judge(self, request: Request) -> str:
        """Answer as one who reads a text: content with it, and of the first of two."""
        if request.output is QualityJudgement:
            return QualityJudgement(scores=_SCORES, assessment=self._words(40)).model_dump_json()
        if request.output is Choice:
            return Choice(reasoning=self._words(40), better="A").model_dump_json()
        if request.output is Retelling:
            return Retelling(happened=self._words(_REPLY_WORDS)).model_dump_json()
        assert request.output in (DesignExtraction, Extraction, RepairOrders, Changes), request.output
        return "{}"

    def _settled(self, request: Request) -> tuple[Settled, ...]:
        """Settle whatever the state that stands before the step still promises."""
        shown = [artefact.text for artefact in request.facts["artefacts"] if artefact.tag == "current_document"]
        before = GlobalState.model_validate_json(shown[0]).promises if shown and shown[0] else ()
        return tuple(Settled(id=promise.id, ending=Ending.KEPT) for promise in before)

    def _plan(self, activity: str, card: Card) -> str:
        is_division = activity == "divide"
        count = 3
        if is_division:
            count = 1 if card.is_incremental else max(round(card.unit.length / card.usual_child_length), 2)
        self.nodes += count
        tasks: list[dict[str, Any]] = [
            {
                "task_type": "write" if is_division else "design", "title": self._words(3, place),
                "goal": self._words(12, place), "complexity_score": 2,
                "length": card.usual_child_length if is_division else None,
            }
            for place in range(count)
        ]  # fmt: skip
        return json.dumps({"reasoning": self._words(max(_REPLY_WORDS - 25 * count, 20)), "sub_tasks": tasks})

    def _words(self, count: int, place: int = 0) -> str:
        """Some words that no other call, and no other place in its answer, has got."""
        start = (self.calls * 977 + place * 31) % (_POOL_WORDS - count)
        return f"{POOL[start].capitalize()}{self.calls} " + " ".join(POOL[start + 1 : start + count]) + "."


@dataclass
class HeardAsker:
    """Hands on what it is asked, once somebody has heard of it."""

    models: Asker
    on_call: Callable[[Request], None]

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Tell of the request and have it answered."""
        self.on_call(request)
        return self.models.ask(request, budget, listener, on_failure)


NULL_BOOK: dict[str, Any] = {
    "length": 5_000_000, "max_unit_length": 300, "max_planning_rounds": 1, "title": "The Null Book",
}  # fmt: skip
"""Far longer than any run, of units of 300 words: every run is cut at a number of steps."""


def walk_null_book(home: Path, asker: NullAsker, *, lease_seconds: float = _LEASE_SECONDS) -> None:
    """Begin the null book, or go on with it, until the asker has had enough."""
    settings = make_settings(home, "rehearsal:exact", lease_seconds)
    with suppress(EnoughAsked), held_book(settings, asker, **NULL_BOOK) as deps:
        walk(deps)


def make_settings(home: Path, model: str, lease_seconds: float = _LEASE_SECONDS) -> Settings:
    """Settings of a library of a bench's own; no folder of files is kept up beside it."""
    return load_settings(
        home=home, model=model, embedding="hashing", free_megabytes=0, lease_seconds=lease_seconds, keep_vault=False
    )


@contextmanager
def counted_queries() -> Iterator[list[int]]:
    """Count the SQL statements of this process, of all engines; the list holds one number."""
    found = [0]

    def count(*arguments: object) -> None:
        found[0] += 1

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", count)


@contextmanager
def counted_rows() -> Iterator[list[int]]:
    """Count the rows that this process reads from SQLite, by connections made meanwhile; the list holds one number."""
    found = [0]

    def row(_: object, values: tuple[Any, ...]) -> tuple[Any, ...]:
        found[0] += 1
        return values

    def listen(connection: Any, _: object) -> None:
        connection.row_factory = row

    event.listen(Engine, "connect", listen)
    try:
        yield found
    finally:
        event.remove(Engine, "connect", listen)


@contextmanager
def counted_files(folder: Path) -> Iterator[list[int]]:
    """Count how often a file below a folder is opened to be written; the list holds one number."""
    found, is_over = [0], False

    def hear(name: str, values: tuple[Any, ...]) -> None:
        if is_over or name != "open" or not isinstance(values[0], str | os.PathLike):
            return
        is_written = values[2] & (os.O_WRONLY | os.O_RDWR)
        found[0] += bool(is_written) and Path(values[0]).is_relative_to(folder)

    sys.addaudithook(hear)  # for as long as the process lives: nothing takes it off
    try:
        yield found
    finally:
        is_over = True


@contextmanager
def held_book(settings: Settings, models: Asker, *, with_context: bool = False, **brief: Any) -> Iterator[Deps]:
    """Open a library, find or create the book of that brief, and hold it; by default without a context."""
    values = {"premise": "A keeper counts the lamps of a harbour that has none.", "profile": "standard"} | brief
    with opened_library(settings) as database:
        book = find_or_create(database, make_brief(values))
        with hold_book(book.id, RunConfig(settings, database, models)) as deps:
            yield deps if with_context else replace(deps, desk=replace(deps.desk, contexts=NoContext()))


def write_whole(deps: Deps) -> None:
    """Write a held book from where it stands to its blurb, as a run does."""
    condense(deps)
    walk_steps.publish(walk(deps), deps)


def walk(deps: Deps) -> TaskNode:
    """Walk the tree of a held book from where it stands; return its root, as it was before."""
    with deps.stores() as stores:
        root = stores.nodes.root()
    write_unit(root, deps)
    return root
