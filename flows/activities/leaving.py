"""The moves that store a task's document and queue it for the maintainers."""

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores


def leave_document(node: TaskNode, unit: TaskNode, made: NewDocument, run: ActivityRun, deps: Deps) -> Move:
    """The move that keeps a task's document, closes the task, and tells the maintainer of the book's design."""
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


def keeping(new: NewDocument) -> Move:
    """The move that keeps a document and changes nothing else."""

    def move(stores: Stores, step: int) -> None:
        stores.documents.add(new, step or None)

    return move


def kind_of(node: TaskNode) -> DocumentKind:
    """Return what kind of document a task is for."""
    return DocumentKind.DESIGN if node.task_type is TaskType.DESIGN else DocumentKind.FINDINGS
