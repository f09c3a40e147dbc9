"""How much the models of a book take at once: asked of their servers, and kept with the book from its first answer on.

The window of a book's models decides its profile and the room of its prompts. So what a server said once holds
for the book whatever it says later, silent or started anew: a resumed book asks what an undisturbed one would.
"""

import json

from bookwright.agents.backends.windows import can_be_asked, with_known, with_windows
from bookwright.flows.book_models import names_of
from bookwright.models.book import Book
from bookwright.models.settings import Settings
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores


def opened_windows(
    book: Book, storage: BookStorage, journal: Journal, settings: Settings, option: str | None = None
) -> Settings:
    """Return the settings with the windows that a book's models have, asking the servers of those that are new to it.

    A model that has answered in the book without its window being kept was asked under the assumption, and goes on so.
    """
    unknown = [name for name in names_of(book.brief, settings, option) if can_be_asked(name, settings)]
    if not unknown:
        return settings
    with storage.read() as stores:
        settled = {name for name in unknown if _is_settled(name, book, stores)}
    asked = with_windows([name for name in unknown if name not in settled], settings)
    found = {name: tokens for name, tokens in asked.windows.items() if name in unknown}
    kept = {**book.windows, **found}
    if kept != book.windows:
        journal.defer(lambda stores: stores.books.change(book.id, windows=json.dumps(kept)))
    return with_known(kept, settings)


def kept_windows(book: Book, settings: Settings) -> Settings:
    """Return the settings with the windows that are kept with a book; nobody is asked."""
    return with_known(book.windows, settings)


def _is_settled(name: str, book: Book, stores: Stores) -> bool:
    """True for a model that has answered in the book: what was taken for its window stays."""
    return bool(book.calls) and (name in book.windows or stores.steps.has_answered(name))
