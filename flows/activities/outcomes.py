"""What comes of a step: the move by which its answer changes the book, or nothing where the book can do without it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from bookwright.agents.agent import Agent
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Check, Conclude, Outcome
from bookwright.flows.deps import Deps
from bookwright.models.document import CodexUse, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.text.length import LengthRecord
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores


def try_step(
    run: ActivityRun, agent: Agent, conclude: Conclude | None = None, *, step: str = "", check: Check | None = None
) -> Outcome | None:
    """Do a step, or find it done; None where no answer of it can be used."""
    if is_given_up(run, step or agent.name):
        return None
    try:
        return run.run(agent, conclude, step=step, check=check)
    except (NoResult, RequestRejected):
        return None


def is_given_up(run: ActivityRun, step: str) -> bool:
    """True for a step with so many useless answers that it is not asked again."""
    return run.failures(step) > run.desk.settings.max_repairs


def is_last_try(run: ActivityRun, step: str) -> bool:
    """True for a step whose next answer is taken as it is, if it can be taken at all."""
    return run.failures(step) >= run.desk.settings.max_repairs


def as_move(record: Callable[[Any, Stores, int], None]) -> Conclude:
    """Return what concludes a step whose answer is recorded by a function of the answer, the stores and the step."""
    return lambda answer: partial(record, answer)


def no_move(stores: Stores, step: int) -> None:
    """A move that changes nothing."""


def both(first: Move, second: Move) -> Move:
    """Make two moves in one transaction."""

    def move(stores: Stores, step: int) -> None:
        first(stores, step)
        second(stores, step)

    return move


def close_node(node: TaskNode) -> Move:
    """The move that marks a node as done and changes nothing else."""
    return lambda stores, _: stores.nodes.change(node.key, status=NodeStatus.DONE.value)


def keep_document(
    node: TaskNode,
    kind: DocumentKind,
    text: str,
    data: str = "",
    inputs: tuple[int, ...] = (),
    codex: CodexUse | None = None,
) -> Move:
    """The move that keeps a document of a node and changes nothing else."""
    new = NewDocument(node=node.key, kind=kind, text=text, data=data, inputs=inputs, codex=codex)
    return lambda stores, step: stores.documents.add(new, step)


def name_book(title: str, stores: Stores, step: int) -> None:
    """Give the book a title, as its own unit's and in the library."""
    book = stores.nodes.root()
    stores.nodes.change(book.key, title=title)
    stores.books.change(book.book, title=title)


def finish_task(made: NewDocument, run: ActivityRun, deps: Deps) -> Move:
    """The move that keeps a task's document, closes the task, and tells the maintainer of the book's design."""
    node, unit = run.node, run.unit
    new = made.model_copy(update={"inputs": tuple(dict.fromkeys((*run.sources, *made.inputs)))})

    def move(stores: Stores, step: int) -> None:
        before = stores.documents.current(node.key, new.kind, with_text=False) if deps.makes_designs else None
        document = stores.documents.add(new, step)
        stores.nodes.change(node.key, status=NodeStatus.DONE.value)
        if deps.makes_designs:
            stores.nodes.add_written(node, document.length - (before.length if before else 0))
        if unit.level is Level.BOOK and node.parent == unit.key and node.task_type is TaskType.DESIGN:
            stores.queue.add(DocumentKind.BOOK_DESIGN, document.id)

    return move


def document_kind(node: TaskNode) -> DocumentKind:
    """Return what kind of document a task is for."""
    return DocumentKind.DESIGN if node.task_type is TaskType.DESIGN else DocumentKind.FINDINGS


def replace_prose(text: str, unit: TaskNode, deps: Deps) -> Move:
    """The move that puts a repaired text in the place of a unit's prose, and counts the difference."""
    written = deps.brief.language.measure(text)

    def move(stores: Stores, step: int) -> None:
        before = stores.documents.current(unit.key, DocumentKind.PROSE, with_text=False)
        new = NewDocument(
            node=unit.key, kind=DocumentKind.PROSE, text=text, base=before.version if before else None,
            inputs=tuple(stores.documents.inputs_of(before.id)) if before else (),
            codex=stores.codex_uses.of(before.id) if before else None, origin=DocumentOrigin.REPAIR,
        )  # fmt: skip
        stores.documents.add(new, step)
        stores.nodes.add_written(unit, written - stores.nodes.get(unit.key).written)

    return move


def accept_prose(
    text: str, run: ActivityRun, deps: Deps, draft: str = "", origin: DocumentOrigin = DocumentOrigin.STEP
) -> Move:
    """The move that makes a text the prose of the run's unit, counts it, and learns from the draft's length."""
    unit, written = run.unit, deps.brief.language.measure(text)
    new = NewDocument(
        node=unit.key, kind=DocumentKind.PROSE, text=text, inputs=run.sources, codex=run.guard.use, origin=origin
    )
    status = NodeStatus.DONE if unit.status is NodeStatus.DONE else NodeStatus.WRITTEN  # closed if it is written anew

    def move(stores: Stores, step: int) -> None:
        stores.documents.add(new, step)
        stores.nodes.change(unit.key, status=status.value, decision=Decision.PROCEED_TO_WRITE.value)
        stores.nodes.add_written(unit, written - stores.nodes.get(unit.key).written)
        if draft:
            record = LengthRecord(ratio=stores.books.length_ratio(unit.book))
            asked = record.to_ask(unit.length or 1)
            delivered = deps.brief.language.measure(draft)
            stores.books.change(unit.book, length_ratio=record.updated(asked, delivered).ratio)

    return move
