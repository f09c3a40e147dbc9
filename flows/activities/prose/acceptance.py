"""The moves by which a text becomes a unit's prose: stored, counted up the tree, its length learned from."""

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.text.length import LengthRecord
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores


def no_move(stores: Stores, step: int) -> None:
    """A move that changes nothing."""


def both(first: Move, second: Move) -> Move:
    """Make two moves in one transaction."""

    def move(stores: Stores, step: int) -> None:
        first(stores, step)
        second(stores, step)

    return move


def exchange(text: str, unit: TaskNode, deps: Deps, origin: DocumentOrigin = DocumentOrigin.STEP) -> Move:
    """The move that puts a text in the place of a unit's prose, and counts the difference."""
    written = deps.brief.language.measure(text)

    def move(stores: Stores, step: int) -> None:
        before = stores.documents.current(unit.key, DocumentKind.PROSE, with_text=False)
        new = NewDocument(
            node=unit.key, kind=DocumentKind.PROSE, text=text, base=before.version if before else None,
            inputs=tuple(stores.documents.inputs_of(before.id)) if before else (),
            codex=stores.codex_uses.of(before.id) if before else None, origin=origin,
        )  # fmt: skip
        stores.documents.add(new, step)
        stores.nodes.add_written(unit, written - stores.nodes.get(unit.key).written)

    return move


def accept(
    text: str, unit: TaskNode, run: ActivityRun, deps: Deps, draft: str = "",
    origin: DocumentOrigin = DocumentOrigin.STEP,
) -> Move:  # fmt: skip
    """The move that makes a text the unit's prose, counts it, and learns from the draft's length."""
    written = deps.brief.language.measure(text)
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
