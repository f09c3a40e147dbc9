"""The tree as a fisheye sees it: what is near in lines, what is far as a number, bounded however large the book.

Every ancestor among its sibling units, finished ones with what came of them; then the unit's own
tasks and parts. The tasks change while the unit is planned and all else stands still, so most steps
get the two apart. Source: DESIGN section 9; S3-131.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import GAP, Pruned
from bookwright.models.document import Document, DocumentKind
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.models.tree.place import order_of
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.templates import own_template
from bookwright.storage.index.chunks import is_heading, join_sentences
from bookwright.storage.stores import Stores
from bookwright.storage.tree.outline import LineSpan

_VIEWS = ((12, 90), (8, 60), (5, 40), (3, 30), (2, 0), (1, 0))
"""Lines of a level and characters of a note; the first view that fits is taken."""

_OUTCOME = 2
"""How many times as long the note may be that tells what came of a unit: it is one whole sentence."""

_LEAST_OUTCOME = 12
"""Characters below which a sentence is a date or a name, and no outcome."""

_MARKS = re.compile(r"\*\*|__|`|^[-*+•]\s+|^\d{1,3}[.)]\s+")
_LABEL = re.compile(r"^(?:[-*+•]\s+)?(?:\*\*[^*]{1,40}\*\*[:：]?|\*\*[^*]{1,40}[:：]\*\*)\s*(?=[^\sa-z])")
"""What heads a line of a summary, such as `**Events**`."""


@dataclass(frozen=True)
class ViewRow:
    """One line of the view, or the number of lines left out."""

    depth: int
    label: str = ""
    kind: str = ""
    title: str = ""
    length: int | None = None
    state: str = ""
    note: str = ""
    more: int = 0
    source: int | None = None
    """The document whose words are in the note."""


@dataclass(frozen=True)
class _Surroundings:
    """What the widest view shows."""

    path: Sequence[TaskNode]
    """The book first, the unit last."""
    node: TaskNode
    now: int
    """The node that is said to be worked on."""
    tasks: Sequence[TaskNode] = ()
    levels: Sequence[LineSpan[TaskNode]] = ()
    parts: LineSpan[TaskNode] = field(default_factory=LineSpan)
    outcomes: Mapping[int, Document] = field(default_factory=dict)
    """Summaries by node."""


def tree_view(place: ActivityPlace, room: int, count: Callable[[str], int], *, has_tasks: bool = True) -> Pruned:
    """Show where an activity's node stands, in at most `room` tokens.

    The view narrows until it fits; where even the narrowest does not, its last lines stay. Without the tasks of the
    unit it shows where that stands, the same whichever of them is worked on.
    """
    around = replace(_look(place, place.node), tasks=_tasks(place)) if has_tasks else _look(place, place.unit)
    return _fitting(lambda size: _rows(around, size, 0), room, count, place.locale)


def task_view(place: ActivityPlace, room: int, count: Callable[[str], int]) -> str:
    """Show which tasks of a unit are not done, and where among them the node stands; empty where it alone is left.

    What the others produced stands in the prompt under their titles.
    """

    def look(size: _ViewSize) -> list[ViewRow]:
        rows = [row for row in _task_rows(place.unit.key, around, size, 0) if row.state != "done"]
        return rows if any(row.state != "now" for row in rows) else []

    around = _Surroundings((place.unit,), place.node, place.node.key, _tasks(place))
    return _fitting(look, room, count, place.locale).text


def _fitting(
    look: Callable[["_ViewSize"], Iterable[ViewRow]], room: int, count: Callable[[str], int], locale: str
) -> Pruned:
    rows: list[ViewRow] = []
    for width, characters in _VIEWS:
        rows = list(look(_ViewSize(width, characters)))
        if count(_rendered(rows, locale)) <= room:
            break
    while rows and count(_rendered(rows, locale)) > room:
        rows = rows[1:]
    return Pruned(_rendered(rows, locale), frozenset(row.source for row in rows if row.source is not None))


def _tasks(place: ActivityPlace) -> Sequence[TaskNode]:
    return place.tasks([place.unit.key, *(one.key for one in tasks_above(place.node, place.stores))])


def _look(place: ActivityPlace, now: TaskNode) -> _Surroundings:
    path = [*reversed(place.ancestors), place.unit]
    levels = [_units(place, one.parent, one.label) if one.parent else LineSpan((one,)) for one in path]
    parts = _units(place, place.unit.key)
    finished = [line.key for span in (*levels, parts) for line in span.lines if line.is_finished]
    summaries = place.stores.documents.of_nodes(finished, DocumentKind.SUMMARY)
    outcomes = {document.node: document for document in summaries}
    return _Surroundings(path, place.node, now.key, levels=levels, parts=parts, outcomes=outcomes)


def _units(place: ActivityPlace, parent: int, label: str = "") -> LineSpan[TaskNode]:
    """The units below a node: as many as the widest view shows, around one of them or at the end."""
    width, _ = _VIEWS[0]
    return LineSpan(tuple(place.stores.nodes.child_units(parent))).narrowed(label, width)


def tasks_above(node: TaskNode, stores: Stores) -> list[TaskNode]:
    """Return a task and the decomposed tasks that it is a part of, nearest first; empty for a unit."""
    if node.is_unit:
        return []
    return [one for one in (node, *stores.nodes.ancestors(node)) if not one.is_unit]


@dataclass(frozen=True)
class _ViewSize:
    """The width of a view: how many siblings of each level it shows, and how long its notes are."""

    width: int
    characters: int


def _rows(around: _Surroundings, size: _ViewSize, depth: int) -> Iterator[ViewRow]:
    """Yield the lines of one level, those below the ancestor right after it."""
    ancestor = around.path[depth]
    span = around.levels[depth].narrowed(ancestor.label, size.width)
    if span.before:
        yield ViewRow(depth, more=span.before)
    for line in span.lines:
        yield _row(line, depth, around, size)
        if line.key == ancestor.key:
            is_unit = depth + 1 == len(around.path)
            yield from _below(around, size, depth + 1) if is_unit else _rows(around, size, depth + 1)
    if span.after:
        yield ViewRow(depth, more=span.after)


def _below(around: _Surroundings, size: _ViewSize, depth: int) -> Iterator[ViewRow]:
    """Yield the unit's tasks, each with its parts, then its parts that become prose."""
    unit = around.path[-1]
    yield from _task_rows(unit.key, around, size, depth)
    parts = around.parts.narrowed("", size.width)
    if parts.before:
        yield ViewRow(depth, more=parts.before)
    for line in parts.lines:
        yield _row(line, depth, around, size)


def _task_rows(parent: int, around: _Surroundings, size: _ViewSize, depth: int) -> Iterator[ViewRow]:
    tasks = tuple(task for task in around.tasks if task.parent == parent)
    span = LineSpan(tasks).narrowed(around.node.label, size.width)
    if span.before:
        yield ViewRow(depth, more=span.before)
    for task in span.lines:
        yield _row(task, depth, around, size)
        yield from _task_rows(task.key, around, size, depth + 1)
    if span.after:
        yield ViewRow(depth, more=span.after)


def _row(line: TaskNode, depth: int, around: _Surroundings, size: _ViewSize) -> ViewRow:
    # The unit's own summary is written by one step of an activity whose other steps see this view too.
    # In a book that was written already, neither what came later nor how the units above ended is told.
    has_outcome = line.is_finished and around.node.comes_after(order_of(line.label))
    summary = around.outcomes.get(line.key) if has_outcome else None
    told = _outcome(summary.text) if summary else ("" if line.title and not line.is_unit else line.goal)
    note = _clipped(told, size.characters * (_OUTCOME if summary else 1))
    return ViewRow(
        depth=depth,
        label=line.label,
        kind=line.level.value if line.is_unit else line.task_type.value,
        title=line.title,
        length=line.length if line.is_unit else None,
        state=_state(line, around),
        note=note,
        source=summary.id if summary and note else None,
    )


def _state(line: TaskNode, around: _Surroundings) -> str:
    if line.key == around.now:
        return "now"
    if line.is_finished:
        return "done"
    is_on_path = any(line.key == one.key for one in around.path) or around.node.label.startswith(f"{line.label}.")
    return "open" if is_on_path else "to come"


def _outcome(text: str) -> str:
    """What came of a unit: the first sentence of its summary that tells something, without headings and marks."""
    lines = [line for line in paragraphs(text) if not is_heading(line)]
    told = [_MARKS.sub("", _LABEL.sub("", line)).strip() for line in lines]
    found = [sentence for line in told for sentence in sentences(line)]
    return next((sentence for sentence in found if len(sentence) >= _LEAST_OUTCOME), " ".join(found[:1]))


def _clipped(text: str, characters: int) -> str:
    """Return a note as it fits: whole, its first sentences, or its first words with a mark behind them."""
    text = " ".join(text.split())
    if len(text) <= characters or not characters:
        return text if characters else ""
    whole = ""
    for sentence in sentences(text):
        if len(whole) + len(sentence) + 1 > characters:
            break
        whole = join_sentences([whole, sentence]) if whole else sentence
    if whole:
        return whole
    head = text[: characters - 1]
    return head.rpartition(" ")[0].rstrip(",;:") + GAP if " " in head[characters // 2 :] else head.rstrip() + GAP


def _rendered(rows: Sequence[ViewRow], locale: str) -> str:
    return own_template("story/_tree", locale).render(rows=rows).strip("\n")
