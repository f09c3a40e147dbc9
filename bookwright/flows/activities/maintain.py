"""The two maintainers: what waits is applied in order, in one call each, before it is needed.

Deferred, not concurrent; a failed update waits for the next occasion and never fails the book.
Source: C-03, S3-120 to S3-126.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bookwright.agents.agent import Agent
from bookwright.agents.context.materials import origin_of
from bookwright.agents.workflows import INFER, book_design_maintainer, global_state_maintainer
from bookwright.flows.activities.condense import condense
from bookwright.flows.activities.surroundings import unit_card
from bookwright.flows.deps import Deps
from bookwright.models.binding import RELEASE, lost_lines, without_releases
from bookwright.models.document import Document, DocumentKind, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.profile import ProfileName
from bookwright.models.state import GlobalState, lost_promises
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.prompts import render_problem, render_state
from bookwright.storage.journal import Move
from bookwright.storage.stores import Stores

_ALLOWANCE = {DocumentKind.BOOK_DESIGN: (150, 1_500), DocumentKind.GLOBAL_STATE: (100, 600)}
"""Least and most words of a maintained document; between them a tenth of the book."""


_TOGETHER, _TOGETHER_SMALL = 8, 2
"""How many chapters that were brought in are told to the maintainers at once, and to weak ones."""


def maintain(unit: TaskNode, deps: Deps) -> None:
    """Bring both running documents up to date before `unit` is worked on."""
    with deps.stores() as stores:
        waiting = list(stores.queue.waiting())
    for kind in (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE):
        items = [(row, document) for row, waiting_kind, document in waiting if waiting_kind is kind]
        if items:
            deps.window.run(Activity.MAINTAIN, unit, partial(_apply, unit, kind, items, deps))
            if kind is DocumentKind.BOOK_DESIGN:
                condense(deps)


def keep_up(unit: TaskNode, deps: Deps) -> None:
    """Take in what chapters that were brought in have told, before more of it waits than one prompt holds."""
    if not unit.is_brought_in:
        return
    with deps.stores() as stores:
        waiting = sum(kind is DocumentKind.GLOBAL_STATE for _, kind, _ in stores.queue.waiting())
    most = _TOGETHER_SMALL if deps.profile.name is ProfileName.SMALL else _TOGETHER
    if waiting >= most or (waiting and unit.parent is None):
        maintain(unit, deps)


def _apply(unit: TaskNode, kind: DocumentKind, items: list[tuple[int, int]], deps: Deps) -> None:
    with deps.stores() as stores:
        book = stores.nodes.root()
        present = stores.documents.latest(kind)
        data = stores.documents.data_of(present) if present else ""
        news = [document for document in (stores.documents.get(identity) for _, identity in items) if document]
        told_by = [stores.nodes.get(document.node) for document in news]
        origin = told_by[-1].label if told_by else book.label
    up_to = items[-1][0]
    card = replace(unit_card(book, deps), word_allowance=_allowance(kind, deps))
    run = deps.desk.begin(Activity.MAINTAIN, book, book, card, context="maintainer", round_=up_to)
    agent = _agent(kind, news, deps)
    if run.failures(agent.name) > deps.desk.settings.max_repairs:
        return  # this news could not be taken in; the next will bring both
    present_text = present.text if present else ""
    before = GlobalState.model_validate_json(data) if data and agent.output else None
    run.add("current_document", before.as_shown() if before else present_text)
    for document, node in zip(news, told_by, strict=True):
        # a weak model would copy the heading into its answer
        heading = "" if run.is_small else f"{origin_of(node, document.kind, deps.desk.locale)}\n"
        run.add("news", f"{heading}{document.text}")
    sources = (*((present.id,) if present else ()), *(document.id for document in news))

    def move(answer: str | GlobalState) -> Move:
        text, structure = _kept(answer, before, origin, deps)
        new = NewDocument(node=book.key, kind=kind, text=text, data=structure, inputs=(*run.sources, *sources))

        def record(stores: Stores, step: int) -> None:
            stores.documents.add(new, step)
            stores.queue.mark_applied(kind, up_to)

        return record

    try:
        run.run(agent, move, check=partial(what_is_lost, deps.desk.locale, before or present_text))
    except (NoResult, RequestRejected):
        return  # its attempts are on record; what waits is tried again with the next news


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
    return render_state(state, deps.brief.language.english_name), state.model_dump_json(exclude_defaults=True)


def _agent(kind: DocumentKind, news: Sequence[Document], deps: Deps) -> Agent:
    is_told = all(document.kind is DocumentKind.SUMMARY for document in news)
    if kind is DocumentKind.BOOK_DESIGN and is_told and deps.profile.name is not ProfileName.SMALL:
        return INFER
    if kind is DocumentKind.BOOK_DESIGN:
        return book_design_maintainer(deps.profile.name)
    return global_state_maintainer(deps.profile.name)


def _allowance(kind: DocumentKind, deps: Deps) -> int:
    low, high = _ALLOWANCE[kind]
    scale = 1.0 if deps.brief.length_unit == "words" else 1.6
    return round(min(max(deps.brief.length * 0.1, low), high) * scale)
