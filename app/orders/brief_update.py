"""What the author of a book that is there already says anew in its brief."""

from collections.abc import Callable

from bookwright.app.access import at_rest
from bookwright.app.orders.briefs import changed_brief, given
from bookwright.app.records.edits import put_records, unknown_records
from bookwright.flows.revision.brief_edits import change_brief
from bookwright.models.book import Book
from bookwright.models.brief import Brief
from bookwright.storage.stores import BookStorage

_CHANGEABLE = (
    "pen_name", "contact", "prompt_language", "profile", "max_unit_length", "max_planning_rounds", "budget",
    "candidates", "candidates_for", "gates", "unattended", "webhook", "default_visibility", "forbidden_keywords",
)  # fmt: skip
"""What a brief may say anew without meaning another book; the models too."""


def update_brief(book: Book, brief: Brief, storage: BookStorage, tell: Callable[[str], None]) -> Book:
    """Store a new version of a known book's brief where the author now names other models, caps and so on.

    `tell` hears what was changed.

    Raises:
        BookHeld: A worker writes it; nothing was changed.
    """
    named = given(brief)
    wanted = changed_brief(book.brief, {key: named[key] for key in _CHANGEABLE if key in named})
    if "models" in named:
        wanted = wanted.changed(models=brief.models)  # as a whole: a role that is no longer named has no model
    _add_new_records(book, brief, storage, tell)
    if wanted == book.brief:
        return book
    with at_rest(storage) as stores:
        changed = change_brief(wanted, book, stores)
    tell(f"the brief of {book.id} is now version {changed.brief_version}")
    return changed


def _add_new_records(book: Book, brief: Brief, storage: BookStorage, tell: Callable[[str], None]) -> None:
    """Put secrets and threads into a known book's codex that it never had; those that it has stay as they are."""
    with storage.read() as stores:
        news = unknown_records((*brief.secrets, *brief.foreshadowing), stores.codex)
    if not news:
        return
    with at_rest(storage) as stores:
        put_records(news, stores)
    tell(f"new in the codex of {book.id}: {', '.join(record.id for record in news)}")
