"""The voice page: made once, when a book is designed and before its first page is written."""

from dataclasses import replace

from bookwright.agents.readers import VOICE
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.leaving import keeping
from bookwright.flows.activities.surroundings import unit_card
from bookwright.flows.activities.told_books import is_told
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move

_LEAST = {"words": 2_000, "characters": 3_000}
"""From which length on a book has a voice page."""
_PAGE = {"words": 450, "characters": 700}
"""How long it may be: some 250 words of a page that is not printed, and how its teller tells."""


def wants_voice(book: TaskNode, deps: Deps) -> bool:
    """True for a book of prose that is long enough, of which no page and no voice page is there yet.

    A short book that is told instead of planned finds its voice as it is told.
    """
    if deps.profile.name is ProfileName.SMALL or deps.makes_designs:
        return False
    if is_told(book, deps) or book.written or (book.length or 0) < _LEAST[deps.brief.length_unit]:
        return False
    with deps.stores() as stores:
        there = stores.documents.current(book.key, DocumentKind.VOICE, with_text=False)
    return there is None and _run(book, deps).failures(VOICE.name) <= deps.desk.settings.max_repairs


def make_voice(book: TaskNode, deps: Deps) -> None:
    """Have the writer find the book's voice; where no answer can be used the book does without."""
    run = _run(book, deps)

    def kept(text: str) -> Move:
        return keeping(NewDocument(node=book.key, kind=DocumentKind.VOICE, text=text, inputs=run.sources))

    try:
        run.run(VOICE, kept)
    except (NoResult, RequestRejected):
        return


def _run(book: TaskNode, deps: Deps) -> ActivityRun:
    card = replace(unit_card(book, deps), word_allowance=_PAGE[deps.brief.length_unit])
    return ActivityRun(deps.desk, Activity.BRIEF, book, book, card, context=VOICE.context, next_activity="divide")
