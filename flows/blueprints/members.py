"""Which member a task belongs to, what part of it the task is, and how long its pages are to be."""

from collections.abc import Sequence
from enum import StrEnum

from bookwright.flows.activities.unit_facts import design_allowance
from bookwright.flows.blueprints.unit_plans import in_units
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import Member
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidBlueprint
from bookwright.models.profile import ProfileName
from bookwright.models.tree.decision import Verdict
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode
from bookwright.models.tree.task import TaskNode
from bookwright.storage.files.blueprints import BlueprintFolder
from bookwright.storage.stores import Stores

_OVERVIEW_SHARE = 0.1
"""Of a member's length, for the page that introduces its entries."""

_SHORTEST, _LONGEST = 0.6, 1.6
"""How far a member's length may be from its own share, however much those before it have missed."""

_LEAST_PAGE = 40
"""Words below which a page says nothing, however short its book is."""


class PartOf(StrEnum):
    """What a task is of its member."""

    WHOLE = ""
    ENTRY = "entry"
    FIX = "fix"


def folder_of(deps: Deps) -> BlueprintFolder:
    """Return the book's blueprint; raise `InvalidBlueprint` if its brief names none any more."""
    if deps.blueprint is None:
        raise InvalidBlueprint(
            "the book was begun with a blueprint and its brief names none now; "
            "`bookwright brief BOOK --set blueprint=...` names it again"
        )
    return deps.blueprint


def member_of(node: TaskNode, deps: Deps) -> Member:
    """Return the member that a task belongs to; raise `InvalidBlueprint` if the blueprint has it no longer."""
    found = folder_of(deps).plan.member(node.member)
    if found is None:
        raise InvalidBlueprint(
            f"the book was begun with a member {node.member!r} (node {node.label}), which the blueprint "
            f"{folder_of(deps).plan.name!r} no longer has; put it back, or name the blueprint that has it"
        )
    return found


def part_of(node: TaskNode) -> PartOf:
    """Return what a task is of its member."""
    return PartOf("/".join(node.stage.split("/")[2:3]))


def add_parts(node: TaskNode, parts: list[PlanNode], part: str, stores: Stores) -> None:
    """Make parts of a member's task tasks of their own; `part` says what they are, as `stage` has it."""
    stores.nodes.add(
        node, parts, unit=node.unit, level=Level.BOOK.value, length=None, planning_round=node.planning_round,
        verdict=Verdict.ATOM.value, stage=f"{node.stage}/{part}", stage_title=node.stage_title, folder=node.folder,
    )  # fmt: skip


def target_of(fix: TaskNode) -> str:
    """Return the label of the node whose document a task is to mend."""
    return fix.stage.split("/")[3]


def page_length(node: TaskNode, deps: Deps) -> int:
    """Return how long a task's page is to be, in the book's unit of length."""
    member = member_of(node, deps)
    if not deps.makes_designs:
        return design_allowance(deps.storage.node(node.unit or node.key), deps)
    room = member_length(member, deps)
    if part_of(node) is PartOf.ENTRY:
        assert node.parent is not None  # an entry hangs below its member
        with deps.stores() as stores:
            count = len(stores.nodes.children(node.parent))
        room = round(room * (1 - _OVERVIEW_SHARE) / max(count, 1))
    elif member.entries is not None and deps.profile.name is not ProfileName.SMALL:
        room = round(room * _OVERVIEW_SHARE)
    return max(room, _least(deps))


def member_length(member: Member, deps: Deps) -> int:
    """Return how long a member is to be, with its entries: its share of what the members before it have left."""
    members = folder_of(deps).plan.members
    before = members[: members.index(member)]
    usual = deps.brief.length * member.share / _shares(members)
    left = deps.brief.length - _length_of(before, deps)
    fair = left * member.share / max(_shares(members) - _shares(before), member.share)
    return round(min(max(fair, usual * _SHORTEST), usual * _LONGEST))


def _length_of(members: Sequence[Member], deps: Deps) -> int:
    """Return how long the pages of some members are that stand by now."""
    names = {member.name for member in members if member.is_written}
    with deps.stores() as stores:
        tasks = [task.key for task in stores.nodes.children(stores.nodes.root().key) if task.member in names]
        entries = [entry.key for task in tasks for entry in stores.nodes.children(task)]
        pages = stores.documents.of_nodes([*tasks, *entries], DocumentKind.DESIGN, DocumentKind.FINDINGS)
    return sum(page.length for page in pages)


def entries_wanted(member: Member, deps: Deps) -> tuple[int, int]:
    """Return how few and how many entries a member may name: no more than its length has room for."""
    assert member.entries is not None  # asked of no other
    least, most = member.entries.least, member.entries.most
    if deps.makes_designs:
        shortest = in_units(member.entries.words[0], deps)
        most = min(most, max(member_length(member, deps) // shortest, 1))
    return min(least, most), max(most, 1)


def entry_length(member: Member, deps: Deps) -> int:
    """Return about how long an entry is going to be, before anybody has said how many there are."""
    if not deps.makes_designs:
        with deps.stores() as stores:
            return design_allowance(stores.nodes.root(), deps)
    least, most = entries_wanted(member, deps)
    room = member_length(member, deps) * (1 - _OVERVIEW_SHARE)
    return max(round(room / ((least + most) / 2)), _least(deps))


def _least(deps: Deps) -> int:
    return in_units(_LEAST_PAGE, deps)


def _shares(members: Sequence[Member]) -> float:
    return sum(member.share for member in members if member.is_written)
