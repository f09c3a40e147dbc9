"""The texts of a book: edited by hand, versions and drafts side by side, and what is stale made anew."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, JSONResponse

from bookwright.app.candidates import candidates_at
from bookwright.app.changes.editing import edit_view, save_or_queue, take_up_or_queue
from bookwright.app.changes.refreshing import refresh_preview
from bookwright.app.changes.versions import maker, two_versions, version_rows
from bookwright.app.node_lookup import node_names
from bookwright.app.orders.starting import check_writable
from bookwright.app.status.books import ListedBook
from bookwright.app.text_orders import take
from bookwright.exports.markup import clean
from bookwright.flows.revision.refresh import RefreshScope
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import AuthorEdit, BriefEdit, EditState, NoteEdit, TextEdit
from bookwright.models.errors import EditConflict, InvalidInput
from bookwright.models.text.diff import word_diff
from bookwright.models.text.prose import paragraphs
from bookwright.studio.pages import BookRequest, Fields, ThisBook, Undo, is_piece, kind_named, needed_number, number_in
from bookwright.studio.routes.shelf import row_of

router = APIRouter()

_UNNAMED = "A save names the version that it was made from."


@router.get("/books/{book}/edit/{label}")
def edit(book: ThisBook, label: str, kind: DocumentKind | None = None) -> HTMLResponse:
    """Show the editor on a document, with what it rests on and what other words would make stale."""
    with book.read() as stores:
        sight = edit_view(stores, label, kind)
        target = TextEdit(label=label, kind=sight.document.kind, text="").target
        waiting = stores.edits.waiting_for(target)
    return book.page("edit.html.j2", "read", sight=sight, waiting=waiting)


@router.get("/books/{book}/edits")
def edits(book: ThisBook) -> HTMLResponse:
    """Show what was saved while the book was written, and what became of it."""
    with book.read() as stores:
        found = stores.edits.newest()
        names = node_names(stores, (one.edit.label for one in found if isinstance(one.edit, TextEdit | NoteEdit)))
    lines = [(one, _about(one.edit, names)) for one in found]
    return book.page("edits.html.j2", "desk", lines=lines)


@router.post("/books/{book}/edit/{label}")
def save_text(book: ThisBook, label: str, fields: Fields) -> JSONResponse:
    """Save the author's words; where another version stands by now, answer with that one."""
    seen = needed_number(fields, "version", _UNNAMED)
    wanted = TextEdit(label=label, kind=kind_named(fields.get("kind", "")), text=fields.get("text", ""), seen=seen)
    try:
        with book.change() as opened:
            saved = save_or_queue(opened, wanted, number_in(fields, "after"))
    except EditConflict:
        return _conflict(book, wanted)
    if saved.queued is not None:
        words, withdrawal = book.waiting(saved.queued)
        return JSONResponse({"version": seen, "after": saved.queued, "words": words, "undo": withdrawal.post})
    if saved.made is None:
        words = book.say("These words stand there already.")
        return JSONResponse({"version": seen, "after": fields.get("after", ""), "words": words})
    undo, made = f"/books/{book.id}/restore/{label}", saved.made.version
    return JSONResponse({"version": made, "words": book.say("Saved"), "undo": undo, "before": made - 1})


@router.post("/books/{book}/edits/{number}/withdraw")
def withdraw(book: ThisBook, number: int) -> HTMLResponse:
    """Take an edit back that waits to be taken in."""
    with book.change() as opened, opened.storage.write() as stores:
        if not stores.edits.settle(number, EditState.WITHDRAWN):
            raise InvalidInput("It waits no more; take an earlier version up again instead.")
    return book.done("It is taken back.")


@router.get("/books/{book}/history/{label}")
def history(
    book: ThisBook, label: str, kind: DocumentKind | None = None, a: int | None = None, b: int | None = None
) -> HTMLResponse:
    """Show all versions of a document, and two of them side by side."""
    with book.read() as stores:
        sight = edit_view(stores, label, kind)
        rows = version_rows(stores, sight.node, sight.document.kind)
        two = two_versions(stores, sight.node, sight.document.kind, a, b) if len(rows) > 1 else None
    changes = list(word_diff(two.before, two.after)) if two else []
    lines = [(row, maker(row)) for row in reversed(rows)]
    return book.page("history.html.j2", "read", sight=sight, lines=lines, two=two, changes=changes)


@router.post("/books/{book}/restore/{label}")
def restore(book: ThisBook, label: str, fields: Fields) -> HTMLResponse:
    """Take an earlier version up again."""
    kind, version = kind_named(fields.get("kind", "")), needed_number(fields, "version", _UNNAMED)
    with book.change() as opened:
        saved = take_up_or_queue(opened, label, kind, version)
    if saved.queued is not None:
        return book.queued(saved.queued)
    made = saved.made
    assert isinstance(made, Document)  # a text was taken up
    before = Undo(f"/books/{book.id}/restore/{label}", {"kind": made.kind.value, "version": made.version - 1})
    return book.done("It stands again, as version {version}.", before, version=made.version)


@router.get("/books/{book}/candidates/{label}")
def candidates(book: ThisBook, label: str) -> HTMLResponse:
    """Show the drafts of a unit."""
    with book.read() as stores:
        sight = candidates_at(stores.nodes.by_label(label), stores)
    drafts = [(one, paragraphs(clean(one.text))) for one in sight.choice.candidates]
    return book.page("candidates.html.j2", "read", sight=sight, drafts=drafts)


@router.post("/books/{book}/candidates/{label}/take")
def take_one(book: ThisBook, label: str, fields: Fields) -> HTMLResponse:
    """Make one of them the unit's text; its versions have what stood there."""
    with book.change() as opened:
        made, _ = take(opened, label, needed_number(fields, "candidate", "Say which of the drafts."))
    return book.done("It stands now, as version {version}; the versions have what stood there.", version=made.version)


@router.get("/books/{book}/stale")
def stale(book: ThisBook, node: str = "1", anew: bool = False) -> HTMLResponse:
    """Show what is stale, or the part of it that lies below a node."""
    stands = book.opened.book
    with book.read() as stores:
        sight = refresh_preview(stores, stands.brief, RefreshScope(node, anew))
        everything = sight if node == "1" else refresh_preview(stores, stands.brief, RefreshScope())
        labels = [one.document.label for one in everything.found]
        causes = [cause.old.label for one in everything.found for cause in one.causes]
        names = node_names(stores, (*labels, *causes, "1"))
        row = row_of(book.studio, ListedBook(stands, stores.nodes.root().written, 0))
    template = "stale_list.html.j2" if is_piece(book.request) else "stale.html.j2"
    return book.page(template, "stale", refresh=sight, everything=everything.found, names=names, row=row)


@router.post("/books/{book}/refresh")
def refresh(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Make anew what is stale, in a process of its own, if the bill is still the one that was shown."""
    opened = book.opened
    wanted = RefreshScope(fields.get("node", "1"), fields.get("anew") == "1")
    with book.read() as stores:
        sight = refresh_preview(stores, opened.book.brief, wanted)
    sight.check(fields.get("bill", ""))
    check_writable(opened.book.brief, opened.settings)
    book.start(["refresh", book.id, *wanted.options, "--yes"])
    return book.done("It is being made anew. This page shows what is left as it goes.")


def _about(edit: AuthorEdit, names: Mapping[str, str]) -> str:
    """Return what an edit is of, as an author calls it; empty for the order of the book."""
    if isinstance(edit, TextEdit | NoteEdit):
        return names[edit.label]
    return "" if isinstance(edit, BriefEdit) else edit.slug


def _conflict(book: BookRequest, wanted: TextEdit) -> JSONResponse:
    with book.read() as stores:
        standing = edit_view(stores, wanted.label, wanted.kind).document
        waiting = stores.edits.waiting_for(wanted.target)
    facts: dict[str, Any] = {"version": standing.version, "theirs": standing.text}
    if waiting is not None and isinstance(waiting.edit, TextEdit):
        facts = {"version": waiting.edit.seen, "theirs": waiting.edit.text, "after": waiting.id}
    return JSONResponse(facts, 409)
