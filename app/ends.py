"""Where a run is to rest, as a person names it: a chapter, a label, a title of what is there, so many of a level."""

from bookwright.app.access import existing_library
from bookwright.app.places import find_node
from bookwright.flows.library import book_id
from bookwright.flows.limits import may_be_title
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidSetting, NodeNotFound
from bookwright.models.settings import Settings
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import chapter_number
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores


def end_in(storage: BookStorage, words: str | None) -> str | None:
    """Return where a run of a book is to rest, as `Limits.parse` takes it: what is there by its label.

    Raises:
        InvalidSetting: Nothing of the book is called that.
        InvalidInput: More than one unit has that title.
    """
    if words is None:
        return None
    with storage.read() as stores:
        return _label_of(words.strip(), stores)


def end_in_book_of(brief: Brief, words: str | None, settings: Settings, *, is_new: bool) -> str | None:
    """Return the same for a brief, whose book may not be there yet; with `is_new` it is another one.

    Raises:
        InvalidSetting: The book is there, and nothing of it is called that.
        InvalidInput: More than one unit has that title.
    """
    with existing_library(settings) as database:
        if words is None or database is None or is_new:
            return words
        with database.read() as connection:
            known = BookRepository(connection).find(book_id(brief))
        return words if known is None else end_in(BookStorage(database, known.id, known.brief.language), words)


def _label_of(words: str, stores: Stores) -> str:
    number = chapter_number(words)
    if number is None and not may_be_title(words):
        return words
    if number is not None and number > len(stores.codex.reading_order().chapters):
        return words  # it is still to come
    try:
        unit = find_node(words, stores)
        return words if number is not None and unit.level is Level.CHAPTER else unit.label
    except NodeNotFound as error:
        raise InvalidSetting(f"--until is {words!r}: {error}") from None
