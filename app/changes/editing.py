"""Words of an author in place of a text: what rests on it, and saving, by the version that they were made from."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from bookwright.app.access import OpenBook, at_rest
from bookwright.app.node_lookup import node_names
from bookwright.exports.manuscript import Manuscript
from bookwright.flows.revision.edit_queue import check_edit, put_edit, settle_edit
from bookwright.flows.revision.edits import brief_seen
from bookwright.flows.revision.revise import chosen, earlier, restore
from bookwright.models.brief import make_brief
from bookwright.models.codex.record import Record, Stored, make_record
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import AuthorEdit, BriefEdit, EditState, NoteEdit, PlainEdit, RecordEdit, TextEdit
from bookwright.models.errors import BookHeld, EditConflict
from bookwright.models.staleness import Version
from bookwright.models.text.plain import plain
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import BookStorage, Stores


@dataclass(frozen=True)
class SavedEdit:
    """What came of a save."""

    made: Document | Stored[Record] | None = None
    """The new version; None where it waits, or says what stands there already."""
    queued: int | None = None
    """Under which number it waits."""


@dataclass(frozen=True)
class EditView:
    """A document as its author finds it before editing."""

    node: TaskNode
    document: Document
    """With its text."""
    under: list[Version]
    """What it was made from."""
    resting: list[Version]
    """What other words make stale, or leave so."""
    names: dict[str, str]
    """Titles of the nodes that these are of, by their labels."""


def edit_view(stores: Stores, label: str, kind: DocumentKind | None) -> EditView:
    """Return a document with what it rests on and what rests on it.

    Raises:
        NodeNotFound: There is no such node.
        InvalidInput: It has no such document, or several.
    """
    node = stores.nodes.by_label(label)
    document = chosen(stores, node, kind)
    under, resting = stores.staleness.inputs_of(document.id), stores.staleness.resting_on(document)
    return EditView(node, document, under, resting, node_names(stores, (one.label for one in (*under, *resting))))


def save_or_queue(opened: OpenBook, edit: PlainEdit, after: int | None = None) -> SavedEdit:
    """Make an author's change at once where the book rests; else let it wait for whoever writes the book.

    `after` is the last edit that the author has seen; one of the same thing that waits is replaced if it is no later.

    Raises:
        EditConflict: Another version stands, or another edit waits; nothing was changed.
        InvalidInput: It cannot be so.
    """
    take_in_at_rest(opened)
    try:
        with at_rest(opened.storage) as stores:
            return SavedEdit(made=put_edit(stores, _upon_own(stores, edit, after)))
    except BookHeld:
        return SavedEdit(queued=queue_edit(opened, edit, after))


def take_in_at_rest(opened: OpenBook) -> None:
    """Take in what waits for a book that nobody writes any more; nothing where somebody does."""
    with opened.storage.read() as stores:
        waiting = stores.edits.waiting()
    with suppress(BookHeld):
        for queued in waiting:
            with at_rest(opened.storage) as stores:
                settle_edit(stores, queued)


def queue_edit(opened: OpenBook, edit: AuthorEdit, after: int | None) -> int:
    """Let an edit wait for whoever writes the book; return its number.

    Raises:
        EditConflict: Another version stands, or an edit of the same thing waits that came later than `after`.
        InvalidInput: It cannot be so.
    """
    with opened.storage.write() as stores:
        before = stores.edits.waiting_for(edit.target)
        if before is not None and before.id > (after or 0):
            raise EditConflict("another edit of the same thing waits to be taken in; nothing was changed")
        if not isinstance(edit, NoteEdit):
            edit = _upon_own(stores, edit, after)
            check_edit(stores, edit)
        if before is not None:
            stores.edits.settle(before.id, EditState.REPLACED)
        return stores.edits.add(edit)


def _upon_own(stores: Stores, edit: PlainEdit, after: int | None) -> PlainEdit:
    """Return an edit as made from what its author's last one, `after`, came to, or else was made from."""
    own = stores.edits.latest_for(edit.target)
    if own is None or own.id != after or not isinstance(own.edit, TextEdit | RecordEdit | BriefEdit):
        return edit
    stands, is_own = _standing(stores, own.edit)
    return edit.model_copy(update={"seen": stands if is_own else own.edit.seen})


def _standing(stores: Stores, own: TextEdit | RecordEdit | BriefEdit) -> tuple[int | str, bool]:
    """Return what stands for that which an edit changed, as its next edit names it, and whether it says the same."""
    if isinstance(own, TextEdit):
        document = chosen(stores, stores.nodes.by_label(own.label), own.kind)
        return document.version, document.text.strip() == plain(own.text).strip()
    if isinstance(own, RecordEdit):
        stored = stores.codex.get(own.kind, own.slug)
        return stored.version, stored.record == make_record(own.kind, own.record)
    seen = brief_seen(stores.books.get(stores.book).brief)
    return seen, seen == brief_seen(make_brief(own.brief))


def take_up(opened: OpenBook, label: str, kind: DocumentKind | None, version: int) -> Document:
    """Take an earlier version of a document up again while the book rests.

    Raises:
        BookHeld: A worker writes the book.
        InvalidInput: There is no such version, or its text stands there already.
    """
    with at_rest(opened.storage) as stores:
        return restore(stores, stores.nodes.by_label(label), kind, version)


def take_up_or_queue(opened: OpenBook, label: str, kind: DocumentKind | None, version: int) -> SavedEdit:
    """Take an earlier version of a text up again, at once or between two steps of whoever writes the book.

    Raises:
        EditConflict: Another edit of it waits already.
        InvalidInput: There is no such version, or its text stands there already.
    """
    try:
        return SavedEdit(made=take_up(opened, label, kind, version))
    except BookHeld:
        with opened.storage.read() as stores:
            node = stores.nodes.by_label(label)
            old = chosen(stores, node, kind)
            text = stores.documents.text_of(earlier(stores, node, old, version))
        edit = TextEdit(label=label, kind=old.kind, text=text, seen=old.version)
        return SavedEdit(queued=queue_edit(opened, edit, None))


def without_heading(text: str, storage: BookStorage, label: str) -> str:
    """Return a text without the heading that a manuscript prints above a unit, if it begins with that.

    A chapter that was printed, edited and given back would otherwise have its heading twice.
    """
    headings = {section.heading.strip() for section in islice(Manuscript(storage).sections(label), 1)}
    first, _, rest = text.lstrip().partition("\n")
    return rest.lstrip("\n") if first.lstrip("#").strip() in headings - {""} else text
