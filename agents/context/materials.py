"""Reads what each component is made of, before it is cut: documents, passages, the task itself."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bookwright.agents.cards import book_card, node_card
from bookwright.agents.context.fisheye import tasks_above
from bookwright.agents.context.origins import design_for_writer, origin_of
from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import ContextPiece
from bookwright.models.document import Document, DocumentKind
from bookwright.models.step import Activity
from bookwright.models.story.state import GlobalState
from bookwright.models.text.binding import binding_lines
from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.templates import own_template
from bookwright.storage.stores import Stores
from bookwright.storage.tree.outline import has_text_after

_QUERY_CHARACTERS = 300
_LISTS, _OPEN_POINTS = ("instructions", "input_brief", "constraints", "acceptance_criteria"), "open_points"
_LOOKING_BACK = (Activity.CLOSE, Activity.PUBLISH)
"""Whoever sums up what is written has nothing left to decide."""


def people(stores: Stores) -> tuple[str, ...]:
    """Return the people whom the state of the story names, longest names first."""
    state = stores.documents.latest(DocumentKind.GLOBAL_STATE)
    data = stores.documents.data_of(state) if state else ""
    if not data:
        return ()
    told = {name for bond in GlobalState.model_validate_json(data).relations for name in (bond.who, bond.to)}
    return tuple(sorted((name for name in told if len(name) > 1), key=lambda name: (-len(name), name)))


def queries(node: TaskNode) -> list[str]:
    """Return what to ask the index about a node: its goal, what is to be done, what it rests on.

    Open points are left out: they change with each decision, and a unit's activities are to find
    the same after a restart as before it.
    """
    found = [
        f"{node.title}: {node.goal}" if node.title else node.goal,
        " ".join(node.instructions),
        " ".join(node.input_brief),
    ]
    return [query[:_QUERY_CHARACTERS] for query in dict.fromkeys(found) if query.strip()]


def questions(place: ActivityPlace) -> list[str]:
    """Return what a model asked about the unit before it was begun; empty where none was asked."""
    asked = place.stores.documents.current(place.unit.key, DocumentKind.QUESTIONS)
    return asked.text.splitlines() if asked else []


def designs_above(place: ActivityPlace) -> list[ContextPiece]:
    """Return the designs that the units above produced, nearest first.

    The book's own stand in the book design as soon as there is one.
    """
    has_book_design = place.stores.documents.latest(DocumentKind.BOOK_DESIGN) is not None
    above = [unit for unit in place.ancestors if unit.parent is not None or not has_book_design]
    order = {unit.key: distance for distance, unit in enumerate(above)}
    found = _documents(_finished(place, order, TaskType.DESIGN), DocumentKind.DESIGN, place)
    return [piece for _, piece in sorted(found, key=lambda pair: (order[pair[0].parent or 0], pair[0].ordinal))]


def made_below(place: ActivityPlace, kind: DocumentKind) -> list[tuple[list[ContextPiece], int]]:
    """Return what the unit's finished tasks of a kind produced, oldest first, and how many there will be.

    First for the unit itself, then for each decomposed task on the way to the node: its parts are
    shown while it is worked on, its own document after that. Whoever merges the parts has them anyway.
    """
    task_type = TaskType.DESIGN if kind is DocumentKind.DESIGN else TaskType.SEARCH
    groups = []
    opened = tasks_above(place.node, place.stores)
    if place.activity is Activity.AGGREGATE:
        opened = opened[1:]
    for parent in (place.unit, *reversed(opened)):
        tasks = [task for task in place.tasks([parent.key]) if task.task_type is task_type]
        there = [task for task in tasks if task.is_finished and place.node.comes_after(order_of(task.label))]
        found = _documents(there, kind, place)
        pieces = [piece for _, piece in sorted(found, key=lambda pair: pair[1].document)]
        groups.append((pieces, len(tasks)))
    return groups


def latest_prose(place: ActivityPlace, count: int) -> list[tuple[TaskNode, Document]]:
    """Return the last `count` written units before the place with their prose, nearest first."""
    leaves = place.stores.nodes.units_before(place.unit, count, with_own=place.is_dividing)
    found = ((leaf, place.stores.documents.current(leaf.key, DocumentKind.PROSE)) for leaf in reversed(leaves))
    return [(leaf, document) for leaf, document in found if document is not None]


def findings_for_writer(place: ActivityPlace) -> list[ContextPiece]:
    """Return what was found out for a unit itself, as whoever writes its prose reads it."""
    tasks = {task.key: task for task in _finished(place, [place.unit.key], TaskType.SEARCH)}
    found = place.stores.documents.of_nodes(tasks, DocumentKind.FINDINGS)
    return [design_for_writer(document, tasks[document.node], place.locale) for document in found]


def author_brief(place: ActivityPlace, premise: str) -> str:
    """Return the author's wishes as a block's head, with a premise that may have been cut."""
    card = replace(book_card(place.brief), premise=premise)
    return own_template("story/_author_brief", place.locale).render(book=card).strip()


def entries_of(place: ActivityPlace) -> int:
    """Return how many entries the lists of the task in hand have, with what was left open above."""
    return sum(map(len, _lists(place).values()))


def printed_task(place: ActivityPlace, position: str, setting: str, left_out: int, tasks: str) -> str:
    """Return the task in hand without so many entries of its lists; `position` and `tasks` are those of its unit.

    `setting` says when its unit happens. The longest list loses its last entry first; what binds goes last of all.
    """
    lists = _lists(place)
    for _ in range(left_out):
        name = max(lists, key=lambda name: (any(map(_goes, lists[name])), len(lists[name])))
        entries = lists[name]
        gone = max((index for index, entry in enumerate(entries) if _goes(entry)), default=len(entries) - 1)
        lists[name] = entries[:gone] + entries[gone + 1 :]
    values = {
        "task": replace(
            node_card(place.node, position), instructions=lists["instructions"], input_brief=lists["input_brief"],
            constraints=lists["constraints"], acceptance_criteria=lists["acceptance_criteria"],
        ),
        "unit": None if place.node.key == place.unit.key else node_card(place.unit, position),
        "length_unit": place.brief.length_unit,
        "open_points": lists[_OPEN_POINTS],
        "left_out": left_out,
        "tasks": tasks,
        "setting": setting,
    }  # fmt: skip
    return own_template("story/_task", place.locale).render(values).strip()


def _lists(place: ActivityPlace) -> dict[str, tuple[str, ...]]:
    card = node_card(place.node)
    open_points = () if place.activity in _LOOKING_BACK else place.unit.open_points
    return {name: getattr(card, name) for name in _LISTS} | {_OPEN_POINTS: open_points}


def _goes(entry: str) -> bool:
    return not binding_lines(entry)


def state_for(place: ActivityPlace) -> Document | None:
    """Return the state of the story as a place may know it.

    What is made again, or what later text already follows, is made from the state as it was before
    that place; all else has the newest.
    """
    documents = place.stores.documents
    newest = documents.latest(DocumentKind.GLOBAL_STATE)
    if newest is None or not _is_made_late(place):
        return newest
    taken_in = documents.news_of(newest.node, DocumentKind.GLOBAL_STATE, DocumentKind.SUMMARY)
    later = next((version for version, label in taken_in if not place.node.comes_after(order_of(label))), None)
    before = [version for version, _ in taken_in if later is None or version < later]
    return documents.get(before[-1]) if before else None


def _is_made_late(place: ActivityPlace) -> bool:
    """True where the story may have gone on already past what is being made."""
    unit = place.unit
    match place.activity:
        case Activity.BRIEF:
            return bool(unit.written) or has_text_after(place.stores.connection, (unit, *place.ancestors))
        case Activity.EXECUTE | Activity.AGGREGATE:
            return bool(unit.written)
        case Activity.CLOSE:
            return unit.revision > 1
    return False


def _finished(place: ActivityPlace, parents: Iterable[int], task_type: TaskType) -> list[TaskNode]:
    return [task for task in place.tasks(parents) if task.task_type is task_type and task.is_finished]


def _documents(
    tasks: Sequence[TaskNode], kind: DocumentKind, place: ActivityPlace
) -> list[tuple[TaskNode, ContextPiece]]:
    """The documents of a kind that some tasks have, as pieces, each with its task."""
    by_key = {task.key: task for task in tasks}
    found = []
    for document in place.stores.documents.of_nodes(by_key, kind):
        task = by_key[document.node]
        heading = origin_of(task, document.kind, place.locale)
        found.append((task, ContextPiece(heading, document.text, document.id, document.node)))
    return found
