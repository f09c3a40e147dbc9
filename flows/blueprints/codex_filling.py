"""Filling the codex of a book of designs from its pages, so that stories can be set in it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from bookwright.agents.blueprints.page_reading import CodexPage, page_records
from bookwright.agents.relay.extracting import ExtractionGround, design_records
from bookwright.agents.workflows import EXTRACT_DESIGN, evaluates
from bookwright.flows.activities.optional_steps import try_step
from bookwright.flows.activities.sizes import batches_of, cut_to_tokens
from bookwright.flows.activities.unit_facts import begin_activity
from bookwright.flows.blueprints.gathering import documents_of_pages
from bookwright.flows.blueprints.members import PartOf, folder_of, part_of
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import Blueprint, CodexPart
from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.extraction import DesignExtraction
from bookwright.models.codex.record import Origin, Record, kind_of
from bookwright.models.document import Document
from bookwright.models.errors import InvalidInput
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_SHARE = 0.8
"""Of the room of a designer's prompt, for the pages of one call."""


def fill_codex(book: TaskNode, deps: Deps) -> None:
    """Take a book's pages into its codex: what a model finds where one may judge, then what code reads off them."""
    plan = folder_of(deps).plan
    with deps.stores() as stores:
        pages = [own for own in documents_of_pages(book, stores) if codex_part(own[0], plan) is not None]
    if not pages:
        return
    if evaluates(deps.profile.name):
        deps.observer.run(Activity.REVIEW, book, lambda: _extract(book, [page for _, page in pages], deps))

    def complete(stores: Stores, step: int) -> None:
        for record, document in list(missing_records(book, plan, stores)):
            _merge([record], document, stores, step)

    deps.desk.journal.move(complete)


def codex_part(page: TaskNode, plan: Blueprint) -> CodexPart | None:
    """Return what a page is in the codex by its blueprint; None for nothing."""
    member = plan.member(page.member)
    return member.codex if member else None


def missing_records(book: TaskNode, plan: Blueprint, stores: Stores) -> Iterator[tuple[Record, int]]:
    """Yield what the pages of a book come to and its codex never had, each with its page; secrets where it has none."""
    default = stores.books.get(book.book).brief.default_visibility
    has_secrets = bool(stores.codex.secrets())
    for page, document in _codex_pages(book, plan, stores):
        for record in page_records(page, default):
            is_answered = isinstance(record, Secret) and has_secrets
            if not is_answered and not _was_there(record, stores):
                yield record, document


def _was_there(record: Record, stores: Stores) -> bool:
    """True for what is in the codex, by its id or its name, or was taken out of it."""
    kind = kind_of(record)
    return stores.codex.was_there(kind, record.id) or (
        isinstance(record, CodexEntry) and stores.codex.find(kind, record.name) is not None
    )


def _codex_pages(book: TaskNode, plan: Blueprint, stores: Stores) -> Iterator[tuple[CodexPage, int]]:
    """The pages that go to the codex: of a member with entries these, and not the page that introduces them."""
    found = [(node, page) for node, page in documents_of_pages(book, stores) if codex_part(node, plan) is not None]
    introduced = {node.parent for node, _ in found if part_of(node) is PartOf.ENTRY}
    for node, page in found:
        part = codex_part(node, plan)
        if part is not None and node.key not in introduced:
            yield CodexPage(node.title, page.text, part), page.id


def _merge(records: Iterable[Record], document: int, stores: Stores, step: int) -> None:
    for record in records:
        with suppress(InvalidInput):  # what fits nothing there is on its page all the same
            stores.codex.merge(record, Origin.DESIGN, document=document, step=step or None)


def _extract(book: TaskNode, pages: Sequence[Document], deps: Deps) -> None:
    """Have a model read the pages, as many at a time as it has room for."""
    run = begin_activity(Activity.REVIEW, book, deps, EXTRACT_DESIGN.context, next_activity="close")
    ground = ExtractionGround((deps.brief.premise, deps.brief.title), deps.brief.default_visibility)
    room = deps.profile.context_budget[EXTRACT_DESIGN.context] * _SHARE
    shown = [(page.id, cut_to_tokens(page.text, room, deps)) for page in pages]
    batches = batches_of(shown, lambda page: deps.desk.count_tokens(page[1]), room)
    for number, batch in enumerate(batches, 1):
        run.artefacts = []
        for _, text in batch:
            run.add("design", text)
        last, _ = batch[-1]  # code reads the pages all the same
        try_step(run, EXTRACT_DESIGN, partial(_taken_in, ground, last), step=f"{EXTRACT_DESIGN.name}.{number}")


def _taken_in(ground: ExtractionGround, document: int, found: DesignExtraction) -> Move:
    """The move that keeps what pages lay down; there is no story yet for threads, or for a secret to come out in."""
    records, _ = design_records(found.model_copy(update={"threads": ()}), ground)
    kept = [own.model_copy(update={"revealed_at": None}) if isinstance(own, Secret) else own for own in records]
    return lambda stores, step: _merge(kept, document, stores, step)
