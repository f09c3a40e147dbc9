"""Words of an author in place of a text: what rests on it, and saving, by the version that they were made from."""

from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.app.access import OpenBook, at_rest
from bookwright.flows.revision.revise import chosen, restore, take_in, with_prose
from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import EditConflict
from bookwright.models.staleness import Version
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class TextEdit:
    """Words that an author wants in the place of a document's."""

    label: str
    kind: DocumentKind | None
    """None for the one that the node is for."""
    text: str
    seen: int | None = None
    """The version that the author had before them; None takes whatever stands."""


@dataclass(frozen=True)
class EditSight:
    """A document as its author finds it before editing."""

    node: TaskNode
    document: Document
    """With its text."""
    under: list[Version]
    """What it was made from."""
    resting: list[Version]
    """What would go stale by other words."""
    names: dict[str, str]
    """Titles of the nodes that these are of, by their labels."""


def edit_sight(stores: Stores, label: str, kind: DocumentKind | None) -> EditSight:
    """Return a document with what it rests on and what rests on it.

    Raises:
        NodeNotFound: There is no such node.
        InvalidInput: It has no such document, or several.
    """
    node = stores.nodes.by_label(label)
    document = chosen(stores, node, kind)
    under, resting = stores.staleness.under(document.id), stores.staleness.resting_on(document.id)
    return EditSight(node, document, under, resting, node_names(stores, (one.label for one in (*under, *resting))))


def node_names(stores: Stores, labels: Iterable[str]) -> dict[str, str]:
    """Return what nodes are called where nobody wants a label: by their titles, or what they are to achieve."""
    nodes = {label: stores.nodes.by_label(label) for label in dict.fromkeys(labels)}
    return {label: node.title or node.goal[:60] for label, node in nodes.items()}


def editable_parts(stores: Stores, label: str) -> list[str]:
    """Return the labels of what holds a unit's text: its own, or those of the units below that have it."""
    node = stores.nodes.by_label(label)
    if stores.documents.current(node.key, DocumentKind.PROSE, with_text=False) is not None:
        return [label]
    return with_prose(node, stores)


def save(opened: OpenBook, edit: TextEdit) -> Document | None:
    """Make an author's words the next version of a document of a book that rests; None where they stand there already.

    Raises:
        BookHeld: A worker writes the book.
        EditConflict: Another version stands than the author had before them; nothing was changed.
        InvalidInput: There are no words, or they are not an author's to write.
    """
    with at_rest(opened.storage) as stores:
        return put_words(stores, edit)


def put_words(stores: Stores, edit: TextEdit, note: str = "") -> Document | None:
    """Make an author's words the next version of a document, in a transaction that may write the book."""
    node = stores.nodes.by_label(edit.label)
    old = chosen(stores, node, edit.kind)
    if edit.seen is not None and old.version != edit.seen:
        raise EditConflict(
            f"version {old.version} of the {old.kind} of {node.name} was made since you opened version {edit.seen}; "
            "nothing was changed"
        )
    return take_in(stores, node, old, edit.text, note)


def take_up(opened: OpenBook, label: str, kind: DocumentKind | None, version: int) -> Document:
    """Take an earlier version of a document up again while the book rests.

    Raises:
        BookHeld: A worker writes the book.
        InvalidInput: There is no such version, or its text stands there already.
    """
    with at_rest(opened.storage) as stores:
        return restore(stores, stores.nodes.by_label(label), kind, version)
