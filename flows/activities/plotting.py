"""Planning a told book whole: its story told twice in plain words, the better one chosen and cut into chapters.

The plan of a book of many chapters is doubted by somebody, and made once more.
"""

from dataclasses import replace
from functools import partial

from bookwright.agents.readers import DOUBTS, PLOT, PLOT_AGAIN, STORY, draft_again
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.unit_facts import begin_activity, max_unit_length, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity
from bookwright.models.story.plot import Plot, PlotChapter
from bookwright.models.text.length import spread
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level, usual_child_length
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts import render_problem
from bookwright.prompts.render import render_plot
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_FEW = 4
"""Chapters up to which the first plan stands; a longer one is doubted before it is built on."""

_FIRST_SHARE = 92
"""The first chapter's length in percent of the last one's: early chapters run over, and those where a book turns, which
come late, would have less room for it."""


def plot(book: TaskNode, deps: Deps) -> None:
    """Plan a book that is told; its plan becomes the book's design, and its chapters become nodes."""
    book = deps.fresh(book)
    count = _chapter_count(book, deps)
    run = _begun(book, count, deps)
    told = []
    for teller in (STORY, draft_again(STORY)):
        run.card = replace(run.card, is_second=teller is not STORY)
        told.append(str(run.run(teller, is_bare=True).value))
    run.card = replace(run.card, is_second=False)
    for tag, story in zip(("story_a", "story_b"), told, strict=True):
        run.add(tag, story)
    check = partial(_has_chapters, count, deps.desk.locale)
    if count <= _FEW:
        run.run(PLOT, partial(_planned, book, deps), check=check)
        return
    first = run.run(PLOT, check=check).value
    run = _begun(book, count, deps)  # what was not chosen is no longer seen
    run.add("plot", render_plot(first, deps.brief.language.english_name))
    run.run(DOUBTS)
    run.run(PLOT_AGAIN, partial(_planned, book, deps), check=check)


def _begun(book: TaskNode, count: int, deps: Deps) -> ActivityRun:
    card = replace(unit_card(book, deps), chapters=count, usual_child_length=(book.length or count) // count)
    run = begin_activity(Activity.PLAN, book, deps, PLOT.context, card, round_=1, next_activity="write")
    run.narrow_to()  # the order stands in the templates, and there is nothing else yet
    return run


def _chapter_count(book: TaskNode, deps: Deps) -> int:
    """How many chapters the book is to have: of the usual length, none too long to be written at once."""
    length = book.length or 1
    most = max_unit_length(deps)
    return max(2, round(length / usual_child_length(Level.CHAPTER, most)), -(-length // most))


def _has_chapters(count: int, locale: str, answer: Plot) -> str:
    """A plan has as many chapters as were asked for."""
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
