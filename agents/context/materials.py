"""Reads what each component is made of, before it is cut: documents, passages, the task itself.

Each piece stands under a line that says whose it is: with labels for those who plan, in words for who writes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from bookwright.agents.cards import book_card, node_card
from bookwright.agents.context.fisheye import tasks_above
from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import ContextPiece
from bookwright.models.document import Document, DocumentKind
from bookwright.models.step import Activity
from bookwright.models.story.state import GlobalState
from bookwright.models.text.binding import binding_lines
from bookwright.models.text.prose import paragraphs
from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_part
from bookwright.storage.index.chunks import LIMIT, weigh
from bookwright.storage.index.passages import Passage
from bookwright.storage.stores import Stores
from bookwright.storage.tree.outline import has_text_after

_QUERY_CHARACTERS = 300
_LISTS, _OPEN_POINTS = ("instructions", "input_brief", "constraints", "acceptance_criteria"), "open_points"
_LOOKING_BACK = (Activity.CLOSE, Activity.PUBLISH)
"""Whoever sums up what is written has nothing left to decide."""

_TITLE_CHARACTERS = 60

_MOST_LINE = 3 * LIMIT
"""Weight of a line that is printed whole where a passage of it was found."""

_KNOWN_TEXTS = 128

_WORD = re.compile(r"[^\W_]+")


def people(stores: Stores) -> tuple[str, ...]:
    """Return the people whom the state of the story names, longest names first."""
    data = stores.documents.data_of(stores.documents.latest(DocumentKind.GLOBAL_STATE))
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


def findings_for_writer(place: ActivityPlace) -> list[ContextPiece]:
    """Return what was found out for a unit itself, as whoever writes its prose reads it."""
    tasks = {task.key: task for task in _finished(place, [place.unit.key], TaskType.SEARCH)}
    found = place.stores.documents.of_nodes(tasks, DocumentKind.FINDINGS)
    return [design_for_writer(document, tasks[document.node], place.locale) for document in found]


def author_brief(place: ActivityPlace, premise: str) -> str:
    """Return the author's wishes as a block's head, with a premise that may have been cut."""
    card = replace(book_card(place.brief), premise=premise)
    return render_part("story/_author_brief", place.locale, book=card)


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
    return render_part("story/_task", place.locale, **values)


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
    found = ((by_key[document.node], document) for document in place.stores.documents.of_nodes(by_key, kind))
    return [
        (task, ContextPiece(origin_of(task, made.kind, place.locale), made.text, made.id, made.node))
        for task, made in found
    ]


def summaries_of(units: Sequence[TaskNode], place: ActivityPlace) -> list[ContextPiece]:
    """Return the whole summaries of some units as pieces, in reading order."""
    by_key = {unit.key: unit for unit in units}
    found = place.stores.documents.of_nodes(by_key, DocumentKind.SUMMARY)
    pieces = [_summary_piece(document, by_key[document.node], place) for document in found]
    return sorted(pieces, key=lambda piece: piece.order)


def _summary_piece(summary: Document, unit: TaskNode, place: ActivityPlace) -> ContextPiece:
    heading = _heading_for(place, unit.label, unit.level, summary.kind, unit.title or unit.goal)
    return ContextPiece(heading, summary.text, summary.id, summary.node, unit.order)


def pieces_of(passages: Sequence[Passage], place: ActivityPlace) -> list[ContextPiece]:
    """Return the lines that retrieved passages are from, each once, with their origin, to be printed in reading order.

    A line stands whole unless it is a long paragraph, of which the passage is enough.
    """
    by_node = {passage.node for passage in passages}
    kinds = dict.fromkeys(passage.kind for passage in passages)
    texts = {document.id: document.text for document in place.stores.documents.of_nodes(by_node, *kinds)}
    found: dict[str, ContextPiece] = {}
    for passage in passages:
        heading = _heading_for(place, passage.label, passage.level, passage.kind, passage.title or passage.goal)
        for number, line in whole_lines(texts.get(passage.document, passage.text), passage.text):
            at = (*passage.order, 0, passage.document, number)
            found.setdefault(wording(line), ContextPiece(heading, line, passage.document, passage.node, at))
    return list(found.values())


def whole_lines(text: str, passage: str) -> list[tuple[int, str]]:
    """Return the lines of a text that a passage of it is from, with their numbers; of a long one the passage's part."""
    lines, wordings = _lines(text)
    found: dict[int, str] = {}
    for part in passage.split("\n"):
        told = wording(part)
        at = next((number for number, known in enumerate(wordings) if told and told in known), len(lines))
        is_short = at < len(lines) and weigh(lines[at]) <= _MOST_LINE
        found.setdefault(at, lines[at] if is_short else part)
    return list(found.items())


@lru_cache(_KNOWN_TEXTS)
def _lines(text: str) -> tuple[list[str], list[str]]:
    """The lines of a text, and what each says: passages of one text are found many at a time, and again."""
    lines = paragraphs(text)
    return lines, list(map(wording, lines))


def wording(line: str) -> str:
    """Return what a line says, without its bullets, marks and case: the same line in two documents is one."""
    return " ".join(_WORD.findall(line)).casefold()


def design_for_writer(document: Document, task: TaskNode, locale: str) -> ContextPiece:
    """Return a design under its task's title, as whoever writes prose reads it."""
    heading = _plain_heading(task.level, document.kind, task.title or task.goal, 0, locale)
    return ContextPiece(heading, document.text, document.id, document.node)


def origin_of(node: TaskNode, kind: str, locale: str) -> str:
    """Return the line that says whose text follows, such as `[1.2 chapter summary: The Door]`."""
    return _heading(node.label, node.level, kind, node.title or node.goal, locale)


def _heading_for(place: ActivityPlace, label: str, level: str, kind: str, title: str) -> str:
    if not place.is_for_writer:
        return _heading(label, level, kind, title, place.locale)
    chapters = place.reading.chapters
    number = chapters.index(label) + 1 if label in chapters else 0
    return _plain_heading(level, kind, title, number, place.locale)


def _heading(label: str, level: str, kind: str, title: str, locale: str) -> str:
    return render_part("story/_origin", locale, label=label, level=level, kind=kind, title=title[:_TITLE_CHARACTERS])


def _plain_heading(level: str, kind: str, title: str, number: int, locale: str) -> str:
    """Return a heading in words, for eyes that know no labels, such as `Chapter 3, The Door: summary`."""
    title = title[:_TITLE_CHARACTERS]
    return render_part("story/_heading", locale, level=level, kind=kind, title=title, number=number)
