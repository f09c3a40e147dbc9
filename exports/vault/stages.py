"""The stages of a book for its progress file: its blueprint's or its own phases, units, publishing."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from bookwright.exports.vault.progress import ProgressFile, StageProgress, StageStatus, UnitLine
from bookwright.models.book import Book, BookState
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores
from bookwright.storage.vault_rows import TaskRow, TimeSpan, UnitRow, VaultRows

Times = dict[tuple[int, Activity], TimeSpan]
Placed = tuple[tuple[int, ...], StageProgress]
"""A stage and where it stands in the tree."""
_PLANNING = (Activity.RECALL, Activity.CONDENSE, Activity.PLAN)
_DESIGN = (Activity.JUDGE, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE)
_WRITING = (Activity.BRIEF, Activity.WRITE)


def progress_of(stores: Stores, book: Book, units: Sequence[UnitRow], *, has_prose: bool) -> ProgressFile:
    """Gather what a book's progress file says; a book of designs has no prose."""
    root = stores.nodes.root()
    pipeline = PurePath(book.brief.blueprint).name or "story"
    return ProgressFile(
        book.title, book.id, pipeline, book.state.value, int(book.created_at), book.brief.premise,
        tuple(stages_of(stores, book, root, units, has_prose=has_prose)), tuple(map(_line, units[1:])), book.advice,
    )  # fmt: skip


def stages_of(
    stores: Stores, book: Book, root: TaskNode, units: Sequence[UnitRow], *, has_prose: bool
) -> list[StageProgress]:
    """Return the stages of a book: those of its blueprint, or its own phases; between them the units below it."""
    rows = VaultRows(stores.connection, book.id)
    children = [unit for unit in units if unit.parent == root.key]
    tasks = rows.tasks_of(root.key)
    times = rows.times([root.key, *(task.key for task in tasks), *(unit.key for unit in children)])
    staged = [task for task in tasks if task.stage]
    by_code = rows.made([task.key for task in staged])
    times = {(key, Activity.EXECUTE): span for key, span in by_code.items()} | times
    before = _staged(staged, times) if staged else _phases(root, tasks, children, times)
    written = _written(root, children, times) if has_prose else ()
    first = children[0].order if children else None
    opening = [stage for order, stage in before if first is None or order < first]
    closing = [stage for order, stage in before if first is not None and order > first]
    has_blurb = stores.documents.current(root.key, DocumentKind.BLURB, with_text=False) is not None
    published = _stage("publish", _span(times, [root.key], (Activity.PUBLISH,)), has_blurb, has_blurb)
    last = [*closing, published]
    if root.status is NodeStatus.OPEN and book.state is not BookState.FINISHED:  # what closed it tells of less
        last = [StageProgress(stage.name) for stage in last]
    return _with_reason([*opening, *written, *last], book)


def _phases(root: TaskNode, tasks: Sequence[TaskRow], children: Sequence[UnitRow], times: Times) -> list[Placed]:
    """Planning and design, where no blueprint opens the book; both come before any unit."""
    is_decided = root.decision is not None or bool(children) or root.written > 0
    keys = [root.key, *(task.key for task in tasks)]
    planned = _stage("plan", _span(times, [root.key], _PLANNING), root.planning_round > 0, is_decided)
    return [((), planned), ((), _stage("design", _span(times, keys, _DESIGN), is_decided, is_decided))]


def _staged(tasks: Sequence[TaskRow], times: Times) -> list[Placed]:
    """The stages of a blueprint, each over where its first task stands."""
    found: dict[str, list[TaskRow]] = {}
    for task in tasks:
        found.setdefault(task.stage.partition("/")[0], []).append(task)
    return [(of[0].order, _of_tasks(name, of, times)) for name, of in found.items()]


def _of_tasks(name: str, tasks: Sequence[TaskRow], times: Times) -> StageProgress:
    is_done = all(task.status is NodeStatus.DONE for task in tasks)
    return _stage(tasks[0].stage_title or name, _span(times, [task.key for task in tasks], Activity), is_done, False)


def _written(root: TaskNode, children: Sequence[UnitRow], times: Times) -> Iterator[StageProgress]:
    for unit in children:
        span = _span(times, [unit.key], Activity)
        name = f"{unit.level.value} {unit.unit_index}: {unit.title}".removesuffix(": ")
        yield _stage(name, span, unit.status is NodeStatus.DONE, False)
    if not children:
        yield _stage("write", _span(times, [root.key], _WRITING), root.written > 0, False)
    elif root.status is NodeStatus.OPEN and all(unit.status is NodeStatus.DONE for unit in children):
        yield StageProgress("further units")


def _stage(name: str, span: TimeSpan | None, is_done: bool, is_past: bool) -> StageProgress:
    """A stage that was never begun is skipped where the book is past it."""
    name = " ".join(name.split())
    if is_done:
        times = (int(span.first), int(span.last)) if span else (None, None)
        return StageProgress(name, StageStatus.COMPLETED, *times)
    if is_past:
        return StageProgress(name, StageStatus.SKIPPED)
    return StageProgress(name, StageStatus.RUNNING, int(span.first)) if span else StageProgress(name)


def _with_reason(stages: list[StageProgress], book: Book) -> list[StageProgress]:
    """Note at the stage that the book rests in why it does."""
    if book.state in (BookState.WRITING, BookState.FINISHED) or not book.reason:
        return stages
    at = next((number for number, stage in enumerate(stages) if not stage.status.is_over), None)
    if at is not None:
        stage = stages[at]
        stages[at] = StageProgress(stage.name, stage.status, stage.started, stage.completed, book.reason)
    return stages


def _span(times: Times, keys: Iterable[int], activities: Iterable[Activity]) -> TimeSpan | None:
    wanted = set(activities)
    of = set(keys)
    found = [span for (key, activity), span in times.items() if key in of and activity in wanted]
    return TimeSpan(min(span.first for span in found), max(span.last for span in found)) if found else None


def _line(unit: UnitRow) -> UnitLine:
    started = StageStatus.RUNNING if unit.written else StageStatus.PENDING
    status = StageStatus.COMPLETED if unit.status is NodeStatus.DONE else started
    return UnitLine(unit.label, unit.title, status, unit.written, unit.length or 0)
