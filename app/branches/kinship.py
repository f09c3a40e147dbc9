"""How two books of one tree of branches are related: what they share, what each has made since they parted."""

from dataclasses import dataclass

from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.task import TaskNode
from bookwright.storage.branches.repository import BranchRepository
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class Kinship:
    """Two books with a common origin: what is taken from is `theirs`, what is changed is `mine`."""

    mine: Stores
    theirs: Stores
    my_nodes: int
    """The last node of mine that both have."""
    their_nodes: int
    """The same of theirs."""
    parted_at: float
    """When they were forked, in seconds since 1970."""
    my_documents: int | None = None
    """The last document of mine when they were forked from it; None where they were not."""
    their_documents: int | None = None
    """The last document of theirs when mine was forked from them; None where it was not."""

    def is_theirs_alone(self, node: TaskNode) -> bool:
        """True for a node that they have made since."""
        return node.key > self.their_nodes

    def shared_children(self, mine: TaskNode, theirs: TaskNode) -> list[tuple[TaskNode, TaskNode]]:
        """Return what both have below a node that both have, in pairs, in the order of theirs."""
        own = {child.label: child for child in self.mine.nodes.children(mine.key)}
        there = self.theirs.nodes.children(theirs.key)
        return [(own[child.label], child) for child in there if child.label in own and not self.is_theirs_alone(child)]

    def known_record(self) -> int:
        """Return the newest row of my codex that whoever wrote in the other book may have known.

        That is the newest of all, unless the author has said something here since they were forked.
        """
        codex = self.mine.codex
        if codex.author_changed_at() <= self.parted_at:
            return codex.last_row()
        return max((one.id for one in codex.every_version() if one.recorded_at <= self.parted_at), default=0)

    def versions(self, mine: int, theirs: int, kind: DocumentKind) -> tuple[list[Document], list[Document]]:
        """Return all versions of a document of two nodes, here and there, oldest first, without texts."""
        return self.mine.documents.versions(mine, kind), self.theirs.documents.versions(theirs, kind)

    def has_changed(self, mine: TaskNode, theirs: TaskNode) -> bool:
        """Whether they have a text of a unit's own, and not as it was when the two parted."""
        ours, others = self.versions(mine.key, theirs.key, DocumentKind.PROSE)
        base = self.base(ours, others)
        return bool(others) and (base is None or base.text_hash != others[-1].text_hash)

    def base(self, mine: list[Document], theirs: list[Document]) -> Document | None:
        """Return the version that both began with: the last that reads the same, else what stood at the fork."""
        known = {version.text_hash for version in mine}
        if common := [version for version in theirs if version.text_hash in known]:
            return common[-1]
        if self.my_documents is not None:
            stood = [version for version in mine if version.id <= self.my_documents]
        elif self.their_documents is not None:
            stood = [version for version in theirs if version.id <= self.their_documents]
        else:
            stood = []
        return stood[-1] if stood else None


def kinship(mine: Stores, theirs: Stores) -> Kinship:
    """Find out how two books are related.

    Raises:
        InvalidInput: They are one book, or no branches of one.
    """
    branches, my_book, their_book = BranchRepository(mine.connection), mine.book, theirs.book
    if my_book == their_book:
        raise InvalidInput("that is one and the same book; name two of its branches")
    if branches.root_of(my_book) != branches.root_of(their_book):
        raise InvalidInput(
            f"{their_book!r} and {my_book!r} are no branches of one book; `bookwright branches` shows them"
        )
    own, other = branches.find(my_book), branches.find(their_book)
    if other is not None and other.origin == my_book:
        return Kinship(
            mine, theirs, other.origin_nodes, other.nodes, other.forked_at, my_documents=other.origin_documents
        )
    if own is not None and own.origin == their_book:
        return Kinship(mine, theirs, own.nodes, own.origin_nodes, own.forked_at, their_documents=own.origin_documents)
    parted = min(one.forked_at for one in (own, other) if one is not None)
    return Kinship(mine, theirs, own.nodes if own else 0, other.nodes if other else 0, parted)
