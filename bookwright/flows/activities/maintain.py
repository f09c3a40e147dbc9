"""The two maintainers: what waits is applied in order, in one call each, before it is needed.

Deferred, not concurrent; a failed update waits for the next occasion and never fails the book.
Source: C-03, S3-120 to S3-126.
"""

from dataclasses import replace
from functools import partial

from bookwright.agents.agent import Agent
from bookwright.agents.workflows import book_design_maintainer, global_state_maintainer
from bookwright.flows.activities.surroundings import unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.storage.journal import Move
from bookwright.storage.stores import Stores

_ALLOWANCE = {DocumentKind.BOOK_DESIGN: (150, 1_500), DocumentKind.GLOBAL_STATE: (100, 600)}
"""Least and most words of a maintained document; between them a tenth of the book."""


def maintain(unit: TaskNode, deps: Deps) -> None:
    """Bring both running documents up to date before `unit` is worked on."""
    with deps.stores() as stores:
        waiting = list(stores.queue.waiting())
    for kind in (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE):
        items = [(row, document) for row, waiting_kind, document in waiting if waiting_kind is kind]
        if items:
            deps.window.run(Activity.MAINTAIN, unit, partial(_apply, unit, kind, items, deps))


def _apply(unit: TaskNode, kind: DocumentKind, items: list[tuple[int, int]], deps: Deps) -> None:
    with deps.stores() as stores:
        book = stores.nodes.root()
        present = stores.documents.latest(kind)
        news = [document for document in (stores.documents.get(identity) for _, identity in items) if document]
    up_to = items[-1][0]
    card = replace(unit_card(book, deps), word_allowance=_allowance(kind, deps))
    run = deps.desk.begin(Activity.MAINTAIN, book, book, card, context="maintainer", round_=up_to)
    if run.failures(_agent(kind, deps)) > deps.desk.settings.max_repairs:
        return  # this news could not be taken in; the next will bring both
    run.add("current_document", present.text if present else "")
    for document in news:
        run.add("news", document.text)
    sources = (*((present.id,) if present else ()), *(document.id for document in news))

    def move(text: str) -> Move:
        new = NewDocument(node=book.key, kind=kind, text=text, inputs=(*run.sources, *sources))

        def record(stores: Stores, step: int) -> None:
            stores.documents.add(new, step)
            stores.queue.mark_applied(kind, up_to)

        return record

    try:
        run.run(_agent(kind, deps), move)
    except (NoResult, RequestRejected):
        return  # its attempts are on record; what waits is tried again with the next news


def _agent(kind: DocumentKind, deps: Deps) -> Agent:
    if kind is DocumentKind.BOOK_DESIGN:
        return book_design_maintainer(deps.profile.name)
    return global_state_maintainer(deps.profile.name)


def _allowance(kind: DocumentKind, deps: Deps) -> int:
    low, high = _ALLOWANCE[kind]
    scale = 1.0 if deps.brief.length_unit == "words" else 1.6
    return round(min(max(deps.brief.length * 0.1, low), high) * scale)
