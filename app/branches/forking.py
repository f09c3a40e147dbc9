"""Forking a book: a branch that shares what stands, and pays only for what it writes anew."""

import hashlib

from bookwright.app.access import OpenBook
from bookwright.app.places import find_node
from bookwright.failpoints import Failpoint
from bookwright.flows.library import slug_of
from bookwright.models.book import Book, BookState
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.task import TaskNode
from bookwright.storage.branches.repository import BranchRepository, Fork
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
        identity = _branch_id(book.id, wanted)
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


def _branch_id(origin: str, name: str) -> str:
    """Name a branch after its own name: its origin's would no longer be told by its beginning."""
    digest = hashlib.sha256(f"{origin}\n{name}".encode()).hexdigest()[:6]
    return f"{slug_of(name)}-{digest}"


def _standing(book: Book, label: str, identity: str) -> dict[str, str]:
    """How the branch stands: finished like its origin, or at rest."""
    if not label and book.state in (BookState.FINISHED, BookState.CANCELLED):
        return {"state": book.state.value, "reason": book.reason}
    reason = f"a branch of {book.id}, from {label} on" if label else f"a branch of {book.id}"
    advice = f"`bookwright resume {identity}` writes on"
    return {"state": BookState.PAUSED.value, "reason": reason, "advice": advice}
