"""An author's note on a text as an order to a model: what speaks against it, what it takes, what confirms it."""

from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import queue_edit
from bookwright.app.changes.refreshing import RefreshBill, bill_of_making, bill_of_writing
from bookwright.app.comments import CommentView, comment_view, comments_at
from bookwright.app.estimates.bill import Confirmable
from bookwright.app.orders.starting import check_strong_writer
from bookwright.app.status.books import is_held
from bookwright.flows.revision.revise import check_writable, chosen
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import CommentState, EditState, NoteEdit
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


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
