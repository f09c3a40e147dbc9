"""How a book sounds: its voice page, made before its first page, and the style guide that its first chapters set."""

from dataclasses import replace

from bookwright.agents.readers import VOICE
from bookwright.agents.relay.style_guide import guide_of_chapters, keep_guide, kept_guide, praised_in
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.exports.manuscript import accepted_beginning
from bookwright.flows.activities.outcomes import is_given_up, keep_document, try_step
from bookwright.flows.activities.told_books import is_told
from bookwright.flows.activities.unit_facts import begin_activity, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.step import Activity
from bookwright.models.text.figures import ENOUGH, StyleSource
from bookwright.models.tree.task import TaskNode

_LEAST = {"words": 2_000, "characters": 3_000}
"""From which length on a book has a voice page."""
_PAGE = {"words": 450, "characters": 700}
"""How long it may be: some 250 words of a page that is not printed, and how its teller tells."""


def wants_voice(book: TaskNode, deps: Deps) -> bool:
    """True for a book of prose that is planned and long enough, of which no page and no voice page is there yet."""
    if deps.profile.is_small or deps.makes_designs:
        return False
    if is_told(book, deps) or book.written or (book.length or 0) < _LEAST[deps.brief.length_unit]:
        return False
    there = deps.document(book, DocumentKind.VOICE, with_text=False)
    return there is None and not is_given_up(_run(book, deps), VOICE.name)


def make_voice(book: TaskNode, deps: Deps) -> None:
    """Have the writer find the book's voice; where no answer can be used the book does without."""
    run = _run(book, deps)
    try_step(run, VOICE, lambda text: keep_document(book, DocumentKind.VOICE, text, inputs=run.sources))


def _run(book: TaskNode, deps: Deps) -> ActivityRun:
    card = replace(unit_card(book, deps), word_allowance=_PAGE[deps.brief.length_unit])
    return begin_activity(Activity.BRIEF, book, deps, VOICE.context, card, next_activity="divide")


def settle_style(deps: Deps) -> None:
    """Keep the style of the first chapters, unless the author gave a sample or they are too short yet.

    Looked at before each unit is written, so that a killed book has its guide before the same unit as another.
    A weak model's prompts have no room for one.
    """
    if deps.profile.is_small:
        return
    with deps.stores() as stores:
        root = stores.nodes.root()
        is_long = root.written >= ENOUGH[deps.brief.length_unit]
    if not is_long or deps.document(root, DocumentKind.STYLE_GUIDE, with_text=False) is not None:
        return
    if texts := accepted_beginning(deps.storage):
        with deps.stores() as stores:
            praised = praised_in(stores)
        guide = guide_of_chapters(texts, deps.brief, praised)
        deps.desk.journal.move(lambda stores, _: keep_guide(guide, deps.brief, stores, DocumentOrigin.STEP))


def sample_block(deps: Deps) -> list[str]:
    """The tag of the style guide where its author gave a sample; else the book's own pages tell how it sounds."""
    with deps.stores() as stores:
        return ["style_guide"] if (kept := kept_guide(stores)) and kept.source is StyleSource.SAMPLE else []
