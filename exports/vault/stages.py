"""The stages of a book for its progress file: its blueprint's or its own phases, units, publishing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from bookwright.agents.blueprints.wording import localised
from bookwright.exports.vault.names import brief_locale
from bookwright.exports.vault.progress import ProgressFile, StageProgress, StageStatus, UnitLine
from bookwright.models.blueprint import Blueprint, MemberKind, Stage, When
from bookwright.models.book import Book, BookState
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.text.language import SIMPLIFIED, TRADITIONAL
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores
from bookwright.storage.vault_rows import TaskRow, TimeSpan, UnitRow, VaultRows

Times = dict[tuple[int, Activity], TimeSpan]
_ON_THEIR_OWN = (MemberKind.SEARCH, MemberKind.REVIEW, MemberKind.VERIFY)
"""Kinds that have a row of their own, and so have those beside them in their stage."""
_PLANNING = (Activity.RECALL, Activity.CONDENSE, Activity.PLAN)
_DESIGN = (Activity.JUDGE, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE)
_WRITING = (Activity.BRIEF, Activity.WRITE)

_LOCALES = ("en", SIMPLIFIED, TRADITIONAL, "ja", "ko")
_NAMES = {
    "book": ("book begun", "建书", "建書", "本の作成", "책 만들기"),
    "plan": ("plan", "规划", "規劃", "企画", "기획"),
    "design": ("design", "设计", "設計", "設計", "설계"),
    "write": ("write", "写作", "寫作", "執筆", "집필"),
    "further": ("further units", "后续部分", "後續部分", "続き", "이어지는 부분"),
    "publish": ("publish", "定名与简介", "定名與簡介", "題名と紹介文", "제목과 소개글"),
}
_UNITS = {
    Level.VOLUME: ("volume {}", "第{}卷", "第{}卷", "第{}巻", "제{}권"),
    Level.ACT: ("act {}", "第{}幕", "第{}幕", "第{}幕", "제{}막"),
    Level.CHAPTER: ("chapter {}", "第{}章", "第{}章", "第{}章", "제{}장"),
    Level.SCENE: ("scene {}", "第{}场", "第{}場", "第{}場", "제{}장면"),
    Level.BEAT: ("beat {}", "第{}节拍", "第{}節拍", "第{}拍", "제{}박자"),
    Level.PARAGRAPH: ("paragraph {}", "第{}段", "第{}段", "第{}段", "제{}문단"),
}


def progress_of(
    stores: Stores, book: Book, units: Sequence[UnitRow], *, has_prose: bool, plan: Blueprint | None = None
) -> ProgressFile:
    """Gather what a book's progress file says; a book of designs has no prose, `plan` is the book's blueprint."""
    root = stores.nodes.root()
    pipeline = PurePath(book.brief.blueprint).name or "story"
    return ProgressFile(
        book.title, book.id, pipeline, book.state.value, int(book.created_at), book.brief.premise,
        tuple(stages_of(stores, book, root, units, has_prose=has_prose, plan=plan)), tuple(map(_line, units[1:])),
        book.advice,
    )  # fmt: skip


def stages_of(
    stores: Stores, book: Book, root: TaskNode, units: Sequence[UnitRow], *, has_prose: bool,
    plan: Blueprint | None = None,
) -> list[StageProgress]:  # fmt: skip
    """Return the stages of a book: its blueprint's or its own phases, and between them the units below it."""
    rows, locale = VaultRows(stores.connection, book.id), brief_locale(book.brief)
    children = [unit for unit in units if unit.parent == root.key]
    tasks = rows.tasks_of(root.key)
    times = rows.times([root.key, *(task.key for task in tasks), *(unit.key for unit in children)])
    staged = [task for task in tasks if task.stage]
    times = {(key, Activity.EXECUTE): span for key, span in rows.made([task.key for task in staged]).items()} | times
    if plan is not None:
        opening, closing = (planned_stages(plan, when, staged, times, locale) for when in When)
    elif staged:
        opening, closing = _found_stages(staged, times, children)
    else:
        opening, closing = _phases(root, tasks, children, times, locale), []
    written = _written(root, children, times, plan, locale) if has_prose else ()
    has_blurb = stores.documents.current(root.key, DocumentKind.BLURB, with_text=False) is not None
    span = _span(times, [root.key], (Activity.PUBLISH,))
    last = [*closing, _stage(_stage_name("publish", locale), span, has_blurb, has_blurb)]
    if root.status is NodeStatus.OPEN and book.state is not BookState.FINISHED:  # what closed it tells of less
        last = [StageProgress(stage.name) for stage in last]
    begun = int(book.created_at)
    created = StageProgress(_stage_name("book", locale), StageStatus.COMPLETED, begun, begun)
    return _as_it_rests([created, *opening, *written, *last], book)


def planned_stages(
    plan: Blueprint, when: When, tasks: Sequence[TaskRow], times: Times, locale: str
) -> list[StageProgress]:
    """Return the stages of a blueprint before or after the prose, those too of which nothing is made yet."""
    rows = []
    for stage in plan.stages:
        for name, members in _rows_of(stage, locale) if stage.when is when else ():
            own = [task for task in tasks if "/".join(task.stage.split("/")[:2]) in members]
            rows.append(_of_tasks(name, own, times) if own else StageProgress(name))
    return rows


def _rows_of(stage: Stage, locale: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The rows of a stage, each with its members: one row, or one for each where something is looked up or checked."""
    title = localised(stage.titles, locale)
    if len(stage.members) > 1 and any(member.kind in _ON_THEIR_OWN for member in stage.members):
        for member in stage.members:
            yield _joined(title, localised(member.titles, locale), locale), (f"{stage.name}/{member.name}",)
    else:
        yield title, tuple(f"{stage.name}/{member.name}" for member in stage.members)


def _phases(
    root: TaskNode, tasks: Sequence[TaskRow], children: Sequence[UnitRow], times: Times, locale: str
) -> list[StageProgress]:
    """Planning and design, where no blueprint opens the book; both come before any unit."""
    is_decided = root.decision is not None or bool(children) or root.written > 0
    keys = [root.key, *(task.key for task in tasks)]
    has_plan = root.planning_round > 0
    planned = _stage(_stage_name("plan", locale), _span(times, [root.key], _PLANNING), has_plan, is_decided)
    return [planned, _stage(_stage_name("design", locale), _span(times, keys, _DESIGN), is_decided, is_decided)]


def _found_stages(
    tasks: Sequence[TaskRow], times: Times, children: Sequence[UnitRow]
) -> tuple[list[StageProgress], list[StageProgress]]:
    """The stages before and behind the units, by the tasks alone, where the blueprint itself cannot be read."""
    found: dict[str, list[TaskRow]] = {}
    for task in tasks:
        found.setdefault(task.stage.partition("/")[0], []).append(task)
    rows = [(of[0].order, _of_tasks(of[0].stage_title or name, of, times)) for name, of in found.items()]
    first = children[0].order if children else None
    before = [stage for order, stage in rows if first is None or order < first]
    return before, [stage for order, stage in rows if first is not None and order > first]


def _of_tasks(name: str, tasks: Sequence[TaskRow], times: Times) -> StageProgress:
    is_done = all(task.status is NodeStatus.DONE for task in tasks)
    return _stage(name, _span(times, [task.key for task in tasks], Activity), is_done, False)


def _written(
    root: TaskNode, children: Sequence[UnitRow], times: Times, plan: Blueprint | None, locale: str
) -> Iterator[StageProgress]:
    for unit in children:
        span = _span(times, [unit.key], Activity)
        name = _unit_name(unit.level, unit.unit_index, unit.title, locale)
        yield _stage(name, span, unit.status is NodeStatus.DONE, False)
    foreseen = plan.units.get(root.level) if plan and root.status is NodeStatus.OPEN else None
    if foreseen and foreseen.child and foreseen.count and root.decision is not Decision.PROCEED_TO_WRITE:
        for number in range(len(children) + 1, foreseen.count + 1):
            yield StageProgress(_unit_name(foreseen.child, number, "", locale))
    elif not children:
        written = _span(times, [root.key], _WRITING)
        yield _stage(_stage_name("write", locale), written, root.written > 0, False)
    elif root.status is NodeStatus.OPEN and all(unit.status is NodeStatus.DONE for unit in children):
        yield StageProgress(_stage_name("further", locale))


def _stage(name: str, span: TimeSpan | None, is_done: bool, is_past: bool) -> StageProgress:
    """A stage that was never begun is skipped where the book is past it."""
    name = " ".join(name.split())
    if is_done:
        times = (int(span.first), int(span.last)) if span else (None, None)
        return StageProgress(name, StageStatus.COMPLETED, *times)
    if is_past:
        return StageProgress(name, StageStatus.SKIPPED)
    return StageProgress(name, StageStatus.RUNNING, int(span.first)) if span else StageProgress(name)


def _as_it_rests(stages: list[StageProgress], book: Book) -> list[StageProgress]:
    """Note at the stage that the book rests in why it does; where that is a failure, the stage has failed."""
    if book.state in (BookState.WRITING, BookState.FINISHED) or not book.reason:
        return stages
    at = next((number for number, stage in enumerate(stages) if not stage.status.is_over), None)
    if at is not None:
        status = StageStatus.FAILED if book.has_failed else stages[at].status
        stages[at] = replace(stages[at], status=status, notes=book.reason)
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


def _stage_name(name: str, locale: str) -> str:
    """Return what a phase of a book is called: `book`, `plan`, `design`, `write`, `further` or `publish`."""
    return _NAMES[name][_LOCALES.index(locale)]


def _unit_name(level: Level, number: int, title: str, locale: str) -> str:
    """Return what a unit right below the book is called, such as `"act 1: The lamp"`; `number` counts from 1."""
    told = _UNITS[level][_LOCALES.index(locale)].format(number)
    return _joined(told, title, locale) if title else told


def _joined(what: str, told: str, locale: str) -> str:
    """Return two names as one: a stage and what is done in it, a unit and its title."""
    return f"{what}{': ' if locale in ('en', 'ko') else '：'}{told}"
