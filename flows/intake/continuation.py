"""Going on with a book that is written to its end: so much more, after what is there."""

from bookwright.models.book import Book
from bookwright.models.brief import MAX_LENGTH
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.text.length import TOLERANCE
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

_OF_A_PART = 0.5
"""Share of a usual part up to which what is to come still belongs to the last one."""


def go_on(stores: Stores, book: Book, amount: int) -> Book:
    """Make a resting book so much longer; the walk plans and writes what is missing. Return the book.

    Raises:
        InvalidInput: It is still being written, in one piece, or would be too long; nothing was changed.
    """
    root = stores.nodes.root()
    length = root.written + amount
    _check(stores, book, root, amount, length)
    for task in stores.nodes.open_tasks(root.key):  # a blueprint's look at the end, which comes after the new one
        stores.nodes.change(task.key, status=NodeStatus.DONE.value)
    _reopen(stores, root, length)
    last = stores.nodes.last_unit(root.key)
    while last is not None and last.level.is_at_least(Level.ACT) and _belongs(stores, last, amount):
        _reopen(stores, last, last.written + amount)
        last = stores.nodes.last_unit(last.key)
    if last is not None:
        held = max(last.length or 0, last.written)  # what it overran is to be made up for no more
        stores.nodes.change(last.key, is_last=False, length=held)
    stores.books.edit_brief(book.id, book.brief.changed(length=length))
    stores.books.change(
        book.id, title=book.title, state="paused", reason=f"{amount:,} {book.brief.length_unit} more are to be written",
        advice=f"`bookwright resume {book.id}` goes on",
    )  # fmt: skip
    return stores.books.get(book.id)


def _check(stores: Stores, book: Book, root: TaskNode, amount: int, length: int) -> None:
    unit = book.brief.length_unit
    if length > MAX_LENGTH:
        raise InvalidInput(
            f"a book has at most {MAX_LENGTH:,} {unit}; this one has {root.written:,}, and {amount:,} are to come"
        )
    if stores.nodes.last_unit(root.key) is None:
        is_prose = stores.documents.current(root.key, DocumentKind.PROSE, with_text=False) is not None
        advice = "; import its export to go on with it" if is_prose else ""
        raise InvalidInput(f"{book.id} is no book of chapters, so nothing can be written behind it{advice}")
    least = _least(stores, root)
    if amount < least:
        raise InvalidInput(f"{amount:,} {unit} are too little to go on with; {least:,} are enough")
    if not _is_written(stores, root):
        raise InvalidInput(
            f"{book.id} is still to be written up to {root.length or 0:,} {unit}; "
            f"`bookwright resume {book.id}` does that, and `bookwright brief {book.id} --set length=...` changes it"
        )


def _least(stores: Stores, root: TaskNode) -> int:
    """Return how much is worth another unit: anything behind what the author wrote, else a part of a usual one."""
    unit, last = root, stores.nodes.last_unit(root.key)
    while last is not None and last.level.is_at_least(Level.ACT) and (below := stores.nodes.last_unit(last.key)):
        unit, last = last, below
    if last is not None and last.is_brought_in:
        return 1
    level = last.level if last is not None else Level.CHAPTER
    mean = stores.nodes.mean_brought_in(unit.key, level)
    return round(TOLERANCE * (mean or level.usual_length))


def _is_written(stores: Stores, root: TaskNode) -> bool:
    """True if the last page stands, whether or not all of it has been looked at."""
    unit: TaskNode | None = root
    while unit is not None and unit.status is NodeStatus.OPEN:
        last = stores.nodes.last_unit(unit.key)
        if last is None or not last.is_last:
            return False
        unit = last
    return unit is not None


def _reopen(stores: Stores, unit: TaskNode, length: int) -> None:
    """Have a unit planned, divided and closed once more, for what comes after what it holds."""
    last = stores.nodes.last_unit(unit.key)
    level = unit.child_level or (last.level if last else None)
    stores.nodes.change(
        unit.key, status=NodeStatus.OPEN.value, revision=unit.revision + 1, length=length, decision=None,
        is_brought_in=False,
        planning_round=0, decided_round=0, outline=(), open_points=(), child_level=level.value if level else None,
    )  # fmt: skip


def _belongs(stores: Stores, part: TaskNode, amount: int) -> bool:
    """True if so much more still belongs to a part, and is no part of its own; nothing does to one in one piece."""
    assert part.parent is not None
    if stores.nodes.last_unit(part.key) is None:
        return False
    if amount < part.level.bounds[0]:
        return True
    siblings = stores.nodes.child_units(part.parent)
    usual = sum(sibling.written for sibling in siblings) / len(siblings)
    return amount < _OF_A_PART * usual
