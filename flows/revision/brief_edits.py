"""Changing the brief of a book: what still can be changed, and what else has to follow."""

import hashlib
import json

from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidBrief
from bookwright.models.tree.level import Level, child_level, division_is_incremental
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores


def brief_seen(brief: Brief) -> str:
    """Return what stands for a brief as somebody has it before them."""
    told = json.dumps(brief.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def check_brief_change(brief: Brief, book: Book, stores: Stores) -> None:
    """Make sure that a book can have another brief as it stands.

    Raises:
        InvalidBrief: Too much is written for this change.
    """
    old = book.brief
    if brief.language is not old.language and book.calls:
        raise InvalidBrief(f"book {book.id!r} is begun in {old.language.english_name}; write another one with --new")
    if brief.world != old.world:
        raise InvalidBrief(f"book {book.id!r} is there already; `bookwright write --world ...` begins one in a world")
    if brief.secrets or brief.foreshadowing:
        raise InvalidBrief(
            f"book {book.id!r} is there already: its secrets and threads are changed with "
            "`bookwright secrets` and `bookwright foreshadowing`"
        )
    if brief.outline:
        raise InvalidBrief(
            f"book {book.id!r} is there already: its outline is kept, and `bookwright revise` changes designs"
        )
    if brief.style_sample:
        raise InvalidBrief(f"book {book.id!r} is there already: its style is changed with `bookwright style --sample`")
    root = stores.nodes.root()
    problem = ""
    if brief.length != old.length:
        problem = _why_not(brief.length, book, root, stores.nodes.children(root.key, TaskType.WRITE))
    if problem:
        raise InvalidBrief(f"the length of book {book.id!r} cannot become {brief.length:,}: {problem}")


def change_brief(brief: Brief, book: Book, stores: Stores) -> Book:
    """Store a new version of a brief and bring the book's own unit in line with it; return the book.

    Raises:
        InvalidBrief: Too much is written for this change; nothing was changed.
    """
    check_brief_change(brief, book, stores)
    old, root = book.brief, stores.nodes.root()
    if brief.length != old.length:
        _change_length(brief.length, root, stores)
    stores.nodes.change(root.key, goal=brief.premise)
    stores.books.edit_brief(book.id, brief)
    if brief.title == old.title:
        stores.books.change(book.id, title=book.title)  # it may be one that the book found for itself
    else:
        stores.nodes.change(root.key, title=brief.title)
    return stores.books.get(book.id)


def _change_length(length: int, root: TaskNode, stores: Stores) -> None:
    """Give the book another target, to which the engine still can steer."""
    children = stores.nodes.children(root.key, TaskType.WRITE)
    stores.nodes.change(root.key, length=length)
    if children and children[-1].is_last:
        stores.nodes.change(children[-1].key, is_last=False)  # more may come after it now


def _why_not(length: int, book: Book, root: TaskNode, children: list[TaskNode]) -> str:
    if book.state is BookState.FINISHED or root.status is not NodeStatus.OPEN:
        return "it is written to its end"
    if length < root.written:
        return f"{root.written:,} are written already"
    if not children:
        return "it is decided to be written in one piece" if root.decision is not None else ""
    level = children[0].level
    if not division_is_incremental(level):
        return f"it is divided into all its {level}s already"
    if root.child_level is None and child_level(Level.BOOK, length) is not level:
        return f"it is divided into {level}s already, which suit another length"
    begun = root.written + max(children[-1].remaining, 0) if children[-1].status is NodeStatus.OPEN else 0
    if length < begun:
        return f"the {level} in hand takes it to {begun:,}"
    if children[-1].is_last and children[-1].status is not NodeStatus.OPEN:
        return f"its last {level} is written"
    return ""
