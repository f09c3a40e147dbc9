"""An error as an author needs it: what is wrong in words, and the way out as a button in place of a command."""

import re
from dataclasses import dataclass

from bookwright.models.errors import (
    BookHeld,
    BookNotFound,
    BookwrightError,
    DatabaseBusy,
    DatabaseUnreachable,
    EditConflict,
    GateDecided,
    GateNotFound,
    InvalidInput,
    MissingKey,
    NodeNotFound,
    StorageError,
    UnknownModel,
)

_VERB = re.compile(r"`bookwright (\w+)")
_COMMAND = re.compile(r"`(?:bookwright )?[^`]*`|(?<!\w)--[a-z]{2}")

_PAGES = {
    "brief": ("Change the order", "/brief"), "secrets": ("To the codex", "/codex"), "codex": ("To the codex", "/codex"),
    "foreshadowing": ("To the threads", "/threads"), "refresh": ("What is stale", "/stale"),
    "stale": ("What is stale", "/stale"), "sync": ("What was changed in the folder", "/folder"),
    "vault": ("What was changed in the folder", "/folder"), "log": ("To the journal", "/journal"),
    "read": ("Read", "/read"), "export": ("Exports", "/exports"), "status": ("To the book", ""),
}  # fmt: skip
"""Where a page does what a verb of the terminal does."""


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


def remedy_of(error: BookwrightError, book: str, here: str = "") -> Remedy | None:
    """Return the way out of an error on the page at the address `here`; None where the words say all."""
    if isinstance(error, BookHeld) and book:
        return Remedy("Ask it to pause", post=f"/books/{book}/pause")
    if isinstance(error, (MissingKey, UnknownModel)):
        return Remedy("How to set a model and its key", link="/help#models")
    if isinstance(error, BookNotFound):
        return Remedy("To the shelf", link="/")
    if isinstance(error, NodeNotFound) and book:
        return Remedy("To the book", link=f"/books/{book}")
    if isinstance(error, (GateDecided, GateNotFound)):
        return Remedy("To the inbox", link="/inbox")
    if here and isinstance(error, (EditConflict, DatabaseBusy, DatabaseUnreachable)):
        return Remedy("Look at it again", link=here)
    return remedy_in(str(error), book)


def remedy_in(message: str, book: str) -> Remedy | None:
    """Return as a page to go to what a message would have a person type; None where it names nothing of that kind."""
    if "API key" in message:
        return Remedy("How to set a model and its key", link="/help#models")
    verbs = _VERB.findall(message) if book else []
    return next((Remedy(_PAGES[verb][0], f"/books/{book}{_PAGES[verb][1]}") for verb in verbs if verb in _PAGES), None)
