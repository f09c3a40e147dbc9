"""An error as an author needs it: what is wrong in words, and the way out as a button in place of a command."""

import re
from dataclasses import dataclass

from bookwright.models.errors import (
    BookHeld,
    BookNotFound,
    BookwrightError,
    EditConflict,
    GateDecided,
    InvalidInput,
    MissingKey,
    NodeNotFound,
    StorageError,
    UnknownModel,
)

_COMMAND = re.compile(r"`(?:bookwright )?[^`]*`|(?<!\w)--[a-z]{2}")


@dataclass(frozen=True)
class Remedy:
    """A way out: a page to go to, or something to have done."""

    label: str
    link: str = ""
    post: str = ""


def status_of(error: BookwrightError) -> int:
    """Return what the answer is called in HTTP."""
    if isinstance(error, (BookNotFound, NodeNotFound)):
        return 404
    if isinstance(error, (BookHeld, EditConflict, GateDecided)):
        return 409
    if isinstance(error, InvalidInput):
        return 422
    return 503 if isinstance(error, StorageError) else 500


def in_words(message: str) -> str:
    """Leave out what of a message tells of commands: a page has buttons for that."""
    pieces = re.split(r"(?<=[;.])\s+", " ".join(message.split()))
    kept = [piece for piece in pieces if not _COMMAND.search(piece)]
    told = " ".join(kept).rstrip(";").strip()
    return told or _COMMAND.sub("", message).strip()


def remedy_of(error: BookwrightError, book: str) -> Remedy | None:
    """Return the way out of an error; None where the words say all."""
    if isinstance(error, BookHeld) and book:
        return Remedy("Ask it to pause", post=f"/books/{book}/pause")
    if isinstance(error, (MissingKey, UnknownModel)):
        return Remedy("How to set a model and its key", link="/help#models")
    if isinstance(error, BookNotFound):
        return Remedy("To the shelf", link="/")
    if isinstance(error, NodeNotFound) and book:
        return Remedy("To the book", link=f"/books/{book}")
    if isinstance(error, GateDecided):
        return Remedy("To the inbox", link="/inbox")
    return None
