"""What comes at the end of a book and of its blueprint: rehearsed on a sample, and scaled to the whole book."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bookwright.app.estimates.bill import Bill, Tally, by_role
from bookwright.app.status.progress import EVERY_STEP
from bookwright.flows import walk_steps
from bookwright.flows.blueprints.members import PartOf, member_of, part_of, target_of
from bookwright.flows.blueprints.reviewing import MOST_FIXES, documents_about
from bookwright.flows.deps import Deps
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.stopping import Limits
from bookwright.flows.walk import look_over
from bookwright.models.blueprint import MemberKind, When
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage


@dataclass(frozen=True)
class _Review:
    """A review of the sample, and how much more of each thing one of the whole book has."""

    node: TaskNode
    reading: float
    """Of its calls: prose grows with the book, pages do not."""
    mending: float
    """Of what mending its prose takes, likewise, but for what is more than a review may have mended."""
    mended: frozenset[str]
    """Labels of the units whose prose was mended."""


def with_end(found: Tally, storage: BookStorage, around: RunConfig, length: int) -> Tally:
    """Close, look over and publish a book whose beginning alone is written, and count it.

    `found` is what the walk took so far, scaled already; `length` is that of the whole book.
    """
    with storage.read() as stores:
        root = stores.nodes.root()
    factor = max(length / max(root.written, 1), 1.0)
    with hold_book(storage.book, replace(around, limits=Limits()), way_on="the same command") as deps:
        closing = new_lines(storage, lambda: walk_steps.close(root, deps))
        looking = new_lines(storage, lambda: look_over(root, deps))
        publishing = new_lines(storage, lambda: walk_steps.publish(root, deps))
        nodes, reviews = _looked_over(root, factor, deps)
    many = len(nodes) + sum(len(review.mended) * (review.mending - 1) for review in reviews)
    looked = {line.id for line in looking}  # of these what reads or mends is scaled; a verification is one call
    end = by_role([*closing, *looking, *publishing], lambda line: _factor(line, reviews) if line.id in looked else 1.0)
    roles = {role: found.roles.get(role, Bill()) + end.get(role, Bill()) for role in found.roles | end}
    return replace(found, nodes=found.nodes + round(many), roles=roles)


def new_lines(storage: BookStorage, work: Callable[[], object]) -> list[StepLine]:
    """Do something and return the steps that it left, the oldest first."""
    with storage.read() as stores:
        newest = max((line.id for line in stores.steps.last(1)), default=0)
    work()
    with storage.read() as stores:
        return list(stores.steps.lines(after=newest, limit=EVERY_STEP))


def _looked_over(root: TaskNode, factor: float, deps: Deps) -> tuple[list[TaskNode], list[_Review]]:
    """Return the tasks of the last stages, and the reviews among them."""
    stages = deps.blueprint.plan.stages if deps.blueprint else ()
    last = {stage.name for stage in stages if stage.when is When.AFTER}
    with deps.stores() as stores:
        members = [task for task in stores.nodes.children(root.key) if task.stage.partition("/")[0] in last]
        nodes = [node for task in members for node in (task, *stores.nodes.children(task.key))]
    return nodes, [_review(node, nodes, factor, deps) for node in nodes
                   if part_of(node) is PartOf.WHOLE and member_of(node, deps).kind is MemberKind.REVIEW]  # fmt: skip


def _review(node: TaskNode, nodes: Iterable[TaskNode], factor: float, deps: Deps) -> _Review:
    reads = documents_about(member_of(node, deps), deps)
    read = [len(own.document.text) * (factor if own.node.is_unit else 1) for own in reads]
    fixes = [task for task in nodes if task.parent == node.key]
    with deps.stores() as stores:
        targets = [stores.nodes.by_label(target_of(fix)) for fix in fixes]
    mended = frozenset(target.label for target in targets if target.is_unit)
    most = MOST_FIXES - (len(targets) - len(mended))
    mending = max(min(factor, most / len(mended)), 1.0) if mended else 1.0
    return _Review(node, sum(read) / max(sum(len(own.document.text) for own in reads), 1), mending, mended)


def _factor(line: StepLine, reviews: Sequence[_Review]) -> float:
    for review in reviews:
        if line.label == review.node.label and line.activity == Activity.REVIEW:
            return review.reading
        if any(_is_for(line, label) for label in review.mended):
            return review.mending
    return 1.0


def _is_for(line: StepLine, unit: str) -> bool:
    """True for a step at a unit, below it, or at the chapter that it lies in, but not for one of the book itself."""
    is_above = "." in line.label and f"{unit}.".startswith(f"{line.label}.")
    return is_above or f"{line.label}.".startswith(f"{unit}.")
