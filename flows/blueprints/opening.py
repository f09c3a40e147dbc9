"""Opening the tree: the members of a blueprint become tasks of the book, in order, without anybody being asked."""

from collections.abc import Iterable, Sequence

from bookwright.agents.blueprints.wording import localised
from bookwright.exports.vault.names import brief_locale
from bookwright.flows import gates
from bookwright.flows.blueprints.members import folder_of, is_of_this_end, member_of
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import Member, MemberKind, Stage, When
from bookwright.models.document import DocumentKind
from bookwright.models.tree.decision import Verdict
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores


def opens(unit: TaskNode, deps: Deps) -> bool:
    """True for a book that is to be opened by its blueprint and is not yet."""
    if deps.blueprint is None or unit.parent is not None:
        return False
    return bool(_stages(When.BEFORE, deps)) and not _staged(unit, When.BEFORE, deps)


def open_tree(book: TaskNode, deps: Deps) -> None:
    """Make every member of the stages before the prose a task, as the book's first round."""

    def move(stores: Stores, step: int) -> None:
        gates.open_outline(book, stores, deps)
        _add(stores, book, When.BEFORE, 1, deps)
        stores.nodes.change(book.key, planning_round=1)

    deps.desk.journal.move(move)


def open_last_stages(book: TaskNode, deps: Deps) -> None:
    """Make the members of the stages after the last page tasks, once the prose stands.

    Where they are, and were done for a book that has been gone on with since, they are opened again.
    """
    if deps.blueprint is None or not _stages(When.AFTER, deps):
        return
    tasks = _staged(book, When.AFTER, deps)
    if not tasks:
        deps.desk.journal.move(lambda stores, _: _add(stores, book, When.AFTER, max(book.planning_round, 1), deps))
    elif _tell_of_less(tasks, deps):
        deps.desk.journal.move(lambda stores, _: _open_again(stores, tasks, deps))


def _stages(when: When, deps: Deps) -> list[Stage]:
    return [stage for stage in folder_of(deps).plan.stages if stage.when is when]


def _staged(book: TaskNode, when: When, deps: Deps) -> list[TaskNode]:
    """Return the tasks of the stages of that time; all are made in one move."""
    names = {stage.name for stage in _stages(when, deps)}
    with deps.stores() as stores:
        tasks = stores.nodes.children(book.key, TaskType.DESIGN, TaskType.SEARCH)
    return [task for task in tasks if task.stage.split("/")[0] in names]


def _tell_of_less(tasks: Sequence[TaskNode], deps: Deps) -> bool:
    """True if all tasks are done, but for an earlier and shorter form of the book."""
    with deps.stores() as stores:
        left = stores.documents.of_nodes([task.key for task in tasks], *DocumentKind)
        is_past = not any(is_of_this_end(document, stores) for document in left)
    return is_past and all(task.status is NodeStatus.DONE for task in tasks)


def _open_again(stores: Stores, tasks: Iterable[TaskNode], deps: Deps) -> None:
    """Have tasks done once more; what they were cut into then is cut anew."""
    for task in tasks:
        stores.nodes.replace_below(task.key)
        verdict = _verdict(member_of(task, deps), deps)
        stores.nodes.change(task.key, status=NodeStatus.OPEN.value, revision=task.revision + 1, verdict=verdict.value)


def _add(stores: Stores, book: TaskNode, when: When, planning_round: int, deps: Deps) -> None:
    locale = brief_locale(deps.brief)
    for stage in _stages(when, deps):
        for member in stage.members:
            plan = PlanNode(
                task_type=TaskType.SEARCH if member.kind is MemberKind.SEARCH else TaskType.DESIGN,
                title=localised(member.titles, locale)[:120],
                goal=localised(member.goals, locale)[:1200],
                acceptance_criteria=member.acceptance,
            )
            folders = member.folders or stage.folders
            stores.nodes.add(
                book, [plan], unit=book.key, level=Level.BOOK.value, length=None,
                planning_round=planning_round, verdict=_verdict(member, deps).value,
                stage=f"{stage.name}/{member.name}", stage_title=localised(stage.titles, locale),
                folder=localised(folders, locale) if folders else "",
            )  # fmt: skip


def _verdict(member: Member, deps: Deps) -> Verdict:
    """A review is taken apart by code; entries by a model, but for a weak one, who writes one page of them all."""
    has_parts = member.kind is MemberKind.REVIEW or (member.entries and not deps.profile.is_small)
    return Verdict.COMPLEX if has_parts else Verdict.ATOM
