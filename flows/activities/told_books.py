"""Books of which the author has said nothing but the order: how they are told instead of planned.

A plan in many steps takes more from a book that one writer can hold in view than it gives it, as blind readers found
(docs/prose). A story of one sitting is told from its order alone. A book of several chapters, as long as it needs no
acts, is told from one plain plan, by a writer who has the plan and every page so far in view: its story is told twice
in plain words, the better one cut into chapters, and the plan of many chapters doubted and made once more. What the
author adds to it later is heard as in any other book.
"""

from dataclasses import replace
from functools import partial

from bookwright.agents.readers import DOUBTS, PLOT, PLOT_AGAIN, STORY, draft_again
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.unit_facts import (
    begin_activity,
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
from bookwright.models.tree.plan import PlanNode, Plot, PlotChapter, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_plot, render_problem
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

MOST_CHAPTERS = 24
"""Chapters that a book which is told whole may have: so many fit in one plan."""

_TOKENS = 2
"""How many a word or a character has at most, with what stands beside the pages."""
_FEW = 4
"""Chapters up to which the first plan stands; a longer one is doubted before it is built on."""

_FIRST_SHARE = 92
"""The first chapter's length in percent of the last one's: early chapters run over, and those where a book turns, which
come late, would have less room for it."""


def is_free(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of one piece that is told from its order alone.

    Told by the tree, so that it stays so: what the codex learns of it while it is written is the story's own.
    """
    if deps.blueprint is not None or unit.is_brought_in or not is_one_sitting(unit, deps):
        return False
    if _has_tasks(unit, deps) or _is_design_asked(deps):
        return False
    return bool(unit.written or unit.revision > 1) or _is_order_all(unit, deps)


def is_told_whole(unit: TaskNode, deps: Deps) -> bool:
    """True for a book of several chapters that is told from one plain plan, and for all its units.

    A book that was planned has design tasks from its first round on; one that is told whole has none.
    """
    if deps.profile.is_small or deps.makes_designs or deps.blueprint is not None:
        return False
    book = deps.storage.above(unit)[-1] if unit.parent is not None else unit
    if deps.brief.max_planning_rounds or book.revision > 1 or is_short_enough(book, deps):
        return False
    if not _has_chapters(book, deps) or _has_tasks(book, deps):
        return False
    if book.planning_round:
        return True
    length = book.length or 1
    fits = length * _TOKENS <= deps.profile.reading_room and length <= MOST_CHAPTERS * max_unit_length(deps)
    return fits and not _is_design_asked(deps) and _is_order_all(book, deps)


def is_told(unit: TaskNode, deps: Deps) -> bool:
    """True for a unit that is told without a plan, a brief or a design of its own."""
    return is_free(unit, deps) or is_told_whole(unit, deps)


def pages_before(unit: TaskNode, deps: Deps) -> list[Document]:
    """Return all pages before a chapter of a book that is told whole, in reading order."""
    with deps.stores() as stores:
        before = [own.key for own in stores.nodes.units_before(unit, MOST_CHAPTERS)]
        pages = stores.documents.of_nodes(before, DocumentKind.PROSE)
    return sorted(pages, key=lambda page: before.index(page.node))


def _has_chapters(book: TaskNode, deps: Deps) -> bool:
    """True where length alone divides a book, into chapters or into scenes that may as well be chapters.

    From 60,000 words or characters on it is divided into acts. An author who says how long a unit may be wants scenes
    of that length.
    """
    if book.child_level is not None:
        return False
    level = child_level_of(book, deps)
    return level is Level.CHAPTER or (level is Level.SCENE and deps.brief.max_unit_length is None)


def _has_tasks(book: TaskNode, deps: Deps) -> bool:
    """True for a book that was begun with a plan of the usual kind."""
    with deps.stores() as stores:
        return bool(stores.nodes.children(book.key, TaskType.DESIGN, TaskType.SEARCH))


def _is_design_asked(deps: Deps) -> bool:
    """True if the author wants to see a plan or a design before anything is written."""
    return bool({GateKind.OUTLINE, GateKind.BOOK_DESIGN} & set(deps.brief.gates))


def _is_order_all(book: TaskNode, deps: Deps) -> bool:
    """True if the author has given nothing but the order."""
    with deps.stores() as stores:
        has_outline = stores.documents.current(book.key, DocumentKind.OUTLINE, with_text=False) is not None
        codex = stores.codex
        return not (has_outline or codex.entries() or codex.secrets() or codex.threads())


def plot(book: TaskNode, deps: Deps) -> None:
    """Plan a book that is told; its plan becomes the book's design, and its chapters become nodes."""
    book = deps.fresh(book)
    count = _chapter_count(book, deps)
    run = _begin(book, count, deps)
    told = []
    for teller in (STORY, draft_again(STORY)):
        run.card = replace(run.card, is_second=teller is not STORY)
        told.append(str(run.run(teller, is_bare=True).value))
    run.card = replace(run.card, is_second=False)
    for tag, story in zip(("story_a", "story_b"), told, strict=True):
        run.add(tag, story)
    check = partial(_chapter_problem, count, deps.desk.locale)
    if count <= _FEW:
        run.run(PLOT, partial(_planned, book, deps), check=check)
        return
    first = run.run(PLOT, check=check).value
    run = _begin(book, count, deps)  # what was not chosen is no longer seen
    run.add("plot", render_plot(first, deps.brief.language.english_name))
    run.run(DOUBTS)
    run.run(PLOT_AGAIN, partial(_planned, book, deps), check=check)


def _begin(book: TaskNode, count: int, deps: Deps) -> ActivityRun:
    card = replace(unit_card(book, deps), chapters=count, usual_child_length=(book.length or count) // count)
    run = begin_activity(Activity.PLAN, book, deps, PLOT.context, card, round_=1, next_activity="write")
    run.narrow_to()  # the order stands in the templates, and there is nothing else yet
    return run


def _chapter_count(book: TaskNode, deps: Deps) -> int:
    """How many chapters the book is to have: of the usual length, none too long to be written at once."""
    length = book.length or 1
    most = max_unit_length(deps)
    return max(2, round(length / usual_child_length(Level.CHAPTER, most)), -(-length // most))


def _chapter_problem(count: int, locale: str, answer: Plot) -> str:
    """Say that a plan has another number of chapters than was asked for; empty if it has not."""
    given = len(answer.chapters)
    return "" if given == count else render_problem("chapter_count", locale, given=given, wanted=count)


def _planned(book: TaskNode, deps: Deps, answer: Plot) -> Move:
    lengths = _lengths(max(book.remaining, len(answer.chapters)), len(answer.chapters), max_unit_length(deps))
    chapters = [_chapter(chapter) for chapter in answer.chapters]
    design = NewDocument(
        node=book.key, kind=DocumentKind.BOOK_DESIGN, text=render_plot(answer, deps.brief.language.english_name)
    )

    def move(stores: Stores, step: int) -> None:
        stores.documents.add(design, step)
        stores.nodes.add(
            book, chapters, level=Level.CHAPTER.value, length=lambda i: lengths[i], unit_index=lambda i: i + 1,
            is_last=lambda i: i == len(chapters) - 1,
        )  # fmt: skip
        stores.nodes.change(
            book.key, planning_round=1, decided_round=1, decision=Decision.DIVIDE_HIERARCHY.value, open_points=()
        )

    return move


def _lengths(total: int, count: int, most: int) -> list[int]:
    """Share a book's length out to its chapters, later ones longer where none gets too long to be written at once."""
    rising = [_FIRST_SHARE + (100 - _FIRST_SHARE) * place // max(count - 1, 1) for place in range(count)]
    lengths = spread(total, rising)
    return lengths if max(lengths) <= most else spread(total, [1] * count)


def _chapter(chapter: PlotChapter) -> PlanNode:
    return PlanNode(
        task_type=TaskType.WRITE, title=chapter.title, goal=chapter.about, instructions=chapter.events,
        acceptance_criteria=(*chapter.understood, chapter.ending),
    )  # fmt: skip
