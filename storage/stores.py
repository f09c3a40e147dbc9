"""The unit of work: one transaction with every repository of one book."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from bookwright.failpoints import Failpoint
from bookwright.models.document import Document, DocumentKind
from bookwright.models.text.language import Language
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.gates import GateRepository
from bookwright.storage.repositories.maintenance import MaintenanceQueue
from bookwright.storage.repositories.texts import TextStore
from bookwright.storage.steps.pages import StepPages
from bookwright.storage.steps.queries import StepRepository
from bookwright.storage.tree.held_view import HeldView
from bookwright.storage.tree.nodes import NodeRepository
from bookwright.storage.tree.reading_order import UnitTable, read_names

if TYPE_CHECKING:
    from bookwright.storage.repositories.author import CommentRepository, EditQueue
    from bookwright.storage.repositories.codex import CodexRepository
    from bookwright.storage.repositories.documents import DocumentRepository
    from bookwright.storage.repositories.staleness import CodexUseRepository, StalenessRepository
    from bookwright.storage.steps.attempts import ToolUseRepository


class Stores:
    """The repositories of one book on one connection.

    Made when they are first asked for; those that a look at tree and journal does without are imported then, too.
    """

    def __init__(
        self, connection: Connection, book: str, measure: Callable[[str], int], view: HeldView | None = None,
        *, is_writing: bool = False,
    ) -> None:  # fmt: skip
        held = None if is_writing else view
        self.connection = connection
        self.book = book
        self._measure = measure
        self._view, self._held = view, held
        self.texts = TextStore(connection, book)
        self.nodes = NodeRepository(connection, book, view.nodes if view else None)
        self.queue = MaintenanceQueue(connection, book, held)

    def name_of(self, node: TaskNode) -> str:
        """Name a node as every verb takes it: `chapter 9 "The Debt" (1.16)`, and what is no chapter by its label."""
        return self.codex.reading_order().named(node)

    @cached_property
    def books(self) -> BookRepository:
        """All books of the database."""
        return BookRepository(self.connection)

    @cached_property
    def steps(self) -> StepRepository:
        """The journal, for reading."""
        return StepRepository(self.connection, self.book)

    @cached_property
    def tool_uses(self) -> "ToolUseRepository":
        """What tools have brought to the book's steps."""
        from bookwright.storage.steps.attempts import ToolUseRepository

        return ToolUseRepository(self.connection, self.book, self.texts)

    @cached_property
    def gates(self) -> GateRepository:
        """Where the book has rested for its author, and what they decided."""
        return GateRepository(self.connection, self.book)

    @cached_property
    def documents(self) -> "DocumentRepository":
        """The documents of the book's nodes."""
        from bookwright.storage.repositories.documents import DocumentRepository

        view = self._view.documents if self._view else None
        return DocumentRepository(self.connection, self.book, self._measure, self.texts, view)

    @cached_property
    def step_pages(self) -> StepPages:
        """The journal as a person leafs through it."""
        return StepPages(self.connection, self.book)

    @cached_property
    def edits(self) -> "EditQueue":
        """What the author wants changed while somebody writes the book."""
        from bookwright.storage.repositories.author import EditQueue

        return EditQueue(self.connection, self.book)

    @cached_property
    def comments(self) -> "CommentRepository":
        """What the author remarks on passages of the text."""
        from bookwright.storage.repositories.author import CommentRepository

        return CommentRepository(self.connection, self.book)

    @cached_property
    def staleness(self) -> "StalenessRepository":
        """What rests on which version of what."""
        from bookwright.storage.repositories.staleness import StalenessRepository

        return StalenessRepository(self.connection, self.book)

    @cached_property
    def codex(self) -> "CodexRepository":
        """The characters, the world, the secrets and the threads of the book."""
        from bookwright.storage.repositories.codex import CodexRepository

        return CodexRepository(self.connection, self.book, self._held, self._units_now)

    @cached_property
    def codex_uses(self) -> "CodexUseRepository":
        """Which records of the codex were shown where."""
        from bookwright.storage.repositories.staleness import CodexUseRepository

        return CodexUseRepository(self.connection, self.book)

    def prose_below(self, unit: TaskNode, *, with_text: bool = True) -> Iterator[tuple[TaskNode, Document]]:
        """Yield the units that hold a unit's prose in reading order, each with it; itself where it has no parts.

        What is yielded is what exports print; where there are parts, nothing else of a unit is read.
        """
        parts = self.nodes.child_units(unit.key)
        for part in parts:
            yield from self.prose_below(part, with_text=with_text)
        prose = None if parts else self.documents.current(unit.key, DocumentKind.PROSE, with_text=with_text)
        if prose is not None:
            yield unit, prose

    def prose_of(self, unit: TaskNode) -> str:
        """Return all prose of a unit, its own or that of its parts in reading order; empty where none stands."""
        return "\n\n".join(prose.text for _, prose in self.prose_below(unit))

    def chapter_names(self) -> ReadingOrder:
        """Return the chapters alone, as they are numbered in names."""
        if self._held is None or self._held.units is None:
            return read_names(self.connection, self.book)
        return ReadingOrder.model_construct(chapters=self._held.units.chapters)

    def _units_now(self) -> UnitTable | None:
        """The living units as this transaction has left them; None where its holder has not read them."""
        if self._view is None or self._view.units is None or self.nodes.has_replaced:
            return None
        units = self._view.units.copy()
        units.take_in((*self.nodes.added, *self.nodes.changed.values()))
        return units

    def tell(self, view: HeldView) -> None:
        """Tell a view what this transaction, now over, has changed."""
        view.nodes.take_in(self.nodes.added)
        view.nodes.update(self.nodes.changed.values())
        if "documents" in vars(self):  # made when it was first asked for, and else it has changed nothing
            view.documents.take_in(self.documents.added)
        is_codex_changed = "codex" in vars(self) and self.codex.has_changed
        if self.nodes.has_replaced:
            view.units = None
        if view.units is not None:
            view.units.take_in((*self.nodes.added, *self.nodes.changed.values()))
        if self.nodes.has_reordered or is_codex_changed:
            view.reading = None
        if is_codex_changed:
            view.shelves = None
        if self.queue.has_changed:
            view.waiting = None


class BookStorage:
    """Opens units of work on one book; whoever holds the book's lease brings a view of it."""

    def __init__(self, database: Database, book: str, language: Language, view: HeldView | None = None) -> None:
        self.database = database
        self.book = book
        self.language = language
        self.has_written = False
        """Whether a transaction of this one was committed."""
        self.replaced = 0
        """How many transactions of this one gave a text another version; what was read of texts before may be old."""
        self._view = view

    def node(self, key: int) -> TaskNode:
        """A node as it stands now, for the book's own worker; `NodeNotFound` is raised for one that is not there."""
        with self.look() as stores:
            return stores.nodes.get(key)

    def above(self, node: TaskNode) -> list[TaskNode]:
        """The nodes above one as they stand now, nearest first, for the book's own worker."""
        with self.look() as stores:
            return stores.nodes.ancestors(node)

    @contextmanager
    def read(self) -> Iterator[Stores]:
        """A short read of one state of the book; nothing is written."""
        with self.database.read() as connection:
            yield Stores(connection, self.book, self.language.measure)

    @contextmanager
    def look(self) -> Iterator[Stores]:
        """Reads of the book's own worker, which need no snapshot."""
        with self.database.look() as connection:
            yield Stores(connection, self.book, self.language.measure, self._view)

    @contextmanager
    def write(self, point: Failpoint = Failpoint.EDIT_BOOK) -> Iterator[Stores]:
        """A transaction without a fence of its own; by default, what a person does to a book that rests."""
        view = self._view or HeldView()
        try:
            with self.database.write(point) as connection:
                stores = Stores(connection, self.book, self.language.measure, self._view, is_writing=True)
                yield stores
        except BaseException:
            view.clear()  # it may have arrived
            raise
        stores.tell(view)
        self.has_written = True
        self.replaced += "documents" in vars(stores) and stores.documents.has_replaced
