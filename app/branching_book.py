"""What a book of the Python interface does with its branches."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Self

from bookwright.app.access import OpenBook

if TYPE_CHECKING:
    from bookwright.app.branches.comparing import BranchComparison
    from bookwright.app.branches.listing import BranchTree
    from bookwright.app.branches.merging import MergeSight


class BranchingBook(ABC):
    """A book that can be forked, compared and merged."""

    id: str

    @abstractmethod
    def _opened(self) -> AbstractContextManager[OpenBook]:
        """Open it for one look or change."""

    @abstractmethod
    def _sibling(self, identity: str) -> Self:
        """Return another book of the same library."""

    def fork(self, at: str | None = None, name: str | None = None) -> Self:
        """Make a branch: a book of its own that shares what stands and pays only for what it writes anew.

        >>> branch = book.fork(name="she stays")
        >>> (branch.title == book.title, branch.state.value, branch.facts.calls)
        (True, 'finished', 0)

        Args:
            at: A chapter or another unit; it and all after it are open again in the branch. All is shared if not given.
            name: What the branch is called.

        Raises:
            NodeNotFound: There is no such place.
            InvalidInput: No branch can begin there, or the book has one of that name.
        """
        from bookwright.app.branches.forking import fork  # these bring the engine

        with self._opened() as opened:
            return self._sibling(fork(opened, at, name).book)

    def branches(self) -> "BranchTree":
        """Return the book from which this one comes in the end, with all its branches, whichever of them this is.

        >>> [(row.name, row.depth) for row in book.branches().rows[1:]]
        [('she stays', 1)]
        >>> book.branches().facts()["together"]["cost_micros"]
        0
        """
        from bookwright.app.branches.listing import branch_tree

        with self._opened() as opened:
            return branch_tree(opened)

    def compare(self, other: "BranchingBook | str") -> "BranchComparison":
        """Return what differs between this book and another branch of it: units, figures, threads, secrets, cost.

        >>> book.compare(branch).differing
        ()

        Raises:
            BookNotFound: There is no such book.
            InvalidInput: The two are no branches of one book.
        """
        from bookwright.app.branches.comparing import compare, other_branch

        with self._opened() as opened:
            return compare(opened, other_branch(opened, _id_of(other)))

    def merge(
        self, branch: "BranchingBook | str", *, take: str = "book", choices: Mapping[str, str] | None = None
    ) -> "MergeSight":
        """Take over what a branch has made, in one transaction; `undo_merge` takes it back.

        Args:
            branch: What to take from.
            take: Only this chapter or unit, with what is below it.
            choices: How conflicts are settled, by their places: `"ours"`, `"theirs"`, or the words that are to stand
                there; `"all"` settles the rest.

        Raises:
            BookHeld: A worker writes the book.
            InvalidInput: A conflict is not settled, or there is nothing to take; nothing was changed.
        """
        from bookwright.app.branches.merging import MergeOrder, merge

        with self._opened() as opened:
            return merge(opened, MergeOrder(_id_of(branch), take, choices=choices or {}))

    def undo_merge(self) -> None:
        """Take the last merge back: every row is as it was.

        Raises:
            InvalidInput: There is none, or the book has gone on since.
        """
        from bookwright.app.branches.merging import undo_merge

        with self._opened() as opened:
            undo_merge(opened)


def _id_of(book: BranchingBook | str) -> str:
    return book if isinstance(book, str) else book.id
