"""An author's note on a text as an order to a model: what speaks against it, what it takes, what confirms it."""

from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.agents.backends.tokens import TokenCounter
from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import queue_edit
from bookwright.app.comments.passages import CommentSight, comment_sight, comments_at
from bookwright.app.confirming import check_confirmed, hash_of
from bookwright.app.estimates.stale_bill import RefreshBill, bill_of_making
from bookwright.app.orders import checks
from bookwright.app.orders.bill import Bill, priced
from bookwright.app.status.shelf import is_held
from bookwright.flows.book_models import fitted_profile, kept_windows, model_of
from bookwright.flows.revision.revise import check_writable, chosen
from bookwright.models.comment import Comment, CommentState
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import EditState, NoteEdit
from bookwright.models.errors import InvalidInput
from bookwright.models.profile import ProfileName
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_READ_BESIDE = 3
"""A writer reads the text with about this much around it."""


@dataclass(frozen=True)
class NoteOrder:
    """A comment as it would be ordered."""

    sight: CommentSight
    document: Document
    bill: RefreshBill

    @property
    def comment(self) -> Comment:
        """The comment itself."""
        return self.sight.comment

    @property
    def note(self) -> str:
        """What the model is told."""
        return self.sight.order

    @property
    def hash(self) -> str:
        """What stands for this order and its bill: another version, or another price, has another one."""
        return hash_of(self.comment.id, self.note, self.document.id, self.bill.facts())

    @property
    def edit(self) -> NoteEdit:
        """What waits of it while the book is written."""
        document = self.document
        return NoteEdit(
            comment=self.comment.id, label=self.comment.label, kind=document.kind, note=self.note, seen=document.version
        )

    @property
    def arguments(self) -> list[str]:
        """The line that carries it out."""
        return [
            "revise", self.document.book, self.comment.label, "--kind", self.document.kind.value, f"--note={self.note}",
        ]  # fmt: skip


def check_amendable(opened: OpenBook, node: TaskNode, old: Document) -> None:
    """Make sure that a model may be told to change a document.

    Raises:
        InvalidInput: The engine keeps it, or the models are none for that; nothing was asked.
    """
    with opened.storage.read() as stores:
        check_writable(old, node, stores)
    checks.check_writable(opened.book.brief, opened.settings)
    if fitted_profile(opened.book.brief, kept_windows(opened.book, opened.settings)).name is ProfileName.SMALL:
        raise InvalidInput("a book of the profile small has a model too weak for notes; give the words with --text")


def order_of(opened: OpenBook, number: int) -> NoteOrder:
    """Return what a comment would be as an order, with its bill.

    Raises:
        EntryNotFound: There is no such comment.
        InvalidInput: A model cannot be told to change that text.
    """
    with opened.storage.read() as stores:
        sight = comment_sight(stores, number)
        node = stores.nodes.by_label(sight.comment.label)
        old = chosen(stores, node, DocumentKind.PROSE)
        known = bill_of_making(old, stores)
    check_amendable(opened, node, old)
    return NoteOrder(sight, old, known or _guessed(opened, old))


def confirm_order(opened: OpenBook, number: int, confirmed: str) -> NoteOrder:
    """Return the order whose bill was confirmed.

    Raises:
        InvalidInput: It is another by now.
    """
    order = order_of(opened, number)
    check_confirmed(order.hash, confirmed, "The text")
    return order


def give_order(opened: OpenBook, order: NoteOrder) -> bool:
    """Note that a model was told; True if whoever writes the book does it between two steps, else it is ours to do.

    What waits of this note already is not done as well.
    """
    comment, document = order.comment, order.document
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


def orders_waiting(stores: Stores, label: str) -> list[CommentSight]:
    """Return the comments at a unit that whoever revises its text next is to be told, oldest first.

    One that was told already is among them as long as the text reads as it did: what was begun then goes on.
    """
    return [sight for sight in comments_at(stores, [label]) if sight.is_order and sight.now]


def mark_told(stores: Stores, sights: Iterable[CommentSight]) -> None:
    """Note that a model is told of some comments at the text as it stands."""
    for sight in sights:
        stores.comments.settle(sight.comment.id, CommentState.ORDERED, sight.version)


def _guessed(opened: OpenBook, old: Document) -> RefreshBill:
    """Say what one call takes of the length of a text that no model has made."""
    model = model_of("writer", opened.book.brief, opened.settings)
    size = TokenCounter().estimate(model, old.text)
    bill = priced(Bill(1, size * _READ_BESIDE, size), model, opened.settings)
    return RefreshBill(bill, bill)
