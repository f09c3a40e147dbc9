"""What a blueprint keeps for a book whose last page is written: rehearsed on a sample, and scaled to the whole book."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bookwright.cli.bill import Bill, Tally
from bookwright.cli.progress import EVERY_STEP
from bookwright.flows.blueprints.members import PartOf, member_of, part_of, target_of
from bookwright.flows.blueprints.reviewing import MOST_FIXES, documents_about
from bookwright.flows.deps import Deps
from bookwright.flows.hold import Surroundings, hold
from bookwright.flows.limits import Limits
from bookwright.flows.walk import look_over
from bookwright.models.blueprint import MemberKind, When
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.storage.steps import StepLine
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


def with_last_stages(found: Tally, storage: BookStorage, around: Surroundings) -> Tally:
    """Walk what a blueprint keeps for the end on a book whose beginning alone is written, and count it.

    `found` is what the walk took so far, scaled already.
    """
    with storage.read() as stores:
        before = {line.id for line in stores.steps.lines(limit=EVERY_STEP)}
        root = stores.nodes.root()
    with hold(storage.book, replace(around, limits=Limits()), way_on="the same command") as deps:
        stages = deps.blueprint.plan.stages if deps.blueprint else ()
        last = {stage.name for stage in stages if stage.when is When.AFTER}
        if not last:
            return found
        look_over(root, deps)
        tasks = _tasks_of(last, root, deps)
        reviews = [_review(task, tasks, (root.length or 1) / max(found.written, 1), deps) for task in tasks
                   if part_of(task) is PartOf.WHOLE and member_of(task, deps).kind is MemberKind.REVIEW]  # fmt: skip
    with storage.read() as stores:
        lines = [line for line in stores.steps.lines(limit=EVERY_STEP) if line.id not in before]
    nodes = len(tasks) + sum(len(review.mended) * (review.mending - 1) for review in reviews)
    return replace(found, nodes=found.nodes + round(nodes), roles=_added(found.roles, lines, reviews))


def _tasks_of(stages: set[str], root: TaskNode, deps: Deps) -> list[TaskNode]:
    with deps.stores() as stores:
        tasks = [task for task in stores.nodes.children(root.key) if task.stage.partition("/")[0] in stages]
        return [node for task in tasks for node in (task, *stores.nodes.children(task.key))]


def _review(node: TaskNode, tasks: Iterable[TaskNode], factor: float, deps: Deps) -> _Review:
    reads = documents_about(member_of(node, deps), deps)
    read = [len(own.document.text) * (factor if own.node.is_unit else 1) for own in reads]
    fixes = [task for task in tasks if task.parent == node.key]
    with deps.stores() as stores:
        targets = [stores.nodes.by_label(target_of(fix)) for fix in fixes]
    mended = frozenset(target.label for target in targets if target.is_unit)
    most = MOST_FIXES - (len(targets) - len(mended))
    mending = max(min(factor, most / len(mended)), 1.0) if mended else 1.0
    return _Review(node, sum(read) / max(sum(len(own.document.text) for own in reads), 1), mending, mended)


def _added(roles: dict[str, Bill], lines: Iterable[StepLine], reviews: Sequence[_Review]) -> dict[str, Bill]:
    """Add steps to a bill: what reads or mends is scaled, a verification is one call however long the book is."""
    bills: dict[tuple[str, float], Bill] = defaultdict(Bill)
    for line in lines:
        bills[line.role, _factor(line, reviews)] += Bill(1, line.input_tokens, line.output_tokens)
    total = defaultdict(Bill, roles)
    for (role, factor), bill in bills.items():
        total[role] += bill.scaled(factor)
    return dict(total)


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
