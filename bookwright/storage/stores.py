"""The unit of work: one transaction with every repository of one book."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from bookwright.failpoints import Failpoint
from bookwright.models.language import Language
from bookwright.storage.books import BookRepository
from bookwright.storage.database import Database
from bookwright.storage.documents import DocumentRepository, MaintenanceQueue
from bookwright.storage.nodes import NodeRepository
from bookwright.storage.steps import StepRepository
from bookwright.storage.texts import TextStore


class Stores:
    """The repositories of one book on one connection."""

    def __init__(self, connection: Connection, book: str, measure: Callable[[str], int]) -> None:
        self.connection = connection
        self.books = BookRepository(connection)
        self.nodes = NodeRepository(connection, book)
        self.documents = DocumentRepository(connection, book, measure)
        self.steps = StepRepository(connection, book)
        self.queue = MaintenanceQueue(connection, book)
        self.texts = TextStore(connection, book)


class BookStorage:
    """Opens units of work on one book."""

    def __init__(self, database: Database, book: str, language: Language) -> None:
        self.database = database
        self.book = book
        self.language = language

    @contextmanager
    def read(self) -> Iterator[Stores]:
        """A short read of one state of the book; nothing is written."""
        with self.database.read() as connection:
            yield Stores(connection, self.book, self.language.measure)

    @contextmanager
    def look(self) -> Iterator[Stores]:
        """Reads of the book's own worker, which need no snapshot."""
        with self.database.look() as connection:
            yield Stores(connection, self.book, self.language.measure)

    @contextmanager
    def write(self, point: Failpoint = Failpoint.EDIT_BOOK) -> Iterator[Stores]:
        """A transaction without a fence of its own; by default, what a person does to a book that rests."""
        with self.database.write(point) as connection:
            yield Stores(connection, self.book, self.language.measure)
