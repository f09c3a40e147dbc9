"""A book with its branches as a tree: where each stands, what it has written and paid by itself, and all together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.status.shelf import state_of
from bookwright.models.book import Book
from bookwright.storage.branches.repository import BranchRepository, Fork
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.tree.nodes import NodeRepository


@dataclass(frozen=True)
class BranchRow:
    """A book or one of its branches as it stands."""

    book: Book
    depth: int
    """0 for the book from which all others come."""
    written: int
    fork: Fork | None = None
    """None for the book from which all others come."""

    @property
    def name(self) -> str:
        """What it is called: a branch by its own name."""
        return self.fork.name if self.fork else self.book.title

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        fork = self.fork
        return {
            "book": self.book.id, "name": self.name, "origin": fork and fork.origin, "at": fork and fork.at,
            "forked_at": fork and fork.forked_at, "depth": self.depth, "state": state_of(self.book),
            "reason": self.book.reason, "written": self.written, "length": self.book.brief.length,
            "calls": self.book.calls, "tokens": self.book.tokens, "cost_micros": self.book.cost,
        }  # fmt: skip


@dataclass(frozen=True)
class BranchTree:
    """All branches of a book, each below what it was forked from, oldest first."""

    rows: tuple[BranchRow, ...]

    @property
    def calls(self) -> int:
        """Calls of all of them together."""
        return sum(row.book.calls for row in self.rows)

    @property
    def tokens(self) -> int:
        """Tokens of all of them together."""
        return sum(row.book.tokens for row in self.rows)

    @property
    def cost(self) -> int:
        """What all of them have cost together, in millionths of a dollar."""
        return sum(row.book.cost for row in self.rows)

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        together = {"calls": self.calls, "tokens": self.tokens, "cost_micros": self.cost}
        return {"branches": [row.facts() for row in self.rows], "together": together}


def branch_tree(opened: OpenBook) -> BranchTree:
    """Return the book from which a book comes in the end, with all branches, whichever of them was asked for."""
    with opened.storage.database.read() as connection:
        books, branches = BookRepository(connection), BranchRepository(connection)

        def below(identity: str, depth: int, fork: Fork | None) -> Iterator[BranchRow]:
            written = NodeRepository(connection, identity).root().written
            yield BranchRow(books.get(identity), depth, written, fork)
            for one in branches.of(identity):
                yield from below(one.book, depth + 1, one)

        return BranchTree(tuple(below(branches.root_of(opened.book.id), 0, None)))
