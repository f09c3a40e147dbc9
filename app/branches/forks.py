"""Forking a book, and the book with its branches as a tree: where each stands, what it has written and paid itself.

A branch shares what stands, and pays only for what it writes anew.
"""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.node_lookup import find_node
from bookwright.app.status.books import queued_books, state_of
from bookwright.failpoints import Failpoint
from bookwright.flows.library import slug_of
from bookwright.models.book import RESTING, Book, BookState
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.place import order_of
from bookwright.models.tree.task import TaskNode
from bookwright.storage.branches.repository import BranchRepository, Fork
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import Stores

_MOST_NAME = 80


def fork(opened: OpenBook, place: str | None, name: str | None) -> Fork:
    """Make a branch of a book; with a `place`, that unit and all after it are open again in the branch.

    Raises:
        NodeNotFound: There is no such place.
        InvalidInput: No branch can begin there, or the book has one of that name.
    """
    with opened.storage.database.write(Failpoint.FORK) as connection:
        stores = Stores(connection, opened.book.id, opened.book.brief.language.measure)
        label = _place(place, stores).label if place else ""
        repository = BranchRepository(connection)
        wanted = _name(name, repository.of(opened.book.id))
        book = stores.books.get(opened.book.id)
        digest = hashlib.sha256(f"{book.id}\n{wanted}".encode()).hexdigest()[:6]
        identity = f"{slug_of(wanted)}-{digest}"  # by its own name: a beginning of its origin's would name both
        if stores.books.find(identity) is not None:
            raise InvalidInput(f"there is a book {identity!r} already; give the branch another --name")
        return repository.fork(book.id, identity, wanted, label, _standing(book, label, identity))


def _place(words: str, stores: Stores) -> TaskNode:
    node = find_node(words, stores)
    if not node.is_unit:
        raise InvalidInput(f"{node.name} is a task of planning; a branch begins at a chapter or another unit of text")
    if node.parent is None:
        raise InvalidInput("a branch that shares nothing is another book: `bookwright write ... --new` begins one")
    return node


def _name(name: str | None, there: list[Fork]) -> str:
    taken = {fork.name for fork in there}
    if name is None:
        return next(wanted for number in range(1, len(there) + 2) if (wanted := f"branch {number}") not in taken)
    wanted = " ".join(name.split())
    if not wanted or len(wanted) > _MOST_NAME:
        raise InvalidInput(f"the name of a branch has 1 to {_MOST_NAME} characters")
    if wanted in taken:
        raise InvalidInput(f"the book has a branch {wanted!r} already; give this one another --name")
    return wanted


def _standing(book: Book, label: str, identity: str) -> dict[str, str]:
    """How the branch stands: finished like its origin, or at rest."""
    if not label and book.state in (BookState.FINISHED, BookState.CANCELLED):
        return {"state": book.state.value, "reason": book.reason}
    reason = f"a branch of {book.id}, from {label} on" if label else f"a branch of {book.id}"
    advice = f"`bookwright resume {identity}` writes on"
    return {"state": BookState.PAUSED.value, "reason": reason, "advice": advice}


@dataclass(frozen=True)
class BranchRow:
    """A book or one of its branches as it stands."""

    book: Book
    depth: int
    """0 for the book from which all others come."""
    written: int
    fork: Fork | None = None
    """None for the book from which all others come."""
    stretches: tuple[tuple[int, bool], ...] = ()
    """Its text in reading order: the length of each stretch, and whether the branch itself has made it.

    What its last corrections have put right in a text that it shares is not made by it.
    """
    shared: int = 0
    """How far it shares the text of what it was forked from: where in the book it begins to be another one."""
    is_queued: bool = False
    """A run of it waits for a worker."""

    @property
    def name(self) -> str:
        """What it is called: a branch by its own name."""
        return self.fork.name if self.fork else self.book.title

    @property
    def standing(self) -> str:
        """Where it stands in one word."""
        return state_of(self.book, is_queued=self.is_queued)

    @property
    def own(self) -> int:
        """How much of its text it has made itself since it was forked."""
        return sum(length for length, is_own in self.stretches if is_own)

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        fork = self.fork
        return {
            "book": self.book.id, "name": self.name, "origin": fork and fork.origin, "at": fork and fork.at,
            "forked_at": fork and fork.forked_at, "depth": self.depth, "state": self.standing,
            "reason": self.book.reason, "written": self.written, "own": self.own, "length": self.book.brief.length,
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


def branch_tree(opened: OpenBook, queued: Collection[str] | None = None) -> BranchTree:
    """Return the book from which a book comes in the end, with all branches, whichever of them was asked for.

    `queued` are the books that wait for a worker; without them a known server is asked, if one of these rests.
    """
    with opened.storage.database.read() as connection:
        books, branches = BookRepository(connection), BranchRepository(connection)

        def below(identity: str, depth: int, fork: Fork | None) -> Iterator[BranchRow]:
            book = books.get(identity)
            stores = Stores(connection, identity, book.brief.language.measure)
            told = _stretches(stores, fork)
            yield BranchRow(book, depth, stores.nodes.root().written, fork, *told)
            for one in branches.of(identity):
                yield from below(one.book, depth + 1, one)

        rows = tuple(below(branches.root_of(opened.book.id), 0, None))
    if any(row.standing in RESTING for row in rows):
        waiting = queued_books(opened.settings) if queued is None else queued
        rows = tuple(replace(row, is_queued=row.book.id in waiting) for row in rows)
    return BranchTree(rows)


def _stretches(stores: Stores, fork: Fork | None) -> tuple[tuple[tuple[int, bool], ...], int]:
    """Return the stretches of a book's text, and how much of it lies before the place of the fork."""
    found: list[tuple[int, bool]] = []
    total = shared = 0
    for label, document in sorted(stores.documents.labelled(DocumentKind.PROSE), key=lambda one: order_of(one[0])):
        is_own = fork is None or _is_own(label, document, fork)
        if found and found[-1][1] == is_own:
            found[-1] = (found[-1][0] + document.length, is_own)
        else:
            found.append((document.length, is_own))
        total += document.length
        if fork is not None and (_is_before(label, fork) if fork.at else not is_own):
            shared = total
    return tuple(found), shared


def _is_own(label: str, document: Document, fork: Fork) -> bool:
    was_there = _is_before(label, fork) if fork.at else document.node <= fork.nodes
    is_put_right = was_there and document.origin is DocumentOrigin.REPAIR
    return document.id > fork.documents and not is_put_right


def _is_before(label: str, fork: Fork) -> bool:
    """Whether a unit stands before the place from which on a branch was open again."""
    return order_of(label) < order_of(fork.at)
