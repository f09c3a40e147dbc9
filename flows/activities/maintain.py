"""The two maintainers, who update the book's design and the state of the story: queued news in order, one call each.

Deferred, not concurrent; a failed update waits for the next occasion and never fails the book.
Source: C-03, S3-120 to S3-126.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from bookwright.agents.agent import Agent
from bookwright.agents.context.materials import origin_of
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Check
from bookwright.agents.workflows import INFER, book_design_maintainer, global_state_maintainer
from bookwright.flows.activities.outcomes import both, keep_document, try_step
from bookwright.flows.activities.prompt_sizes import condense, every, within_length
from bookwright.flows.activities.unit_facts import allowance, begin_activity, is_one_sitting, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import Document, DocumentKind
from bookwright.models.step import Activity
from bookwright.models.story.state import GlobalState, lost_promises
from bookwright.models.text.binding import RELEASE, lost_lines, without_releases
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_part, render_problem
from bookwright.storage.steps.journal import Move

_ALLOWANCE = {DocumentKind.BOOK_DESIGN: (150, 1_500), DocumentKind.GLOBAL_STATE: (100, 600)}
"""Least and most words of a maintained document; between them a tenth of the book."""

_TOGETHER, _TOGETHER_SMALL = 8, 2
"""How many chapters that were brought in are told to the maintainers at once, and to weak ones."""


def maintain(unit: TaskNode, deps: Deps) -> None:
    """Bring both running documents up to date before `unit` is worked on."""
    with deps.stores() as stores:
        waiting = list(stores.queue.waiting())
        root = stores.nodes.root()
    if is_one_sitting(root, deps):  # its writer reads the designs themselves
        waiting = [item for item in waiting if item[1] is not DocumentKind.BOOK_DESIGN]
    for kind in (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE):
        items = [(row, document) for row, waiting_kind, document in waiting if waiting_kind is kind]
        if items:
            deps.observer.run(Activity.MAINTAIN, unit, partial(_apply, kind, items, deps))
            if kind is DocumentKind.BOOK_DESIGN:
                condense(deps)


def keep_up(unit: TaskNode, deps: Deps) -> None:
    """Apply the news of imported chapters before more of it is queued than one prompt holds."""
    if not unit.is_brought_in:
        return
    with deps.stores() as stores:
        waiting = sum(kind is DocumentKind.GLOBAL_STATE for _, kind, _ in stores.queue.waiting())
    most = _TOGETHER_SMALL if deps.profile.is_small else _TOGETHER
    if waiting >= most or (waiting and unit.parent is None):
        maintain(unit, deps)


@dataclass(frozen=True)
class _Owed:
    """A document that a maintainer keeps, and the queued news that is not in it yet."""

    book: TaskNode
    present: Document | None
    data: str
    """Its structure as JSON; empty where it is only text."""
    news: list[Document]
    """In order, each in its newest version."""
    told_by: list[TaskNode]
    """Whose news each is."""
    up_to: int
    """The last of it in the queue."""

    @property
    def text(self) -> str:
        """The document's text; empty where there is none yet."""
        return self.present.text if self.present else ""


def _owed(kind: DocumentKind, waiting: list[tuple[int, int]], deps: Deps) -> _Owed:
    with deps.stores() as stores:
        present = stores.documents.latest(kind)
        queued = (document for document in (stores.documents.get(key) for _, key in waiting) if document)
        newest = {(document.node, document.kind): document for document in queued}
        news = sorted(newest.values(), key=lambda document: document.id)
        return _Owed(
            book=stores.nodes.root(), present=present, data=stores.documents.data_of(present), news=news,
            told_by=[stores.nodes.get(document.node) for document in news], up_to=waiting[-1][0],
        )  # fmt: skip


def _apply(kind: DocumentKind, waiting: list[tuple[int, int]], deps: Deps) -> None:
    owed = _owed(kind, waiting, deps)
    book, agent = owed.book, _agent(kind, owed.news, deps)
    length = allowance(deps.brief.length * 0.1, *_ALLOWANCE[kind], deps)
    card = replace(unit_card(book, deps), word_allowance=length)
    run = begin_activity(Activity.MAINTAIN, book, deps, "maintainer", card, round_=owed.up_to)
    before = GlobalState.model_validate_json(owed.data) if owed.data and agent.output else None
    _show(owed, before, run, deps)

    def move(answer: str | GlobalState) -> Move:
        text, structure = _kept(answer, before, (owed.told_by or [book])[-1].label, deps)
        kept = keep_document(book, kind, text, data=structure, inputs=run.sources)
        return both(kept, lambda stores, _: stores.queue.mark_applied(kind, owed.up_to))

    # What could not be taken in is tried again with the next news.
    keeps: Check = partial(what_is_lost, deps.desk.locale, before or owed.text)
    check = keeps if agent.output else every(keeps, within_length(run, agent.name, deps))
    try_step(run, agent, move, check=check)


def _show(owed: _Owed, before: GlobalState | None, run: ActivityRun, deps: Deps) -> None:
    run.add("current_document", before.as_shown() if before else owed.text)
    run.rests_on(*(document.id for document in (owed.present, *owed.news) if document))
    for document, node in zip(owed.news, owed.told_by, strict=True):
        # a weak model would copy the heading into its answer
        heading = "" if run.is_small else f"{origin_of(node, document.kind, deps.desk.locale)}\n"
        run.add("news", f"{heading}{document.text}")


def what_is_lost(locale: str, before: str | GlobalState, after: str | GlobalState) -> str:
    """Say which promises or binding lines a new version drops without a word; empty if none."""
    if isinstance(after, str):
        lost = lost_lines(before, after) if isinstance(before, str) else []
        return render_problem("lost_lines", locale, lines="\n".join(lost), release=RELEASE) if lost else ""
    promises = lost_promises(before, after) if isinstance(before, GlobalState) else []
    ids = ", ".join(promise.id for promise in promises)
    return render_problem("lost_promises", locale, ids=ids) if promises else ""


def _kept(answer: str | GlobalState, before: GlobalState | None, origin: str, deps: Deps) -> tuple[str, str]:
    """Return the text and the structure under which an answer is kept."""
    if isinstance(answer, str):
        return without_releases(answer), ""
    state = answer.numbered(before, origin)
    text = render_part("story/_state", state=state, language=deps.brief.language.english_name)
    return text, state.model_dump_json(exclude_defaults=True)


def _agent(kind: DocumentKind, news: Sequence[Document], deps: Deps) -> Agent:
    is_told = all(document.kind is DocumentKind.SUMMARY for document in news)
    if kind is DocumentKind.BOOK_DESIGN and is_told and not deps.profile.is_small:
        return INFER
    if kind is DocumentKind.BOOK_DESIGN:
        return book_design_maintainer(deps.profile.name)
    return global_state_maintainer(deps.profile.name)
