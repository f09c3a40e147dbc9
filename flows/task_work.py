"""Carrying out a task: as its blueprint says, within the time of its stage, or else in the walk's usual way."""

from collections.abc import Callable
from dataclasses import replace

from bookwright.flows.activities import execute as executing
from bookwright.flows.activities import plan as planning
from bookwright.flows.activities.outcomes import close_node
from bookwright.flows.blueprints import mending, pages, registering, reviewing
from bookwright.flows.blueprints.members import PartOf, member_of, part_of
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import MemberKind
from bookwright.models.errors import StageTimeout
from bookwright.models.tree.task import TaskNode

_BY_KIND: dict[MemberKind, Callable[[TaskNode, Deps], None]] = {
    MemberKind.SEARCH: pages.write_page,
    MemberKind.DESIGN: pages.write_page,
    MemberKind.REGISTER: registering.make_register,
    MemberKind.PAGE: pages.make_page,
    MemberKind.VERIFY: mending.verify,
    MemberKind.POLISH: mending.polish,
}


def execute(node: TaskNode, deps: Deps) -> None:
    """Do a task that is one worker's."""
    deps = within_time(node, deps)
    if is_fix(node):
        mending.mend(node, deps)
    elif node.stage:
        _BY_KIND[member_of(node, deps).kind](node, deps)
    else:
        executing.execute(node, deps)


def is_fix(node: TaskNode) -> bool:
    """True for a task that mends what a review found: its work is done on another node."""
    return bool(node.stage) and part_of(node) is PartOf.FIX


def decompose(node: TaskNode, deps: Deps) -> None:
    """Cut a complex task into its parts."""
    deps = within_time(node, deps)
    if not node.stage:
        planning.decompose(node, deps)
    elif _is_review(node, deps):
        reviewing.review(node, deps)
    else:
        pages.name_entries(node, deps)


def aggregate(node: TaskNode, deps: Deps) -> None:
    """Make one document of what a task's parts produced; the report of a review stands already."""
    deps = within_time(node, deps)
    if not node.stage:
        executing.aggregate(node, deps)
    elif _is_review(node, deps):
        deps.desk.journal.move(close_node(node))
    else:
        pages.write_overview(node, deps)


def _is_review(node: TaskNode, deps: Deps) -> bool:
    return member_of(node, deps).kind is MemberKind.REVIEW


def within_time(node: TaskNode, deps: Deps) -> Deps:
    """Return `deps` with the time limit of a task's stage; unchanged for a task without one.

    Once it is used up no further call is made and the book rests; the call in flight is awaited and kept. The time is
    that of one run: who goes on with the book has it anew.
    """
    name = node.stage.partition("/")[0]
    stages = deps.blueprint.plan.stages if deps.blueprint else ()
    stage = next((stage for stage in stages if stage.name == name), None)
    if stage is None:
        return deps
    clock, seconds = deps.desk.clock, stage.timeout
    until = clock() + seconds

    def may_ask() -> None:
        if clock() > until:
            raise StageTimeout(
                f"the task {node.label} of the stage {stage.name!r} has taken longer than the {seconds:,} seconds that "
                "its blueprint gives it (timeout); all that was answered is kept",
                f"{deps.desk.journal.way_on} goes on where it stopped, with as much time again",
            )

    return replace(deps, desk=replace(deps.desk, may_ask=may_ask))
