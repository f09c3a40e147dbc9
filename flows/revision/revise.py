"""Changing one's mind about one document: by the author's own words, by a note, or by taking up an earlier version.

The old version stays; what rests on it is found by `StalenessRepository` and made anew by `flows/revision/refresh.py`.
"""

from collections.abc import Sequence

from bookwright.models.document import Document, DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import InvalidInput
from bookwright.models.text.plain import plain
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

WRITABLE = (
    DocumentKind.PROSE, DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.WRITERS_BRIEF, DocumentKind.SUMMARY,
    DocumentKind.REVIEW, DocumentKind.BLURB, DocumentKind.BOOK_DESIGN, DocumentKind.VOICE,
)  # fmt: skip
"""What an author may say in other words. The state of the story is kept as structure: it follows the summaries."""

_KEPT_WITH_TEXT = (DocumentKind.DESIGN, DocumentKind.FINDINGS)
"""Kinds whose structure is where they come from, which other words do not change."""
_SHOWN_PARTS = 8


def chosen(stores: Stores, node: TaskNode, kind: DocumentKind | None) -> Document:
    """Return the current document of a kind at a node, with its text; without a kind, the one that a node is for.

    Raises:
        InvalidInput: There is none, nothing says which is meant, or its text stands in parts, which are printed.
    """
    there = stores.documents.of_nodes([node.key], *DocumentKind)
    kinds = [document.kind for document in there]
    wanted = kind or next((kind for kind in WRITABLE[:3] if kind in kinds), kinds[0] if len(kinds) == 1 else None)
    if wanted in (None, DocumentKind.PROSE) and (parts := with_prose(node, stores)) not in ([], [node.label]):
        raise InvalidInput(f"{stores.name_of(node)} has its text in parts; name one of them: {_some(parts)}")
    found = next((document for document in there if document.kind is wanted), None)
    if found is not None:
        return found
    told = f"it has {', '.join(sorted(kinds))}" if kinds else "it has none yet"
    if kind is None and kinds:
        raise InvalidInput(
            f"{stores.name_of(node)} has several documents; say with --kind which: {', '.join(sorted(kinds))}"
        )
    raise InvalidInput(f"{stores.name_of(node)} has no {kind or 'document'}; {told}")


def with_prose(unit: TaskNode, stores: Stores) -> list[str]:
    """Return the labels of the units that hold a unit's text in reading order; its own where it has no parts."""
    return [part.label for part, _ in stores.prose_below(unit, with_text=False)]


def _some(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _SHOWN_PARTS:,} more" if len(labels) > _SHOWN_PARTS else ""
    return ", ".join(labels[:_SHOWN_PARTS]) + more


def check_writable(document: Document, node: TaskNode, stores: Stores) -> None:
    """Raise `InvalidInput` for a document that is made and kept by the engine alone."""
    if document.kind not in WRITABLE:
        raise InvalidInput(
            f"the {document.kind} of {stores.name_of(node)} is kept by the engine; revise what it is made of, "
            "or take an earlier version up again with `bookwright restore`"
        )


def check_words(old: Document, node: TaskNode, text: str, stores: Stores) -> str:
    """Return an author's words as they would be kept in the place of a document's.

    Raises:
        InvalidInput: There are none, or the kind is not an author's to write.
    """
    check_writable(old, node, stores)
    text = plain(text).strip()
    if not text:
        raise InvalidInput(
            f"a {old.kind} without a word would leave {stores.name_of(node)} without one; nothing was changed"
        )
    return text


def take_in(stores: Stores, node: TaskNode, old: Document, text: str, note: str = "") -> Document | None:
    """Make the author's words the next version of a document, in a transaction on a book that rests.

    Returns None, and changes nothing, where they are the words that stand there.

    Raises:
        InvalidInput: There are no words, or the kind is not an author's to write.
    """
    text = check_words(old, node, text, stores)
    if text == stores.documents.text_of(old).strip():
        return None
    new = NewDocument(
        node=node.key, kind=old.kind, text=text, data=data_kept(stores, old), origin=DocumentOrigin.AUTHOR,
        base=old.version, note=note,
    )  # fmt: skip
    return store_version(stores, node, old, new, None)


def restore(stores: Stores, node: TaskNode, kind: DocumentKind | None, version: int) -> Document:
    """Take an earlier version up again, as a new version with its text, its structure and what it rested on.

    Raises:
        InvalidInput: There is no such version, or its text stands there already.
    """
    current = chosen(stores, node, kind)
    old = earlier(stores, node, current, version)
    new = NewDocument(
        node=node.key, kind=old.kind, text=stores.documents.text_of(old), data=stores.documents.data_of(old),
        inputs=tuple(stores.documents.inputs_of(old.id)), origin=DocumentOrigin.RESTORE, base=version,
        codex=stores.codex_uses.of(old.id),
    )  # fmt: skip
    return store_version(stores, node, current, new, None)


def earlier(stores: Stores, node: TaskNode, current: Document, version: int) -> Document:
    """Return an earlier version of a document, without its text.

    Raises:
        InvalidInput: There is no such version, or its text stands there already.
    """
    versions = stores.documents.versions(node.key, current.kind)
    old = next((found for found in versions if found.version == version), None)
    if old is None:
        raise InvalidInput(
            f"the {current.kind} of {stores.name_of(node)} has no version {version}; it has 1 to {current.version}, "
            f"see `bookwright history {current.book} {node.label}`"
        )
    if old.text_hash == current.text_hash:
        raise InvalidInput(f"the {current.kind} of {stores.name_of(node)} reads as in version {version} already")
    return old


def store_version(stores: Stores, node: TaskNode, old: Document, new: NewDocument, step: int | None) -> Document:
    """Store a version in the place of another: its length is counted, the maintainers are owed a look at it.

    What is under way on the book was begun with the old one, so that is begun again.
    """
    void_unfinished(stores)
    document = stores.documents.add(new, step)
    if new.kind is DocumentKind.PROSE or (node.written and not node.is_unit):  # a page of a book of designs
        stores.nodes.add_written(node, document.length - old.length)
    if document.text_hash != old.text_hash:
        stores.queue.add_again(document)
    return document


def void_unfinished(stores: Stores) -> None:
    """Give a node whose activity was interrupted a new revision, unless a human decides on it: it saw old words."""
    if stores.gates.unsettled():
        return
    for node in stores.nodes.open_path():
        if node.status is not NodeStatus.DONE and stores.steps.is_under_way(node):
            stores.nodes.change(node.key, revision=node.revision + 1)


def data_kept(stores: Stores, old: Document) -> str:
    """Return the structure of a document that other words of it keep; empty where it has none of that kind."""
    return stores.documents.data_of(old) if old.kind in _KEPT_WITH_TEXT else ""
