"""What of a branch can be taken over by itself: units in which something differs, documents of one unit."""

from collections import Counter
from dataclasses import dataclass

from bookwright.app.access import OpenBook
from bookwright.app.branches.comparing import UnitPair
from bookwright.app.branches.kinship import kinship
from bookwright.app.node_lookup import node_at, node_names
from bookwright.models.document import DocumentKind
from bookwright.models.story_time.clock import upward
from bookwright.models.tree.place import order_of

_BESIDE_TEXT = (
    DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.WRITERS_BRIEF, DocumentKind.SUMMARY, DocumentKind.BLURB,
)  # fmt: skip
"""Kinds that people read and write."""


@dataclass(frozen=True)
class Offers:
    """What can be taken over of a branch."""

    units: tuple[tuple[str, str, int], ...]
    """Units that both books have, by label and name, with the number of units within each whose texts differ.

    In reading order, a unit before its parts; each can be taken over with all that is below it.
    """
    nearest: dict[str, str]
    """For each unit that differs, by its label, the smallest of them that holds it; the book's is `1`."""


def offers_of(a: OpenBook, b: OpenBook, pairs: tuple[UnitPair, ...]) -> Offers:
    """Return which units of `b` the book `a` can take over one by one.

    Raises:
        InvalidInput: They are no branches of one book.
    """
    with a.storage.read() as mine, b.storage.read() as theirs:
        kin = kinship(mine, theirs)
        counts: Counter[str] = Counter()
        nearest: dict[str, str] = {}
        for pair in pairs:
            both = [one.nodes.by_label(pair.label) for one in (mine, theirs)] if None not in (pair.a, pair.b) else []
            if both and not kin.has_changed(*both):
                continue  # it was changed in this book alone: there is nothing to take over
            nodes = (node_at(label, theirs) for label in upward(pair.label))
            labels = [node.label for node in nodes if node and not kin.is_theirs_alone(node)]
            shared = [label for label in labels if label != "1" and node_at(label, mine)]
            nearest[pair.label] = shared[0] if shared else "1"
            counts.update(shared)
        names = node_names(theirs, counts)
    units = tuple((label, names[label], counts[label]) for label in sorted(counts, key=order_of))
    return Offers(units, nearest)


def differing_kinds(a: OpenBook, b: OpenBook, label: str) -> list[DocumentKind]:
    """Return which documents of a unit that both have read differently, each to be taken over alone, the text first.

    Raises:
        NodeNotFound: One of them has no such unit.
    """
    with a.storage.read() as mine, b.storage.read() as theirs:
        own, other = mine.nodes.by_label(label), theirs.nodes.by_label(label)
        here = {one.kind: one.text_hash for one in mine.documents.of_nodes([own.key], *DocumentKind)}
        there = theirs.documents.of_nodes([other.key], *DocumentKind)
        kept = [DocumentKind.PROSE] if mine.nodes.child_units(own.key) else []  # in parts, over which none is put
    found = [one.kind for one in there if here.get(one.kind) != one.text_hash and one.kind not in kept]
    return sorted(found, key=[DocumentKind.PROSE, *DocumentKind].index)


def differing_documents(a: OpenBook, b: OpenBook) -> list[tuple[str, str, DocumentKind]]:
    """Return the documents beside the texts that both books have and that read differently, in reading order.

    Each is told by its node's label, the node's name and its kind; it can be taken over alone.
    """
    with a.storage.read() as mine, b.storage.read() as theirs:
        kin = kinship(mine, theirs)
        found: list[tuple[str, DocumentKind]] = []
        for kind in _BESIDE_TEXT:
            own = {label: document.text_hash for label, document in mine.documents.labelled(kind)}
            for label, document in theirs.documents.labelled(kind):
                if document.node <= kin.their_nodes and own.get(label, document.text_hash) != document.text_hash:
                    found.append((label, kind))
        names = node_names(theirs, [label for label, _ in found])
    found.sort(key=lambda one: order_of(one[0]))
    return [(label, names[label], kind) for label, kind in found]
