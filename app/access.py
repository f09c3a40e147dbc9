"""Opening what is there for a look: the database without creating it, one book in it, a unit as a person names it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError

from bookwright.failpoints import Failpoint
from bookwright.models.book import Book
from bookwright.models.errors import BookNotFound, InvalidInput, NodeNotFound, StorageError
from bookwright.models.settings import Settings, load_settings
from bookwright.models.tree.place import Place, chapter_number
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database, database_file, opened_database
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores

if TYPE_CHECKING:
    from bookwright.agents.backends.service import ModelService

_EDIT_SECONDS = 60.0
_BOOK = ("book", "the book", "1")
_PRINTED = re.compile(r"(?:chapter|1).*\((1(?:\.[1-9][0-9]{0,8})+)\)", re.ASCII)
"""A name with a label behind it, as `Stores.name_of` and `ReadingOrder.name_of` make it."""
_PLACES = ("known_from", "begins", "revealed_at", "planned_at", "reinforce_at")
"""Keys of records whose values are places."""
_SHOWN = 6


def unheard(line: str) -> None:
    """Tell nobody: for what can be heard while a book is opened or rehearsed."""


@dataclass(frozen=True)
class OpenBook:
    """One book with what it takes to look at it."""

    settings: Settings
    storage: BookStorage
    book: Book
    known_wish: float = 0.0
    """When it was asked to rest last, as it was opened: who goes on with it does so in spite of that."""


@contextmanager
def library(settings: Settings) -> Iterator[Database]:
    """Open the database, creating or upgrading it first if need be, and close it again.

    Raises:
        UnwritableFolder: The data folder cannot be written to.
        DatabaseTooNew: A newer version wrote it.
        StorageError: It cannot be reached, or is no database.
    """
    with opened_database(settings) as database:
        try:
            migrate.upgrade(database)
        except DBAPIError as error:
            raise StorageError(f"the database cannot be opened: {error.orig}") from error
        yield database


@contextmanager
def existing_library(settings: Settings) -> Iterator[Database | None]:
    """Open the database if there is one; None, and nothing created, if there is not."""
    file = database_file(settings)
    if file is not None and not file.exists():
        yield None
    else:
        with library(settings) as database:
            yield database


@contextmanager
def open_book(identity: str, note: Callable[[str], None], settings: Settings | None = None) -> Iterator[OpenBook]:
    """Open one book by its id or a beginning of it; `note` hears what is worth telling beside the facts.

    The settings are those of the installation if none are given.

    Raises:
        BookNotFound: No book, or more than one, answers to that.
    """
    settings = settings or load_settings()
    with existing_library(settings) as database:
        if database is None:
            raise BookNotFound(f"there is no book {identity!r}; no book was begun in {str(settings.home)!r}")
        with database.read() as connection:
            book = BookRepository(connection).get(identity)
        storage = BookStorage(database, book.id, book.brief.language)
        opened = OpenBook(settings, storage, book, book.stop_requested_at)
        yield opened
        if opened.storage.has_written:
            _bring_up_vault(opened, note)


def _bring_up_vault(opened: OpenBook, note: Callable[[str], None]) -> None:
    """Let the book's folder tell what was changed; whoever writes the book, or has deleted it, sees to it alone."""
    from bookwright.flows.vault.keeper import bring_up  # brings the engine, which a look does not need

    with opened.storage.database.read() as connection:
        found = BookRepository(connection).find(opened.book.id)
    if found is not None and found.lease_owner is None:
        bring_up(opened.storage, found, opened.settings, note)


@contextmanager
def paced_models(database: Database, settings: Settings) -> "Iterator[ModelService]":
    """What asks models, at a pace that all workers on the database share."""
    from bookwright.agents.backends.service import ModelService  # brings the engine
    from bookwright.agents.backends.spending.pace import DatabasePacer

    with closing(ModelService(settings, pacer=DatabasePacer(database, settings))) as models:
        yield models


@contextmanager
def at_rest(storage: BookStorage, point: Failpoint = Failpoint.EDIT_BOOK) -> Iterator[Stores]:
    """A write transaction on a book that nobody else is writing, by the database's own word.

    Raises:
        BookHeld: A worker holds the book; nothing was changed.
    """
    with storage.write(point) as stores:
        lease = Lease.take(stores.connection, storage.book, "the command line", _EDIT_SECONDS, wished_since=0.0)
        yield stores
        lease.release(stores.connection, keeps_wish=True)


def find_node(words: str, stores: Stores) -> TaskNode:
    """Return the node that a person names, in one notation for every verb.

    It is `chapter 9` or `9`, a label such as `1.16`, or a title; a name as it is printed, too. `book`, or `1`, which
    is its label, is the whole book.

    Raises:
        NodeNotFound: There is none; the message says what there is.
        InvalidInput: More than one unit has that title.
    """
    text = words.strip()
    if text.casefold() in _BOOK:
        return stores.nodes.root()
    number = chapter_number(text)
    if number is not None:
        chapters = stores.codex.reading_order().chapters
        if number > len(chapters):
            raise NodeNotFound(f"there is no chapter {number}; the book has {len(chapters)} so far")
        return stores.nodes.by_label(chapters[number - 1])
    if printed := _PRINTED.fullmatch(text):
        text = printed[1]
    if text[:1].isdigit() and text.replace(".", "").isdigit():
        return stores.nodes.by_label(text)
    return _by_title(text, stores)


def node_at(label: str, stores: Stores) -> TaskNode | None:
    """Return the node of a label; None where there is none."""
    with suppress(NodeNotFound):
        return stores.nodes.by_label(label)
    return None


def place_of(words: str, stores: Stores) -> str:
    """Return a place in a record's words: a title becomes its unit's label, all else stays for the record to judge.

    Raises:
        InvalidInput: More than one unit has that title.
    """
    try:
        Place.model_validate(words)
    except ValueError:
        with suppress(NodeNotFound):
            return _by_title(words.strip(), stores).label
    return words


def with_places(values: Mapping[str, Any], stores: Stores) -> dict[str, Any]:
    """Return a record's values with every place in them as a register keeps it: see `place_of`."""
    return {key: _settled(key, value, stores) for key, value in values.items()}


def _settled(key: str, value: Any, stores: Stores) -> Any:
    if isinstance(value, Mapping):
        return with_places(value, stores)
    if isinstance(value, (list, tuple)):
        return [_settled(key, item, stores) for item in value]
    return place_of(value, stores) if key in _PLACES and isinstance(value, str) else value


def title_of(node: TaskNode) -> str:
    """Return what a node is called where nobody wants a label: its title, or what it is to achieve."""
    return node.title or node.goal[:60]


def node_names(stores: Stores, labels: Iterable[str]) -> dict[str, str]:
    """Return the titles of nodes by their labels; see `title_of`."""
    return {label: title_of(stores.nodes.by_label(label)) for label in dict.fromkeys(labels)}


def places_named(stores: Stores, places: Iterable[Place | None]) -> dict[Place | None, str]:
    """Return what places of the codex are called: a unit that is there by its title, any other as it is written."""
    known = {node.label: node.title for node in stores.nodes.titled_units()}
    return {place: "–" if place is None else known.get(str(place), str(place)) for place in places}


def _by_title(title: str, stores: Stores) -> TaskNode:
    wanted = title.casefold()
    units = stores.nodes.titled_units()
    exact = [unit for unit in units if unit.title.casefold() == wanted]
    found = exact or [unit for unit in units if wanted and wanted in unit.title.casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NodeNotFound(
            f"nothing of the book is called {title!r}; name a chapter (chapter 9, or 9), a label (1.16) or a title, "
            "as `bookwright tree` shows them"
        )
    reading = stores.codex.reading_order()
    named = ", ".join(f"{reading.name_of(unit.label)} {unit.title!r}" for unit in found[:_SHOWN])
    raise InvalidInput(f"{title!r} may be any of {len(found)}: {named}")
