"""What a page is asked: a request about one book with the answers it gets, and the fields of a form."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.storage.branches.repository import BranchRepository, Fork
from bookwright.storage.stores import Stores
from bookwright.studio.pages import Crumb, Undo, page, speaker
from bookwright.studio.state import StudioState

_MOST_FIELDS, _MOST_DIGITS = 100, 9


class BookRequest:
    """What is asked about a book, and of which studio."""

    def __init__(self, request: Request, book: str) -> None:
        self.request = request
        self.id = book
        self.studio: StudioState = request.app.state.studio
        self.say = speaker(request)
        """Says texts in the language that the person reads."""

    @cached_property
    def opened(self) -> OpenBook:
        """The book for looking alone, as it stands when it is first asked for.

        Raises:
            BookNotFound: There is none of that id.
            StorageError: The database cannot be used now.
        """
        return self.studio.look(self.id)

    def read(self) -> AbstractContextManager[Stores]:
        """Look into the book's database."""
        return self.opened.storage.read()

    def change(self) -> AbstractContextManager[OpenBook]:
        """Open the book to change it; its folder of files is brought up to date behind it."""
        return self.studio.change(self.id)

    def page(self, template: str, tab: str, **values: Any) -> HTMLResponse:
        """Return a page of the book, or a piece of one; `tab` says which of its pages it is."""
        return page(self.request, template, self._crumb(tab), **values)

    def done(self, words: str, undo: Undo | None = None, **values: object) -> HTMLResponse:
        """Say what was done, with the way back for a while."""
        return page(self.request, "done.html.j2", words=self.say(words, **values), undo=undo)

    def queued(self, number: int) -> HTMLResponse:
        """Say that an edit waits for whoever writes the book, and how to take it back."""
        words, undo = self.waiting(number)
        return page(self.request, "done.html.j2", words=words, undo=undo)

    def waiting(self, number: int) -> tuple[str, Undo]:
        """Return how it is said that an edit waits, and what takes it back."""
        words = self.say("Saved; it is taken in between two steps of the book")
        return words, Undo(f"/books/{self.id}/edits/{number}/withdraw")

    def _crumb(self, tab: str) -> Crumb:
        book, fork = self.opened.book, fork_of(self.opened)
        title = book.title or book.brief.working_title
        return Crumb(book.id, title, book.brief.language.value, tab, fork.name if fork else "")


def fork_of(opened: OpenBook) -> Fork | None:
    """Return how a branch was made; None for a book that is none."""
    with opened.storage.database.read() as connection:
        return BranchRepository(connection).find(opened.book.id)


ThisBook = Annotated[BookRequest, Depends()]
"""The book that a request is about."""


async def _fields(request: Request) -> dict[str, str]:
    """Read the form.

    Raises:
        InvalidInput: It is none.
    """
    try:
        body = (await request.body()).decode("utf-8")
        read = parse_qs(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        raise InvalidInput("This form cannot be read.") from None
    return {name: values[-1] for name, values in read.items()}


Fields = Annotated[dict[str, str], Depends(_fields)]
"""What a form says, the last value of each name."""


def number_in(fields: Mapping[str, str], name: str) -> int | None:
    """Return the whole number that a field holds; None where it holds none."""
    value = fields.get(name, "")
    return int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else None


def needed_number(fields: Mapping[str, str], name: str, complaint: str) -> int:
    """Return the whole number that a field has to hold.

    Raises:
        InvalidInput: It holds none; the message is the complaint.
    """
    number = number_in(fields, name)
    if number is None:
        raise InvalidInput(complaint)
    return number


def sides_in(fields: Mapping[str, str], prefix: str = "side-") -> list[str]:
    """Return the sides that were chosen place by place; empty where a place was left open."""
    count = sum(name.startswith(prefix) for name in fields)
    return [fields.get(f"{prefix}{number}", "") for number in range(1, count + 1)]


def kind_named(name: str) -> DocumentKind | None:
    """Return the kind of text of that name; None for no name.

    Raises:
        InvalidInput: There is none of that name.
    """
    try:
        return DocumentKind(name) if name else None
    except ValueError:
        raise InvalidInput("There is no such kind of text.") from None
