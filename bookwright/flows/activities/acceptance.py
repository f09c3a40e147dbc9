"""How a text becomes a unit's prose: kept, counted up the tree, learned from."""

from bookwright.agents.desk import ActivityRun
from bookwright.flows.deps import Deps
from bookwright.models.decision import Decision
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.length import LengthRecord
from bookwright.models.task import NodeStatus, TaskNode
from bookwright.storage.journal import Move
from bookwright.storage.stores import Stores


def accept(text: str, unit: TaskNode, run: ActivityRun, deps: Deps, draft: str = "") -> Move:
    """The move that makes a text the unit's prose, counts it, and learns from the draft's length."""
    written = deps.brief.language.measure(text)
    asked = run.card.ask_length
    new = NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text, inputs=run.sources)

    def move(stores: Stores, step: int) -> None:
        stores.documents.add(new, step)
        stores.nodes.change(unit.key, status=NodeStatus.WRITTEN.value, decision=Decision.PROCEED_TO_WRITE.value)
        stores.nodes.add_written(unit, written)
        if draft:
            record = LengthRecord(ratio=stores.books.length_ratio(unit.book))
            delivered = deps.brief.language.measure(draft)
            stores.books.change(unit.book, length_ratio=record.updated(asked, delivered).ratio)

    return move
