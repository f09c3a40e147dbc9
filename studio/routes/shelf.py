"""The pages that are of no single book: the shelf, with what is done to a book as a whole, the work pool, help."""

import socket
import time
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.app.orders.starting import check_writable, going_on_with
from bookwright.app.status.books import ListedBook, ask_to_rest, begin_anew, is_held, list_books, put_away
from bookwright.flows.prefect.server import known_server
from bookwright.models.book import RESTING, BookState
from bookwright.models.errors import BookHeld, InvalidInput
from bookwright.storage.studio import Studio
from bookwright.studio.pages import ThisBook, Undo, page
from bookwright.studio.state import StudioState, ThisStudio
from bookwright.studio.texts import Remedy, in_words, remedy_in

router = APIRouter()

AllOption = Annotated[bool, Query(alias="all")]


@dataclass(frozen=True)
class ShelfRow:
    """A book on the page of the shelf."""

    line: ListedBook
    is_starting: bool
    """A process was started here that does not hold the book yet."""
    failure: str
    """Why the last process that was started here failed."""

    @property
    def standing(self) -> str:
        """Where the book stands in one word."""
        return "starting" if self.is_starting and self.line.standing in (*RESTING, "queued") else self.line.standing

    @property
    def why(self) -> str:
        """Why it rests, where that is worth telling."""
        if self.failure and self.standing not in ("starting", "queued"):
            return in_words(self.failure)
        is_told = self.line.book.state is BookState.PAUSED and self.standing != "queued"
        reason = "asked to rest" if self.line.is_to_rest else self.line.book.reason if is_told else ""
        if reason.startswith("a branch of "):
            return "It rests since it was forked."
        return "It has come as far as you asked." if reason.startswith("reached ") else in_words(reason)

    @property
    def remedy(self) -> Remedy | None:
        """The page that has the way out, where it rests for a reason that asks for one."""
        book = self.line.book
        told = self.failure or (f"{book.reason} {book.advice}" if book.state is BookState.PAUSED else "")
        return remedy_in(told, book.id) if told and self.standing in RESTING else None

    @property
    def holder(self) -> str:
        """The machine that writes it, where it is not this one."""
        host = (self.line.book.lease_owner or "").rpartition(" on ")[2] if is_held(self.line.book) else ""
        return "" if host == socket.gethostname() else host


@router.get("/")
def whole_shelf(request: Request, studio: ThisStudio, with_archived: AllOption = False) -> HTMLResponse:
    """Show the shelf."""
    return _shown(request, studio, "shelf.html.j2", with_archived)


@router.get("/shelf")
def piece_of_shelf(request: Request, studio: ThisStudio, with_archived: AllOption = False) -> HTMLResponse:
    """Return the list alone, as it stands now."""
    return _shown(request, studio, "shelf_list.html.j2", with_archived)


@router.post("/books/{book}/pause")
def pause(book: ThisBook) -> HTMLResponse:
    """Ask a book to rest before its next step."""
    with book.change() as opened:
        asked = ask_to_rest(opened)
    if asked.is_asked and asked.holder:
        return book.done("It will rest once the call in flight is recorded.")
    return book.done("It rests, and so will a run of it that waits." if asked.is_asked else "It rests already.")


@router.post("/books/{book}/resume")
def resume(book: ThisBook) -> HTMLResponse:
    """Go on with a book, in a process of its own."""
    start_writing(book.studio, book.id)
    return book.done("It is being started; that takes a few seconds.")


@router.post("/books/{book}/archive")
def archive(book: ThisBook) -> HTMLResponse:
    """Put a book away."""
    with book.change() as opened:
        put_away(opened, is_archived=True)
    return book.done("It is put away.", Undo(f"/books/{book.id}/unarchive"))


@router.post("/books/{book}/unarchive")
def unarchive(book: ThisBook) -> HTMLResponse:
    """Take a book out of the archive."""
    with book.change() as opened:
        put_away(opened, is_archived=False)
    return book.done("It is back on the shelf.", Undo(f"/books/{book.id}/archive"))


@router.post("/books/{book}/hand-in")
def hand_in(book: ThisBook) -> HTMLResponse:
    """Hand a resting book to the work pool."""
    opened = book.opened
    if is_held(opened.book):
        raise BookHeld(book.id, opened.book.lease_owner or "", 0.0)
    if known_server(opened.settings) is None:
        raise InvalidInput("No work pool is set up here.")
    check_writable(opened.book.brief, opened.settings)
    book.start(["submit", "--book", book.id, "--known-wish", str(opened.book.stop_requested_at)])
    return book.done("It is being handed in; a worker of the pool writes it.")


@router.get("/pool")
def pool(request: Request, studio: ThisStudio) -> HTMLResponse:
    """Show who writes what, which books were interrupted, and the cap over all of them."""
    database = studio.library.database()
    lines, standing = [], None
    if database is not None:
        lines = list_books(database)
        with database.read() as connection:
            standing = Studio(connection).standing()
    server = known_server(studio.settings)
    rows = [row_of(studio, line) for line in lines]
    resting = [row for row in rows if row.line.standing in (*RESTING, "queued")]
    return page(
        request, "pool.html.j2", held=[row for row in rows if is_held(row.line.book)], standing=standing,
        interrupted=[row for row in resting if row.line.standing == "interrupted"], resting=resting if server else [],
        cap=studio.settings.studio_cap, server=server.url.removesuffix("/api") if server else "",
    )  # fmt: skip


@router.get("/help")
def help_page(request: Request, studio: ThisStudio) -> HTMLResponse:
    """Show the help."""
    keyed = [provider for provider in PROVIDERS.values() if provider.key_variables and provider.needs_key]
    return page(request, "help.html.j2", providers=keyed, home=studio.settings.home)


def row_of(studio: StudioState, line: ListedBook) -> ShelfRow:
    """Return a book's row."""
    line = replace(line, is_queued=line.book.id in studio.library.queued())
    return ShelfRow(line, studio.runs.is_starting(line.book.id), studio.runs.failure(line.book.id))


def start_writing(studio: StudioState, book: str) -> None:
    """Start writing a book that rests, once it is sure that it can be written as things are set.

    Raises:
        BookHeld: Somebody writes it.
        InvalidInput: It is finished, or cannot be written; the message says what to change.
    """
    opened = studio.library.opened(book)
    if is_held(opened.book):
        raise BookHeld(book, opened.book.lease_owner or "", opened.book.lease_expires - time.time())
    if opened.book.state is BookState.FINISHED:
        raise InvalidInput("This book is written to its end.")
    check_writable(opened.book.brief, opened.settings)
    if not studio.runs.start(book, going_on_with(opened.book)):
        with studio.change(book) as starting:  # what was wished since it was started is taken back
            begin_anew(starting.storage.database, book)


def _shown(request: Request, studio: StudioState, template: str, with_archived: bool) -> HTMLResponse:
    database = studio.library.database()
    lines = [] if database is None else list_books(database, with_archived)
    lines.sort(key=lambda line: (line.book.is_archived, -line.book.updated_at))
    return page(request, template, rows=[row_of(studio, line) for line in lines], with_archived=with_archived)
