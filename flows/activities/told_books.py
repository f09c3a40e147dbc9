"""Books of which the author has said nothing but the order: how they are told instead of planned.

A plan in many steps takes more from a book that one writer can hold in view than it gives it, as blind readers found
(docs/prose). Its story is told twice in plain words. The better one is written as it is where the book has one piece,
or cut into chapters, which is its plot; whoever writes a chapter has the plot and every page so far in view. A longer
book's plot is cut into acts or volumes, doubted and made anew. Each of these has a plot of its own, made once what
comes before is written, and each act is told as a short book is, by one who has its pages, both plots and what was
told before in view. Later orders are heard, too.
"""

from dataclasses import replace
from functools import partial

from bookwright.agents.readers import DOUBTS, FORECAST, PART_PLOT, PLOT, PLOT_AGAIN, STORY, draft_again, draft_numbered
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import plan_workflow
from bookwright.flows.activities.unit_facts import (
    begin_activity,
    depth_at,
    is_one_sitting,
    is_short_enough,
    max_unit_length,
    unit_card,
)
from bookwright.flows.blueprints.unit_plans import child_level_of
from bookwright.flows.deps import Deps
from bookwright.models.document import Document, DocumentKind, NewDocument
from bookwright.models.gate import GateKind
from bookwright.models.step import Activity
from bookwright.models.text.length import spread
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level, usual_child_length
from bookwright.models.tree.plan import PlanNode, Plot, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_plot, render_problem
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

MOST_PARTS = 24
"""Chapters, acts or volumes that one plot may have."""

_TOKENS = 2
"""How many a word or a character has at most, with what stands beside the pages."""
_NEAREST, _FARTHER = 12, 4
"""Parts before an act or a volume whose summaries its writers are shown: of the one right before it, and at each level
above. What lies farther back is found by the index where it bears on a chapter."""

_FIRST_SHARE = 92
"""The first chapter's length in percent of the last one's: early ones run over, late ones need the room."""


def is_free(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of one piece that is told from a story for its order.

    Told by the tree, so that it stays so: what the codex learns of it while it is written is the story's own.
    """
    if deps.blueprint is not None or unit.is_brought_in or not is_one_sitting(unit, deps):
        return False
    if _has_tasks(unit, deps) or _is_design_asked(deps):
        return False
    return bool(unit.written or unit.revision > 1) or _is_order_all(unit, deps)


def is_plotted(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of several chapters that is told from plots, and for all its units.

    A book that was planned has design tasks from its first round on; one that is told has none.
    """
    if deps.profile.is_small or deps.makes_designs or deps.blueprint is not None:
        return False
    book = deps.storage.above(unit)[-1] if unit.parent is not None else unit
    if deps.brief.max_planning_rounds or book.revision > 1 or is_short_enough(book, deps):
        return False
    if not _has_parts_to_tell(book, deps) or _has_tasks(book, deps):
        return False
    if book.planning_round:
        return True
    if has_acts(book, deps) and _is_being_planned(book, deps):
        return False
    told_at_once = Level.ACT.usual_length if has_acts(book, deps) else book.length or 1
    return told_at_once <= _longest_told(deps) and not _is_design_asked(deps) and _is_order_all(book, deps)


def has_acts(unit: TaskNode, deps: Deps) -> bool:
    """True for a book or a volume that is told act by act, since it is too long to be told at once."""
    return _level_of_parts(unit, deps) is not Level.CHAPTER


def most_beside(unit: TaskNode, deps: Deps) -> int | None:
    """Return how long the acts beside a told one may grow by what it fell short; None for what is no such act."""
    return _longest_told(deps) if unit.level is Level.ACT and is_plotted(unit, deps) else None


def is_past_first_act(unit: TaskNode, deps: Deps) -> bool:
    """True for a chapter of a told book whose writer has not every page before it in view."""
    if unit.level is not Level.CHAPTER or unit.parent is None or not is_plotted(unit, deps):
        return False
    with deps.stores() as stores:
        return bool(stores.nodes.units_before(stores.nodes.get(unit.parent), 1))


def is_told(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit that is told without a plan, a brief or a design of its own."""
    return is_free(unit, deps) or is_plotted(unit, deps)


def pages_before(unit: TaskNode, deps: Deps) -> list[Document]:
    """Return the pages that a chapter's writer has in view, in reading order: of its act or book, and the last before.

    What was told in the acts before is told by `memories`.
    """
    with deps.stores() as stores:
        before = stores.nodes.units_before(unit, MOST_PARTS)
        beside = [own.key for own in before if own.parent == unit.parent]
        shown = [*(own.key for own in before[-len(beside) - 1 : len(before) - len(beside)]), *beside]
        pages = stores.documents.of_nodes(shown, DocumentKind.PROSE)
    return sorted(pages, key=lambda page: shown.index(page.node))


def memories(part: TaskNode, deps: Deps) -> list[Document]:
    """Return what readers know when an act or a volume begins: summaries of all before it, in reading order.

    They are those of whole volumes and acts, and of the chapters or acts of the one right before.
    """
    with deps.stores() as stores:
        told: list[TaskNode] = []
        for at in reversed((part, *stores.nodes.ancestors(part)[:-1])):
            beside = stores.nodes.child_units(at.parent or 0)
            told += [own for own in beside if own.ordinal < at.ordinal][-_FARTHER:]
        if told and (nearest := stores.nodes.child_units(told[-1].key)):
            told[-1:] = nearest[-_NEAREST:]
        summaries = stores.documents.of_nodes([own.key for own in told], DocumentKind.SUMMARY)
    order = [own.key for own in told]
    return sorted(summaries, key=lambda summary: order.index(summary.node))


def current_plot(unit: TaskNode, deps: Deps) -> Document | None:
    """Return the plot of a book, a volume or an act; None before it is made."""
    return deps.document(unit, DocumentKind.BOOK_DESIGN if unit.parent is None else DocumentKind.DESIGN)


def _has_parts_to_tell(book: TaskNode, deps: Deps) -> bool:
    """True where length alone divides a book: into volumes, acts or chapters, or scenes that may as well be chapters.

    An author who says how long a unit may be wants scenes of that length.
    """
    if book.child_level is not None:
        return False
    level = child_level_of(book, deps)
    if level is Level.SCENE:
        return deps.brief.max_unit_length is None
    return level is not None and level.is_at_least(Level.CHAPTER)


def _longest_told(deps: Deps) -> int:
    """How long a book or an act may be to be told at once: its pages fit in one prompt, its chapters in one plot."""
    return min(deps.profile.reading_room // _TOKENS, MOST_PARTS * max_unit_length(deps))


def _has_tasks(book: TaskNode, deps: Deps) -> bool:
    """True for a book that was begun with a plan of the usual kind."""
    with deps.stores() as stores:
        return bool(stores.nodes.children(book.key, TaskType.DESIGN, TaskType.SEARCH))


def _is_being_planned(book: TaskNode, deps: Deps) -> bool:
    """True in the middle of a first plan of the usual kind, which books with acts had until they were told."""
    planner = plan_workflow(book.level, deps.brief.length_class, deps.profile.name, depth_at(book, deps))[0]
    return deps.desk.is_done(Activity.PLAN, book, planner.name, 1)


def _is_design_asked(deps: Deps) -> bool:
    """True if the author wants to see a plan or a design before anything is written."""
    return bool({GateKind.OUTLINE, GateKind.BOOK_DESIGN, GateKind.VOLUME_DESIGN} & set(deps.brief.gates))


def _is_order_all(book: TaskNode, deps: Deps) -> bool:
    """True if the author has given nothing but the order."""
    with deps.stores() as stores:
        outline, codex = stores.documents.current(book.key, DocumentKind.OUTLINE, with_text=False), stores.codex
        return not (outline or codex.entries() or codex.secrets() or codex.threads())


def plot(unit: TaskNode, deps: Deps) -> None:
    """Make the plot of a book, a volume or an act that is told; its parts become nodes."""
    unit = deps.fresh(unit)
    count = _part_count(unit, deps)
    run, agent = _begin(unit, count, deps), PLOT if unit.parent is None else PART_PLOT
    planned, check = partial(_planned, unit, run.sources, deps), partial(_count_problem, count, deps.desk.locale)
    for tag, teller in (("story_a", STORY), ("story_b", draft_again(STORY))) if unit.parent is None else ():
        run.card = replace(run.card, is_second=teller is not STORY)  # who knows nothing of the other
        run.add(tag, str(run.run(teller, is_bare=True).value))
    run.card = replace(run.card, is_second=False)
    language, is_in_acts = deps.brief.language.english_name, has_acts(unit, deps) or unit.parent is not None
    # An earlier version doubted plans of many chapters; what it began is ended as it would have been.
    is_doubted = is_in_acts or run.is_done(draft_numbered(DOUBTS, 1).name if unit.planning_round else agent.name)
    plan = run.run(agent, None if is_doubted else planned, check=check).value
    if not is_doubted:
        return
    turns = (1, 2) if unit.parent is None else (1,)
    for turn in turns:
        run, doubts = _begin(unit, count, deps), draft_numbered(DOUBTS, turn)  # what was not chosen is seen no more
        run.card = replace(run.card, is_second=turn > 1)
        if unit.parent is None and not run.is_done(doubts.name):
            run.add("opening", render_plot(plan.opening, language))
            run.run(draft_numbered(FORECAST, turn))
            run.take_away("opening")
        run.add("plot", render_plot(plan, language))
        run.run(doubts)
        run.take_away("forecast")
        plan = run.run(draft_numbered(PLOT_AGAIN, turn), planned if turn == turns[-1] else None, check=check).value


def _begin(unit: TaskNode, count: int, deps: Deps) -> ActivityRun:
    length = unit.length or count
    chapters = round(length / usual_child_length(Level.CHAPTER, max_unit_length(deps)))
    card = replace(
        unit_card(unit, deps), chapters=chapters if has_acts(unit, deps) else count, parts=count,
        usual_child_length=length // count,
    )  # fmt: skip
    run = begin_activity(Activity.PLAN, unit, deps, PLOT.context, card, round_=1, next_activity="write")
    run.narrow_to()  # the order stands in the templates, and there is nothing else yet
    if unit.parent is not None:
        show_whole(unit, run, deps)
    return run


def show_whole(part: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """Put before the steps what an act or a volume is a part of: the plots above it, and what was told before it."""
    plots = [found for above in deps.storage.above(part)[::-1] if (found := current_plot(above, deps))]
    for tag, documents in (("whole", plots), ("before", memories(part, deps))):
        for document in documents:
            run.lead_with(tag, document.text, is_prose=False)
        run.rests_on(*(document.id for document in documents))


def _part_count(unit: TaskNode, deps: Deps) -> int:
    """How many parts a unit is to have: of the usual length, none too long."""
    level, length = _level_of_parts(unit, deps), unit.remaining or 1
    usual = round(length / usual_child_length(level, max_unit_length(deps)))
    return min(max(2, usual, -(-length // _longest(level, deps))), MOST_PARTS)


def _level_of_parts(unit: TaskNode, deps: Deps) -> Level:
    level = child_level_of(unit, deps)
    return level if level is not None and level.is_at_least(Level.ACT) else Level.CHAPTER


def _longest(level: Level, deps: Deps) -> int:
    """How long a part of this level may be: a chapter is written at once, an act told at once."""
    if level is Level.CHAPTER:
        return max_unit_length(deps)
    return _longest_told(deps) if level is Level.ACT else level.bounds[1]


def _count_problem(count: int, locale: str, answer: Plot) -> str:
    """Say that a plot has another number of parts than was asked for; empty if it has not."""
    given = len(answer.chapters)
    return "" if given == count else render_problem("chapter_count", locale, given=given, wanted=count)


def _planned(unit: TaskNode, inputs: tuple[int, ...], deps: Deps, answer: Plot) -> Move:
    count, level = len(answer.chapters), _level_of_parts(unit, deps)
    lengths = _lengths(max(unit.remaining, count), count, _longest(level, deps))
    parts = [
        PlanNode(
            task_type=TaskType.WRITE, title=part.title, goal=part.about, instructions=part.events,
            acceptance_criteria=(*part.understood, part.ending),
        )
        for part in answer.chapters
    ]  # fmt: skip
    text = render_plot(answer, deps.brief.language.english_name)
    kind = DocumentKind.BOOK_DESIGN if unit.parent is None else DocumentKind.DESIGN

    def move(stores: Stores, step: int) -> None:
        stores.documents.add(NewDocument(node=unit.key, kind=kind, text=text, inputs=inputs), step)
        stores.nodes.add(
            unit, parts, level=level.value, length=lambda i: lengths[i], unit_index=lambda i: i + 1,
            is_last=lambda i: i == count - 1,
        )  # fmt: skip
        stores.nodes.change(
            unit.key, planning_round=1, decided_round=1, decision=Decision.DIVIDE_HIERARCHY.value, open_points=()
        )

    return move


def _lengths(total: int, count: int, most: int) -> list[int]:
    """Share a length out to parts, later ones longer where none gets too long to be written at once."""
    rising = [_FIRST_SHARE + (100 - _FIRST_SHARE) * place // max(count - 1, 1) for place in range(count)]
    lengths = spread(total, rising)
    return lengths if max(lengths) <= most else spread(total, [1] * count)
