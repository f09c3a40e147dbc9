"""The codex: people, places, secrets and threads, each with its history; what a reading would change of them."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.agents.relay.threads.alerts import PACINGS
from bookwright.app.changes.editing import save_or_queue
from bookwright.app.node_lookup import places_named
from bookwright.app.records.edits import decision, fields_of, new_record, record_edit, take_up
from bookwright.app.records.thread_board import make_board
from bookwright.exports.report.book_report import report_of
from bookwright.exports.report.layout import thread_chart
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret
from bookwright.models.codex.record import Record, RecordKind, Stored, kind_of, make_record
from bookwright.models.edit import RecordEdit
from bookwright.models.errors import EntryNotFound
from bookwright.studio.pages import BookRequest, Fields, ThisBook, Undo, go_to, needed_number, number_in, page

router = APIRouter()


@dataclass(frozen=True)
class RecordRow:
    """A record in a list."""

    kind: RecordKind
    stored: Stored[Record]
    name: str
    about: str


@router.get("/books/{book}/codex")
def codex(book: ThisBook) -> HTMLResponse:
    """Show who and what the story knows, its secrets, and what waits to be taken or dropped."""
    with book.read() as stores:
        rows = {kind: [_row(kind, one) for one in stores.codex.current(kind)] for kind in RecordKind}
        named = places_named(stores, (secret.revealed_at for secret in stores.codex.secrets()))
        waiting = stores.edits.waiting()
        wishes = [
            (wish, _row(kind, stores.codex.get(kind, wish.slug)).name)
            for kind in RecordKind
            for wish in stores.codex.suggestions.waiting(kind)
        ]
    return book.page(
        "codex.html.j2", "codex", entries=rows[RecordKind.ENTRY], secrets=rows[RecordKind.SECRET],
        wishes=wishes, entry_kinds=list(EntryKind), named=named, waiting=waiting,
    )  # fmt: skip


@router.get("/books/{book}/codex/{kind}/{name}")
def record(book: ThisBook, kind: RecordKind, name: str) -> HTMLResponse:
    """Show one record as a form, with its versions."""
    with book.read() as stores:
        stored = stores.codex.get(kind, name)
        versions = stores.codex.history(kind, name)
        waiting = stores.edits.waiting_for(RecordEdit(kind=kind, slug=stored.record.id, record={}, seen=0).target)
    own = waiting.edit if waiting and isinstance(waiting.edit, RecordEdit) else None
    shown, row = fields_of(make_record(kind, own.record) if own else stored.record), _row(kind, stored)
    tab = "threads" if kind is RecordKind.FORESHADOWING else "codex"
    return book.page(
        "record.html.j2", tab, row=row, fields=shown, versions=versions[::-1], waiting=waiting if own else None,
        stands=own.seen if own else stored.version,
    )  # fmt: skip


@router.post("/books/{book}/codex/{kind}/{name}")
def change(book: ThisBook, kind: RecordKind, name: str, fields: Fields) -> HTMLResponse:
    """Save a record's fields by the version that the author has seen."""
    seen = needed_number(fields, "version", "A save names the version that it was made from.")
    with book.change() as opened:
        with opened.storage.read() as stores:
            wanted = record_edit(stores, kind, name, fields, seen)
        saved = save_or_queue(opened, wanted, number_in(fields, "after"))
    if saved.queued is not None:
        return _changed(book, *book.waiting(saved.queued), seen, saved.queued)
    assert isinstance(saved.made, Stored)  # a record was changed
    made = saved.made.version
    if made == seen:
        return _changed(book, book.say("These words stand there already."), None, made)
    return _changed(book, book.say("Saved"), _undo(book, kind, name, made), made)


@router.post("/books/{book}/codex/{kind}/{name}/take-up")
def take_record_up(book: ThisBook, kind: RecordKind, name: str, fields: Fields) -> HTMLResponse:
    """Make an earlier version of a record stand again."""
    version = needed_number(fields, "version", "There is no such version.")
    with book.change() as opened:
        made = take_up(opened, kind, name, version)
    words = book.say("It stands again, as version {version}.", version=made.version)
    return _changed(book, words, _undo(book, kind, name, made.version), made.version)


def _changed(book: BookRequest, words: str, undo: Undo | None, stands: int, after: int | None = None) -> HTMLResponse:
    """Say what was done to a record; the page saves upon that from now on. What is not there yet `stands` as 0."""
    return page(book.request, "record_done.html.j2", words=words, undo=undo, stands=stands, after=after)


def _undo(book: BookRequest, kind: RecordKind, name: str, version: int) -> Undo:
    return Undo(f"/books/{book.id}/codex/{kind.value}/{name}/take-up", {"version": version - 1})


@router.post("/books/{book}/codex/{kind}")
def add(book: ThisBook, kind: RecordKind, fields: Fields) -> HTMLResponse:
    """Add a record, and show it; while the book is written, between two of its steps."""
    with book.change() as opened:
        wanted = new_record(opened, kind, fields)
        saved = save_or_queue(opened, wanted, number_in(fields, "after"))
    if saved.queued is not None:
        return _changed(book, *book.waiting(saved.queued), 0, saved.queued)
    return go_to(f"/books/{book.id}/codex/{kind.value}/{wanted.slug}")


@router.post("/books/{book}/suggestions/{number}/{verdict}")
def decide(book: ThisBook, number: int, verdict: str, fields: Fields) -> HTMLResponse:
    """Take what a reading of the pages would change of a record, or drop it."""
    if verdict not in ("take", "drop"):
        raise EntryNotFound("There is no such decision.")
    with book.change() as opened:
        with opened.storage.read() as stores:
            wanted = decision(stores, number, is_taken=verdict == "take")
        saved = save_or_queue(opened, wanted, number_in(fields, "after"))
    if saved.queued is not None:
        return _changed(book, *book.waiting(saved.queued), 0, saved.queued)
    made = saved.made
    if verdict == "drop" or not isinstance(made, Stored):
        return book.done("Dropped.")
    return book.done("Taken.", _undo(book, kind_of(made.record), made.record.id, made.version))


@router.get("/books/{book}/threads")
def threads(book: ThisBook) -> HTMLResponse:
    """Show what was laid early to be paid off later, over the chapters, with what wants looking after."""
    with book.read() as stores:
        board = make_board(stores, PACINGS["medium"])
        written, waiting = stores.nodes.root().written, stores.edits.waiting()
        threads = [card.thread for card in board.cards]
        named = places_named(stores, (None, *(place for thread in threads for place in thread.places)))
    chart = thread_chart(report_of(book.opened.storage, book.opened.settings)) if written else None
    return book.page("threads.html.j2", "threads", board=board, chart=chart, named=named, waiting=waiting)


def _row(kind: RecordKind, stored: Stored[Record]) -> RecordRow:
    found = stored.record
    if isinstance(found, CodexEntry):
        about = next((section.text for section in found.sections if section.text), "")
        return RecordRow(kind, stored, found.name, about)
    if isinstance(found, Secret):
        return RecordRow(kind, stored, found.content[:90], found.notes)
    return RecordRow(kind, stored, found.title, found.seed.content)
