"""Mending a document in which a review found a fault: makes a new version, and reads prose into the codex again."""

from bookwright.flows.activities.extract import extract_again
from bookwright.flows.activities.unit_facts import stands_for_chapter
from bookwright.flows.blueprints.members import target_of
from bookwright.flows.deps import Deps
from bookwright.flows.revision.amend import Amendment, amend
from bookwright.flows.revision.revise import chosen
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput, NodeNotFound, NoResult, RequestRejected
from bookwright.models.step import Activity
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode


def mend(fix: TaskNode, deps: Deps) -> None:
    """Have a document changed as a review ordered; where no answer will do it stays, and the verification tells.

    The new version carries the order, so that a walk that was interrupted behind it does not change it again.
    """
    order = "\n".join(fix.instructions)
    try:
        target, old = _target(fix, deps)
        if old.note != order or not _is_newer_than_report(old, fix, deps):
            amend(target, old, Amendment(order, DocumentOrigin.NOTE), deps)
        if old.kind is DocumentKind.PROSE:
            chapter = _chapter_of(target, deps)
            deps.observer.run(Activity.REVIEW, chapter, lambda: extract_again(chapter, deps))
    except (NodeNotFound, InvalidInput, NoResult, RequestRejected):
        pass  # gone meanwhile, nothing that its writer may hear of, or no answer: what is open the verification tells
    deps.desk.journal.move(lambda stores, _: stores.nodes.change(fix.key, status=NodeStatus.DONE.value))


def _target(fix: TaskNode, deps: Deps) -> tuple[TaskNode, Document]:
    """Return what is to be mended; of a unit that is in parts, its last one."""
    with deps.stores() as stores:
        target = stores.nodes.by_label(target_of(fix))
        while parts := stores.nodes.children(target.key, TaskType.WRITE):
            target = parts[-1]
        return target, chosen(stores, target, None)


def _is_newer_than_report(document: Document, fix: TaskNode, deps: Deps) -> bool:
    """True for a version that came after the report that orders it; an older one was ordered the same once before."""
    assert fix.parent is not None  # a review made it
    with deps.stores() as stores:
        report = stores.documents.current(fix.parent, DocumentKind.REPORT, with_text=False)
    return report is None or document.id > report.id


def _chapter_of(leaf: TaskNode, deps: Deps) -> TaskNode:
    """Return the chapter that a unit lies in, or what stands in a chapter's place."""
    return next((unit for unit in (leaf, *deps.storage.above(leaf)) if stands_for_chapter(unit, deps)), leaf)
