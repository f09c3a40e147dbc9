"""One book from its first open step to its last page, as a plain function; Prefect is not needed."""

from bookwright.flows import tasks
from bookwright.flows.hold import Surroundings, hold
from bookwright.flows.walk import write_unit
from bookwright.models.book import Book, BookState
from bookwright.storage.books import BookRepository


def run_book(book_id: str, around: Surroundings) -> Book:
    """Write a book, or go on with it, and return it finished.

    Raises:
        BookHeld: Another worker writes it; nothing was paid.
        BookPaused: It rests, with a reason and what to do.
    """
    with around.database.read() as connection:
        book = BookRepository(connection).get(book_id)
    if book.state is BookState.FINISHED:
        return book
    with hold(book.id, around) as deps:
        with deps.stores() as stores:
            root = stores.nodes.root()
            deps.limits.check(root, stores)
        tasks.condense(deps)
        write_unit(root, deps)
        tasks.publish(root, deps)
    with around.database.read() as connection:
        return BookRepository(connection).get(book_id)
