"""The codex: people, places, secrets and threads, each with its history; what a reading would change of them."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.agents.relay.threads.alerts import PACINGS
from bookwright.app.access import OpenBook
from bookwright.app.changes.editing import places_named, save_or_queue
from bookwright.app.records.board import Board, make_board
from bookwright.app.records.edits import decision
from bookwright.app.records.form import RecordField, fields_of, new_record, record_edit
from bookwright.app.records.unions import take_up
from bookwright.exports.report.book_report import report_of
from bookwright.exports.report.charts import Chart
from bookwright.exports.report.views import thread_chart
from bookwright.models.book import BookState
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret
from bookwright.models.codex.record import Record, RecordKind, Stored, Suggestion, kind_of
from bookwright.models.errors import EntryNotFound, InvalidInput
from bookwright.storage.stores import Stores
from bookwright.studio.fields import Fields
from bookwright.studio.pages import Undo, done, page, speaker
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here

router = APIRouter()


@dataclass(frozen=True)
class RecordRow:
    """A record in a list."""

    kind: RecordKind
    stored: Stored[Record]
    name: str
    about: str


@router.get("/books/{book}/codex")
def codex(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show who and what the story knows, its secrets, and what waits to be taken or dropped."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        rows = {kind: [_row(kind, one) for one in stores.codex.current(kind)] for kind in RecordKind}
        named = places_named(stores, (secret.revealed_at for secret in stores.codex.secrets()))
        wishes = [
            (wish, _name_of(stores, wish)) for kind in RecordKind for wish in stores.codex.suggestions.waiting(kind)
        ]
    return page(
        request, "codex.html.j2", crumb_of(opened, "codex"), entries=rows[RecordKind.ENTRY],
        secrets=rows[RecordKind.SECRET], wishes=wishes, entry_kinds=list(EntryKind), named=named,
    )  # fmt: skip


@router.get("/books/{book}/codex/{kind}/{name}")
def record(request: Request, here: Here, book: str, kind: RecordKind, name: str) -> HTMLResponse:
    """Show one record as a form, with its versions."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        stored = stores.codex.get(kind, name)
        versions = stores.codex.history(kind, name)
    shown: list[RecordField] = fields_of(stored.record)
    return page(
        request, "record.html.j2", crumb_of(opened, _tab(kind)), row=_row(kind, stored), fields=shown,
        versions=versions[::-1],
    )  # fmt: skip


@router.post("/books/{book}/codex/{kind}/{name}")
def change(request: Request, here: Here, book: str, kind: RecordKind, name: str, fields: Fields) -> HTMLResponse:
    """Save a record's fields by the version that the author has seen."""
    seen = fields.get("version", "")
    if not seen.isdecimal():
        raise InvalidInput("A save names the version that it was made from.")
    with here.change(book) as opened:
        with opened.storage.read() as stores:
            wanted = record_edit(stores, kind, name, fields, int(seen))
        saved = save_or_queue(opened, wanted)
    if saved.queued is not None:
        return _queued(request, book, saved.queued)
    return _told(request, book, kind, name, int(seen) + 1, speaker(request)("Saved"))


@router.post("/books/{book}/codex/{kind}/{name}/take-up")
def take_record_up(
    request: Request, here: Here, book: str, kind: RecordKind, name: str, fields: Fields
) -> HTMLResponse:
    """Make an earlier version of a record stand again."""
    version = fields.get("version", "")
    if not version.isdecimal():
        raise InvalidInput("There is no such version.")
    with here.change(book) as opened:
        made = take_up(opened, kind, name, int(version))
    words = speaker(request)("It stands again, as version {version}.", version=made.version)
    return _told(request, book, kind, name, made.version, words)


def _queued(request: Request, book: str, number: int) -> HTMLResponse:
    """Say that a change waits for whoever writes the book, and how to take it back."""
    words = speaker(request)("Saved; it is taken in between two steps of the book")
    return done(request, words, Undo(f"/books/{book}/edits/{number}/withdraw"))


def _told(request: Request, book: str, kind: RecordKind, name: str, version: int, words: str) -> HTMLResponse:
    """Say what was done to a record; the form that is open saves upon its new version from now on."""
    undo = Undo(f"/books/{book}/codex/{kind.value}/{name}/take-up", {"version": version - 1})
    return page(request, "record_done.html.j2", words=words, undo=undo, stands=version)


@router.post("/books/{book}/codex/{kind}")
def add(request: Request, here: Here, book: str, kind: RecordKind, fields: Fields) -> HTMLResponse:
    """Add a record, and show it; while the book is written, between two of its steps."""
    with here.change(book) as opened:
        wanted = new_record(opened, kind, fields)
        saved = save_or_queue(opened, wanted)
    if saved.queued is not None:
        return _queued(request, book, saved.queued)
    return HTMLResponse("", headers={"HX-Redirect": f"/books/{book}/codex/{kind.value}/{wanted.slug}"})


@router.post("/books/{book}/suggestions/{number}/{verdict}")
def decide(request: Request, here: Here, book: str, number: int, verdict: str) -> HTMLResponse:
    """Take what a reading of the pages would change of a record, or drop it."""
    if verdict not in ("take", "drop"):
        raise EntryNotFound("There is no such decision.")
    with here.change(book) as opened:
        with opened.storage.read() as stores:
            wanted = decision(stores, number, is_taken=verdict == "take")
        saved = save_or_queue(opened, wanted)
    if saved.queued is not None:
        return _queued(request, book, saved.queued)
    say, made = speaker(request), saved.made
    if verdict == "drop" or not isinstance(made, Stored):
        return done(request, say("Dropped."))
    back = f"/books/{book}/codex/{kind_of(made.record).value}/{made.record.id}/take-up"
    return done(request, say("Taken."), Undo(back, {"version": made.version - 1}))


@router.get("/books/{book}/threads")
def threads(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show what was laid early to be paid off later, over the chapters, with what wants looking after."""
    opened = here.look(book)
    is_finished = opened.book.state is BookState.FINISHED
    with opened.storage.read() as stores:
        board: Board = make_board(stores, PACINGS["medium"], is_finished=is_finished)
        written = stores.nodes.root().written
        threads = [card.thread for card in board.cards]
        named = places_named(stores, (None, *(place for thread in threads for place in thread.places)))
    chart: Chart | None = _chart(opened) if written else None
    return page(request, "threads.html.j2", crumb_of(opened, "threads"), board=board, chart=chart, named=named)


def _chart(opened: OpenBook) -> Chart | None:
    return thread_chart(report_of(opened.storage, opened.settings))


def _row(kind: RecordKind, stored: Stored[Record]) -> RecordRow:
    found = stored.record
    if isinstance(found, CodexEntry):
        about = next((section.text for section in found.sections if section.text), "")
        return RecordRow(kind, stored, found.name, about)
    if isinstance(found, Secret):
        return RecordRow(kind, stored, found.content[:90], found.notes)
    return RecordRow(kind, stored, found.title, found.seed.content)


def _name_of(stores: Stores, wish: Suggestion) -> str:
    return _row(wish.kind, stores.codex.get(wish.kind, wish.slug)).name


def _tab(kind: RecordKind) -> str:
    return "threads" if kind is RecordKind.FORESHADOWING else "codex"
