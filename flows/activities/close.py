"""Closing a finished unit: its summary, its review, and the updates that the maintainers are to make."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from bookwright.agents.blueprints.page_reading import PlannedName, kept_name
from bookwright.agents.small.premise import names_in, opening_of
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import SMALL_REVIEW, blurb_writer, evaluates, summariser
from bookwright.flows import gates
from bookwright.flows.activities.chapter_check import audit, audit_again, extracts, last_prose, report_move
from bookwright.flows.activities.extract import chapter_move, extract
from bookwright.flows.activities.outcomes import as_move, both, close_node, keep_document, name_book, no_move
from bookwright.flows.activities.prose.cold_reading import SECOND, read_and_repair, read_book, review_retellings
from bookwright.flows.activities.told_books import is_plotted, most_beside
from bookwright.flows.activities.unit_facts import (
    allowance,
    begin_activity,
    depth_at,
    prose_of,
    stands_for_chapter,
    unit_card,
)
from bookwright.flows.deps import Deps
from bookwright.models.document import Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.gate import GateKind
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.text.length import spread_after
from bookwright.models.text.prose import paragraphs
from bookwright.models.tree.decision import TitleAndBlurb
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

_SUMMARY_SHARE = 0.1
_SUMMARY_BOUNDS = (50, 600)
_PARTS_SHOWN = 40


@dataclass(frozen=True)
class _Closing:
    """A unit that is being closed."""

    deps: Deps
    run: ActivityRun
    asks_review: bool
    gate: GateKind | None
    """The gate that the closing opens, if any."""
    most: int | None
    """How long a sibling may grow by what the unit fell short; None for as long as that takes."""

    def keep(self, kind: DocumentKind, text: str, stores: Stores, step: int) -> int:
        """Store the text of a step as a document of a kind; return the document's id."""
        new = NewDocument(node=self.run.unit.key, kind=kind, text=text, inputs=self.run.sources)
        return stores.documents.add(new, step).id

    def finish(self, stores: Stores, _: int) -> None:
        """Mark the unit as done, and spread what its parent still owes over the siblings that wait.

        Only a division that is complete does so: one that is incremental grants the next unit its length when it is
        made, also where the one in progress waits while an earlier one is closed again.
        """
        unit = self.run.unit
        was_closed = stores.nodes.get(unit.key).status is NodeStatus.DONE
        beside = stores.nodes.waiting_units(unit.parent) if unit.parent else []  # before they are out of view
        stores.nodes.change(unit.key, status=NodeStatus.DONE.value)
        if self.gate is not None:
            stores.gates.open(unit, self.gate)
        waiting = [sibling for sibling in beside if sibling.key != unit.key]
        if unit.parent and not was_closed and waiting and waiting[-1].is_last:  # nobody pays twice for a unit
            lengths = spread_after(stores.nodes.get(unit.parent).remaining, [own.length or 1 for own in waiting])
            for sibling, owed in zip(waiting, lengths, strict=True):
                if (length := min(owed, self.most or owed)) != sibling.length:
                    stores.nodes.change(sibling.key, length=length)


def close(unit: TaskNode, deps: Deps) -> None:
    """Have a chapter, and at its end the book, read and put right; then sum the unit up. Designs are only closed."""
    if deps.makes_designs:
        deps.desk.journal.move(close_node(unit))
        return
    found = _look_back(unit, deps)
    closing = _begun(deps.fresh(unit), deps)
    _sum_up(closing, found)
    if closing.asks_review:
        _review(closing)
    elif deps.fresh(unit).status is not NodeStatus.DONE:  # summed up when a review was still to follow
        deps.desk.journal.move(closing.finish)


def _begun(unit: TaskNode, deps: Deps) -> _Closing:
    length = allowance(unit.written * _SUMMARY_SHARE, *_SUMMARY_BOUNDS, deps)
    card = replace(unit_card(unit, deps), word_allowance=length)
    run = begin_activity(Activity.CLOSE, unit, deps, "evaluator", card, next_activity="divide")
    if unit.parent is not None and is_plotted(unit, deps):  # the chapter says all that its summary needs
        run.narrow_to()
    _put_text_before(unit, run, deps)
    gate = None if unit.is_brought_in else gates.asked_at_close(unit, deps)
    asks_review = deps.profile.is_small and unit.level is Level.BOOK and not unit.is_brought_in
    return _Closing(deps, run, asks_review, gate, most_beside(unit, deps))


def _sum_up(closing: _Closing, found: Move) -> None:
    """Have the unit summed up; what looking back on it found is kept with the summary."""
    owed = _owed(closing.run.unit, closing.deps)

    def record(text: str, stores: Stores, step: int) -> None:
        summary = closing.keep(DocumentKind.SUMMARY, text, stores, step)
        found(stores, step)
        for kind in owed:
            stores.queue.add(kind, summary)
        if not closing.asks_review:
            closing.finish(stores, step)

    agent = summariser(closing.run.unit.level, closing.deps.profile.name)
    closing.run.run(agent, as_move(record), next_step="review" if closing.asks_review else "")


def _review(closing: _Closing) -> None:
    """Have the unit reviewed, with its summary in view, and finish it."""
    summary = closing.deps.document(closing.run.unit, DocumentKind.SUMMARY, with_text=False)
    assert summary is not None  # the step that left it is on record
    closing.run.rests_on(summary.id)

    def record(text: str, stores: Stores, step: int) -> None:
        closing.keep(DocumentKind.REVIEW, text, stores, step)
        closing.finish(stores, step)

    closing.run.run(SMALL_REVIEW, as_move(record))


def _look_back(unit: TaskNode, deps: Deps) -> Move:
    """Have a chapter or what stands in its place judged, read, put right and put into the codex; at its end the book.

    Where no model may judge, the move that keeps what code finds comes back, to be made with the summary.
    """
    if not stands_for_chapter(unit, deps):
        _look_at_parts(unit, deps)
        return no_move
    is_extracted = extracts(unit, deps)
    # Nobody makes the author's text better; what is told whole was read, and is read again.
    stays = is_extracted and (unit.is_brought_in or is_plotted(unit, deps))
    if evaluates(deps.profile.name) and not stays:
        findings = audit(unit, deps)
        if depth_at(unit, deps) is not Depth.SLIGHT:  # whose first draft was read
            read_and_repair(unit, findings, deps)
            if deps.profile.name is ProfileName.FINE and (left := audit_again(unit, deps)):
                read_and_repair(unit, left, deps, SECOND)
        extract(unit, deps)
        return no_move
    text = prose_of(unit, deps)
    if is_extracted:
        extract(unit, deps)
        return report_move(unit, text, None, deps)
    with deps.stores() as stores:
        prose = last_prose(unit, stores)
    return both(report_move(unit, text, None, deps), chapter_move(unit, text, None, prose.id if prose else None))


def _look_at_parts(unit: TaskNode, deps: Deps) -> None:
    """Have a finished book read whole, or what readers told of an act or a volume looked at."""
    if unit.is_brought_in or deps.profile.is_small:
        return
    if unit.parent is None:
        read_book(unit, deps)
    elif unit.level.is_at_least(Level.ACT) and evaluates(deps.profile.name):
        review_retellings(unit, deps)


def publish(book: TaskNode, deps: Deps) -> None:
    """Give the book its blurb, and a title unless it has been given one; that stays where a book went on."""
    run = begin_activity(Activity.PUBLISH, book, deps, "questions")
    with deps.stores() as stores:
        summary = stores.documents.current(book.key, DocumentKind.SUMMARY)
        summary = stores.documents.latest(DocumentKind.BOOK_DESIGN) if deps.makes_designs else summary
        planned = kept_name(stores, deps.blueprint.plan) if deps.blueprint else PlannedName()
        given = deps.brief.title or stores.nodes.root().title
    run.card = replace(run.card, book=replace(run.card.book, title=given))
    if summary is not None:
        run.add("summary", summary.text)
        run.rests_on(summary.id)
    if planned.description:
        run.add("description", planned.description)

    def move(answer: TitleAndBlurb) -> Move:
        blurb = keep_document(book, DocumentKind.BLURB, _blurb(answer, deps), inputs=run.sources)
        return both(blurb, partial(name_book, given or answer.title.strip()))

    run.run(blurb_writer(deps.profile.name), move)


def _blurb(answer: TitleAndBlurb, deps: Deps) -> str:
    """The model's blurb; the premise's own opening where a weak model's names nobody of it."""
    names = names_in(deps.brief.premise)
    if not deps.profile.is_small or not names or any(name in answer.blurb for name in names):
        return answer.blurb
    return opening_of(deps.brief.premise, 0, 2, deps.brief.language) or answer.blurb


def is_published(book: TaskNode, deps: Deps) -> bool:
    """True once the book has a blurb that tells of it as it is; an author's own tells what the author wants."""
    blurb = deps.document(book, DocumentKind.BLURB, with_text=False)
    summary = deps.document(book, DocumentKind.SUMMARY, with_text=False)
    if blurb is None or summary is None:
        return blurb is not None
    return blurb.id > summary.id or blurb.origin is DocumentOrigin.AUTHOR


def _owed(unit: TaskNode, deps: Deps) -> tuple[DocumentKind, ...]:
    """Return the running documents whose maintainers are to hear of a unit; nobody has designed what was brought in."""
    if not stands_for_chapter(unit, deps) or is_plotted(unit, deps):  # whose writer has every page in view
        return ()
    design = (DocumentKind.BOOK_DESIGN,) if unit.is_brought_in else ()
    return (*design, DocumentKind.GLOBAL_STATE)


def _put_text_before(unit: TaskNode, run: ActivityRun, deps: Deps) -> None:
    """Put the unit's prose before the steps, or the summaries of its parts and what repairs have changed since."""
    with deps.stores() as stores:
        parts = [part.key for part in stores.nodes.child_units(unit.key)[-_PARTS_SHOWN:]]
        kind = DocumentKind.SUMMARY if parts else DocumentKind.PROSE
        documents = stores.documents.of_nodes(parts or [unit.key], kind)
        shown = [("part" if parts else "text", document, document.text) for document in documents]
        shown += _amended(documents[-1], stores) if parts and documents and unit.parent is None else ()
    is_read = not parts and extracts(unit, deps) and stands_for_chapter(unit, deps)  # by its judges, right before
    for tag, document, text in shown:
        (run.lead_with if is_read else run.add)(tag, text)
        run.rests_on(document.id)


def _amended(last: Document, stores: Stores) -> Iterator[tuple[str, Document, str]]:
    """Yield what was repaired after the last part was summed up: the paragraphs struck and those written."""
    for now in stores.documents.after(last.id, [DocumentKind.PROSE], _PARTS_SHOWN):
        if now.origin is DocumentOrigin.REPAIR:
            old = [one for was in stores.documents.as_of([now.node], now.kind, now.id) for one in paragraphs(was.text)]
            new = paragraphs(now.text)
            lines = [*(f"- {one}" for one in old if one not in new), *(f"+ {one}" for one in new if one not in old)]
            yield "amended", now, "\n\n".join((f"[{stores.nodes.get(now.node).label}]", *lines))
