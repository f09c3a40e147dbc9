"""What a page is asked and what it answers: requests about a book, fields of forms, pages by their templates."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bookwright.app.access import OpenBook
from bookwright.exports.markup import clean, to_xhtml
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.wording import dollars, duration, moment, money, tokens
from bookwright.storage.branches.repository import BranchRepository, Fork
from bookwright.storage.stores import Stores
from bookwright.studio.state import Job, StudioState
from bookwright.studio.texts import COOKIE, LANGUAGES, Speaker, done_words, in_words, kind_words, language_of

_HERE = Path(__file__).parent
_MOST_FIELDS, _MOST_DIGITS = 100, 9


@dataclass(frozen=True)
class Crumb:
    """Where a page stands: the book it is of, and which of the book's pages it is."""

    book: str = ""
    title: str = ""
    language: str = ""
    """The book's, for fonts and hyphenation."""
    tab: str = ""
    branch: str = ""
    """The name of a branch; empty for a book that is none."""


@dataclass(frozen=True)
class Undo:
    """What takes back what was just done."""

    post: str
    values: Mapping[str, str | int] = field(default_factory=dict)


def go_to(address: str) -> HTMLResponse:
    """Have the browser open another page of the studio."""
    return HTMLResponse("", headers={"HX-Redirect": address})


def is_piece(request: Request) -> bool:
    """Whether a page asks for a piece of itself, and not the browser for the whole."""
    return "hx-request" in request.headers


def page(request: Request, template: str, crumb: Crumb = Crumb(), status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page, or a piece of one, in the language that the person reads."""
    studio: StudioState = request.app.state.studio
    say = speaker(request)
    html = _templates().get_template(template).render(
        say=say, language=say.language, languages=LANGUAGES, token=studio.keys.token, crumb=crumb,
        path=request.url.path, version=_version(), model=studio.settings.model,
        is_embedded=studio.settings.model.startswith("embedded:"), **values,
    )  # fmt: skip
    return HTMLResponse(html, status)


def speaker(request: Request) -> Speaker:
    """Return who says the texts of a page, by the person's choice or their browser's."""
    return Speaker(language_of(request.cookies.get(COOKIE), request.headers.get("accept-language", "")))


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
        return self.studio.library.opened(self.id)

    def read(self) -> AbstractContextManager[Stores]:
        """Look into the book's database."""
        return self.opened.storage.read()

    def change(self) -> AbstractContextManager[OpenBook]:
        """Open the book to change it; its folder of files is brought up to date behind it."""
        return self.studio.change(self.id)

    def begin(self, work: Callable[[OpenBook], object]) -> Job:
        """Begin a piece of work in the background, on the book opened to change it."""

        def changing(tell: Callable[[str], None]) -> object:
            with self.change() as opened:
                return work(opened)

        return self.studio.jobs.start(changing)

    def start(self, arguments: Sequence[str]) -> None:
        """Start a verb in a process of its own.

        Raises:
            InvalidInput: One that this page started is still at work on the book.
        """
        if not self.studio.runs.start(self.id, arguments):
            raise InvalidInput("A process that this page started is still at work on this book.")

    def page(self, template: str, tab: str, **values: Any) -> HTMLResponse:
        """Return a page of the book, or a piece of one; `tab` says which of its pages it is."""
        book, fork = self.opened.book, fork_of(self.opened)
        title = book.title or book.brief.working_title
        crumb = Crumb(book.id, title, book.brief.language.value, tab, fork.name if fork else "")
        return page(self.request, template, crumb, **values)

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


@cache
def _templates() -> Environment:
    """Return the templates; every value is escaped unless it is markup of our own making."""
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "dollars": dollars, "money": money, "moment": moment, "tokens": tokens, "duration": duration, "clean": clean,
        "kind": kind_words, "done": done_words, "in_words": in_words,
        "prose": lambda paragraph: Markup(to_xhtml(paragraph)),  # which escapes what it is given
        "count": lambda number: f"{number:,}", "percent": lambda share: f"{share:.0%}", "svg": Markup,
    }  # fmt: skip
    return environment


@cache
def _version() -> str:
    """Return what changes with the static files, so that browsers ask for new ones."""
    files = (_HERE / "static").rglob("*")
    return f"{max(int(file.stat().st_mtime) for file in files):x}"
