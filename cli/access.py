"""Opening a book for one verb: what is worth telling beside the facts goes to stderr."""

from contextlib import AbstractContextManager

from bookwright.app import access
from bookwright.cli.output import note


def open_book(identity: str) -> AbstractContextManager[access.OpenBook]:
    """Open one book by its id or a beginning of it.

    Raises:
        BookNotFound: No book, or more than one, answers to that.
    """
    return access.open_book(identity, note)
