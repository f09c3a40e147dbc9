"""What an author orders of a written unit: a model told by a note, more candidates, one of them as its text.

Each is told with what speaks against it and what it takes before anything is asked.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.relay.secrets.guard import public_at
from bookwright.agents.relay.secrets.kept import kept_at
from bookwright.agents.relay.secrets.reviewing import review_by_code
from bookwright.app.access import OpenBook, at_rest
from bookwright.app.candidates import UnitCandidates, candidates_at, candidates_of
from bookwright.app.changes.editing import queue_edit
from bookwright.app.changes.refreshing import RefreshBill, bill_of_making, bill_of_writing
from bookwright.app.comments import CommentView, comment_view, comments_at
from bookwright.app.estimates.bill import Bill, Confirmable, priced
from bookwright.app.orders.starting import check_strong_writer
from bookwright.app.status.books import is_held
from bookwright.flows.book_models import model_of
from bookwright.flows.revision.revise import check_writable, chosen, store_version
from bookwright.models.document import Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.edit import CommentState, EditState, NoteEdit
from bookwright.models.errors import InvalidInput
from bookwright.models.story.candidates import MOST_CANDIDATES, Decided
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import Stores

_OPINION_TOKENS = 300


@dataclass(frozen=True)
class NoteOrder(Confirmable):
    """A comment as it would be ordered."""

    subject = "The text"

    sight: CommentView
    document: Document
    bill: RefreshBill

    def shown(self) -> tuple[object, ...]:
        """Return the comment, the version that it is about, and the bill."""
        return self.sight.comment.id, self.sight.order, self.document.id, self.bill.facts()

    @property
    def edit(self) -> NoteEdit:
        """What waits of it while the book is written."""
        comment, document = self.sight.comment, self.document
        return NoteEdit(
            comment=comment.id, label=comment.label, kind=document.kind, note=self.sight.order, seen=document.version
        )

    @property
    def arguments(self) -> list[str]:
        """The line that carries it out."""
        document, note = self.document, f"--note={self.sight.order}"
        return ["revise", document.book, self.sight.comment.label, "--kind", document.kind.value, note]


def check_amendable(opened: OpenBook, node: TaskNode, old: Document) -> None:
    """Make sure that a model may be told to change a document.

    Raises:
        InvalidInput: The engine keeps it, or the models are none for that; nothing was asked.
    """
    with opened.storage.read() as stores:
        check_writable(old, node, stores)
    weak = "a book of the profile small has a model too weak for notes; give the words with --text"
    check_strong_writer(opened, weak)


def order_of(opened: OpenBook, number: int) -> NoteOrder:
    """Return what a comment would be as an order, with its bill.

    Raises:
        EntryNotFound: There is no such comment.
        InvalidInput: A model cannot be told to change that text.
    """
    with opened.storage.read() as stores:
        sight = comment_view(stores, number)
        node = stores.nodes.by_label(sight.comment.label)
        old = chosen(stores, node, DocumentKind.PROSE)
        known = bill_of_making(old, stores)
    check_amendable(opened, node, old)
    return NoteOrder(sight, old, known or RefreshBill.exactly(bill_of_writing(old, opened)))


def give_order(opened: OpenBook, order: NoteOrder) -> bool:
    """Note that a model was told; True if whoever writes the book does it between two steps, else it is ours to do.

    What waits of this note already is not done as well.
    """
    comment, document = order.sight.comment, order.document
    with opened.storage.read() as stores:
        before = stores.edits.waiting_for(order.edit.target)
    is_left = is_held(opened.book)
    if is_left:
        queue_edit(opened, order.edit, before.id if before else None)
    with opened.storage.write() as stores:
        if before is not None and not is_left:
            stores.edits.settle(before.id, EditState.REPLACED)
        stores.comments.settle(comment.id, CommentState.ORDERED, document.version)
    return is_left


def orders_waiting(stores: Stores, label: str) -> list[CommentView]:
    """Return the comments at a unit that whoever revises its text next is to be told, oldest first.

    One that was told already is among them as long as the text reads as it did: what was begun then goes on.
    """
    return [sight for sight in comments_at(stores, [label]) if sight.is_order and sight.now]


def mark_told(stores: Stores, sights: Iterable[CommentView]) -> None:
    """Note that a model is told of some comments at the text as it stands."""
    for sight in sights:
        stores.comments.settle(sight.comment.id, CommentState.ORDERED, sight.version)


@dataclass(frozen=True)
class CandidateOrder:
    """Candidates as they would be asked for."""

    drafts: int
    """How many of them are to be written."""
    readings: int
    """How many readers are to be asked at least."""
    bill: RefreshBill


def order_of_candidates(opened: OpenBook, unit: TaskNode, count: int) -> CandidateOrder:
    """Return what it takes to bring a written unit to so many candidates.

    Raises:
        InvalidInput: It cannot have them: it has no text of its own yet, or nothing that it was written from.
    """
    if not 2 <= count <= MOST_CANDIDATES:
        raise InvalidInput(f"a unit can have 2 to {MOST_CANDIDATES} candidates")
    check_strong_writer(opened, "a book of the profile small has a model too weak for candidates")
    with opened.storage.read() as stores:
        text = chosen(stores, unit, DocumentKind.PROSE)
        if unit.is_brought_in:
            raise InvalidInput(f"{unit.name} was written before the book came here; there is no order to write it by")
        sight = candidates_of(unit, stores)
        there = len(sight.choice.candidates) if sight and sight.choice.revision == unit.revision else 0
        drafts = _drafts(unit, stores)
    missing = max(count - max(len(drafts), there), 0)
    readings = 2 * (count - max(there, 1)) if count > there else 0
    bill = bill_of_writing(text, opened, drafts, missing) + _reading(drafts, text, readings, opened)
    return CandidateOrder(missing, readings, RefreshBill.exactly(bill))


def _drafts(unit: TaskNode, stores: Stores) -> list[StepLine]:
    """Return the drafts of a unit as it stands that are on record; the first is the usual one."""
    lines = [line for line in stores.steps.lines(unit.label) if line.label == unit.label and not line.is_failed]
    found = [line for line in lines if line.activity == "write" and not line.round and line.step.startswith("draft")]
    return [line for line in found if stores.steps.asked(line.id).key.revision == unit.revision]


def _reading(drafts: list[StepLine], text: Document, count: int, opened: OpenBook) -> Bill:
    model = model_of("critic", opened.book.brief, opened.settings)
    size = max((line.output_tokens for line in drafts), default=TokenCounter().estimate(model, text.text))
    read = Bill(count, 2 * count * (size + _OPINION_TOKENS), count * _OPINION_TOKENS)
    return priced(read, model, opened.settings)


def take(opened: OpenBook, label: str, number: int) -> tuple[Document, tuple[str, ...]]:
    """Make a candidate's words the next version of a unit's text, in one transaction.

    With that version comes what the checks of code find that it gives away too early, in its own words: no reviser had
    it before.

    Raises:
        BookHeld: A worker writes the book.
        InvalidInput: There is no such candidate, its words stand there already, or the unit has no text yet.
    """
    with at_rest(opened.storage) as stores:
        unit = stores.nodes.by_label(label)
        sight = candidates_at(unit, stores)
        candidate = sight.candidate(number)
        prose = _standing(sight, number, stores)
        if prose.text.strip() == candidate.text.strip():
            raise InvalidInput(f"the text of {unit.name} reads as candidate {number} already")
        new = NewDocument(
            node=unit.key, kind=DocumentKind.PROSE, text=candidate.text, base=prose.version,
            inputs=tuple(stores.documents.inputs_of(sight.document.id)), origin=DocumentOrigin.CANDIDATE,
            codex=stores.codex_uses.of(sight.document.id), note=f"candidate {number}",
        )  # fmt: skip
        made = store_version(stores, unit, prose, new, None)
        choice = sight.choice.model_copy(update={"chosen": number, "by": Decided.AUTHOR})
        stores.documents.add(
            NewDocument(
                node=unit.key, kind=DocumentKind.CANDIDATES, text=choice.as_text, data=choice.model_dump_json(),
                inputs=new.inputs, codex=new.codex,
            ),
            None,
        )  # fmt: skip
        return made, _leaks(opened, unit, candidate.text, stores)


def _standing(sight: UnitCandidates, number: int, stores: Stores) -> Document:
    """Return the text that stands; there is none while the author's choice is waited for."""
    unit = sight.unit
    if sight.gate is not None:
        raise InvalidInput(
            f"the book waits for your choice between them; "
            f"`bookwright approve {unit.book} {sight.gate.id} --candidate {number}` makes it"
        )
    prose = stores.documents.current(unit.key, DocumentKind.PROSE)
    if prose is None:
        raise InvalidInput(f"{unit.name} is being written; a candidate is taken once it has a text")
    return prose


def _leaks(opened: OpenBook, unit: TaskNode, text: str, stores: Stores) -> tuple[str, ...]:
    brief = opened.book.brief
    kept = kept_at(stores.codex, unit.label, brief.forbidden_keywords)
    if not (kept.is_hiding or kept.words):
        return ()
    kept = replace(kept, public=public_at(stores, brief, unit))
    found = review_by_code(text, kept, brief.language, make_embedder(opened.settings))
    return tuple(dict.fromkeys(issue.excerpt for issue in found))
