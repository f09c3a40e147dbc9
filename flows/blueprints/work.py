"""Does a task of a blueprint by the kind of its member."""

from collections.abc import Callable

from bookwright.flows.blueprints import fixing, made_pages, pages, polishing, registering, reviewing, verifying
from bookwright.flows.blueprints.members import PartOf, member_of, part_of
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import MemberKind
from bookwright.models.tree.task import TaskNode

_DOES: dict[MemberKind, Callable[[TaskNode, Deps], None]] = {
    MemberKind.SEARCH: pages.write_page,
    MemberKind.DESIGN: pages.write_page,
    MemberKind.REGISTER: registering.lay_down,
    MemberKind.PAGE: made_pages.make_page,
    MemberKind.VERIFY: verifying.verify,
    MemberKind.POLISH: polishing.polish,
}


def is_fix(node: TaskNode) -> bool:
    """True for a task that mends what a review found."""
    return bool(node.stage) and part_of(node) is PartOf.FIX


def execute(node: TaskNode, deps: Deps) -> None:
    """Do a task that is one worker's."""
    if is_fix(node):
        fixing.mend(node, deps)
    else:
        _DOES[member_of(node, deps).kind](node, deps)


def decompose(node: TaskNode, deps: Deps) -> None:
    """Name the parts of a task that has some."""
    parted = reviewing.review if member_of(node, deps).kind is MemberKind.REVIEW else pages.name_entries
    parted(node, deps)


def aggregate(node: TaskNode, deps: Deps) -> None:
    """Make one document of the parts."""
    merged = reviewing.conclude_review if member_of(node, deps).kind is MemberKind.REVIEW else pages.introduce
    merged(node, deps)
