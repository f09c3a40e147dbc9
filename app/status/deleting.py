"""Deleting a book for good, with all that was kept for it; what is its author's own stays."""

from dataclasses import dataclass

from bookwright.agents.runtime.events.event_file import remove_events
from bookwright.app.access import OpenBook, at_rest


@dataclass(frozen=True)
class Deleted:
    """What is left of a book that was deleted."""

    files: tuple[str, ...] = ()
    """Files of its folder that are the author's own."""
    trouble: str = ""
    """Why its folder could not be removed."""


def delete_book(opened: OpenBook) -> Deleted:
    """Remove a book with its journal, its index and its folder; exports and files of the author's own stay.

    Raises:
        BookHeld: A worker writes the book.
        InvalidInput: It has branches that share its texts.
    """
    with at_rest(opened.storage) as stores:
        stores.books.delete(opened.book.id)
    _drop_index(opened)
    remove_events(opened.settings.home, opened.book.id)
    return _drop_vault(opened)


def _drop_index(opened: OpenBook) -> None:
    from bookwright.storage.index.embedding import make_embedder  # numpy, for this alone
    from bookwright.storage.index.knowledge import KnowledgeIndex

    KnowledgeIndex(opened.storage, make_embedder(opened.settings), opened.settings).drop()


def _drop_vault(opened: OpenBook) -> Deleted:
    from bookwright.flows.vault.rendering import Vault

    vault = Vault(opened.storage, opened.book, opened.settings)
    try:
        return Deleted(tuple(str(vault.folder.root / path) for path in vault.delete()))
    except OSError as error:
        return Deleted(trouble=f"the folder {str(vault.folder.root)!r} cannot be removed ({error.strerror or error})")
