"""What a command that asks models is likely to cost, by what the book has cost so far."""

from bookwright.app.access import OpenBook
from bookwright.app.wording import money
from bookwright.models.book import Book
from bookwright.models.talk.command import Command, Refresh, Resume
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


def cost_of(command: Command, opened: OpenBook) -> str:
    """Say what a command would cost, in words, with what the budget leaves."""
    book = opened.book
    with opened.storage.read() as stores:
        match command:
            case Resume():
                told = _of_writing(command, book, stores.nodes.root())
            case Refresh():
                told = _of_refreshing(command.node, book, stores)
            case _:
                told = "a model makes one document anew"
    return told + _left(book)


def _of_writing(command: Resume, book: Book, root: TaskNode) -> str:
    left = max(root.remaining, 0)
    return _rate(book, root, min(left, command.words_today or left))


def _of_refreshing(node: str | None, book: Book, stores: Stores) -> str:
    from bookwright.app.estimates.stale_bill import bill_of  # brings the engine
    from bookwright.flows.revision.refresh import RefreshScope
    from bookwright.flows.revision.staleness import Staleness

    wanted = RefreshScope(node or "1", False)
    return str(bill_of([one for one in Staleness(book.brief).all(stores) if wanted.holds(one)], stores))


def _rate(book: Book, root: TaskNode, length: int) -> str:
    told = f"up to {length:,} {book.brief.length_unit}"
    if not root.written or book.unpriced_calls:
        return f"{told}; `bookwright estimate --book {book.id}` tells what the whole book would take"
    if not book.cost:
        return f"{told}; the book has cost nothing so far"
    return (
        f"{told}, about {money(round(book.cost * length / root.written))} at the rate so far "
        f"({money(book.cost)} for {root.written:,})"
    )


def _left(book: Book) -> str:
    caps = book.brief.budget
    if caps.usd is not None:
        return f"; {money(max(round(caps.usd * 1_000_000) - book.cost, 0))} of the budget are left"
    if caps.tokens is not None:
        return f"; {max(caps.tokens - book.tokens, 0):,} tokens of the budget are left"
    return ""
