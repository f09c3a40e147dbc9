"""Editing by hand: the editor, saving by the version that was open, versions side by side."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse

from bookwright.app.changes.editing import edit_sight, node_names, save_or_queue, take_up_or_queue
from bookwright.app.changes.versions import maker, two_versions, version_rows
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import AuthorEdit, BriefEdit, EditState, NoteEdit, TextEdit
from bookwright.models.errors import EditConflict, InvalidInput
from bookwright.models.text.word_diff import word_diff
from bookwright.studio.fields import Fields
from bookwright.studio.pages import Undo, done, page, speaker
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()


@router.get("/books/{book}/edit/{label}")
def edit(request: Request, here: Here, book: str, label: str, kind: DocumentKind | None = None) -> HTMLResponse:
    """Show the editor on a document, with what it rests on and what other words would make stale."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        sight = edit_sight(stores, label, kind)
        target = TextEdit(label=label, kind=sight.document.kind, text="").target
        waiting = stores.edits.waiting_for(target)
    return page(request, "edit.html.j2", crumb_of(opened, "read"), sight=sight, waiting=waiting)


@router.get("/books/{book}/edits")
def edits(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show what was saved while the book was written, and what became of it."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        found = stores.edits.newest()
        names = node_names(stores, (one.edit.label for one in found if isinstance(one.edit, TextEdit | NoteEdit)))
    lines = [(one, _about(one.edit, names)) for one in found]
    return page(request, "edits.html.j2", crumb_of(opened, "desk"), lines=lines)


@router.post("/books/{book}/edit/{label}")
def save_text(request: Request, here: Here, book: str, label: str, fields: Fields) -> JSONResponse:
    """Save the author's words; where another version stands by now, answer with that one."""
    wanted = TextEdit(label=label, kind=_kind(fields), text=fields.get("text", ""), seen=_version(fields))
    after = fields.get("after", "")
    say = speaker(request)
    try:
        with here.change(book) as opened:
            saved = save_or_queue(opened, wanted, int(after) if after.isdecimal() else None)
    except EditConflict:
        return _conflict(here, book, wanted)
    if saved.queued is not None:
        words = say("Saved; it is taken in between two steps of the book")
        undo = f"/books/{book}/edits/{saved.queued}/withdraw"
        return JSONResponse({"version": wanted.seen, "after": saved.queued, "words": words, "undo": undo})
    if saved.made is None:
        return JSONResponse({"version": wanted.seen, "words": say("These words stand there already.")})
    undo = f"/books/{book}/restore/{label}"
    return JSONResponse({"version": saved.made.version, "words": say("Saved"), "undo": undo, "before": wanted.seen})


@router.post("/books/{book}/edits/{number}/withdraw")
def withdraw(request: Request, here: Here, book: str, number: int) -> HTMLResponse:
    """Take an edit back that waits to be taken in."""
    with here.change(book) as opened, opened.storage.write() as stores:
        if not stores.edits.settle(number, EditState.WITHDRAWN):
            raise InvalidInput("It waits no more; take an earlier version up again instead.")
    return done(request, speaker(request)("It is taken back."))


@router.get("/books/{book}/history/{label}")
def history(
    request: Request, here: Here, book: str, label: str, kind: DocumentKind | None = None, a: int | None = None,
    b: int | None = None,
) -> HTMLResponse:  # fmt: skip
    """Show all versions of a document, and two of them side by side."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        sight = edit_sight(stores, label, kind)
        rows = version_rows(stores, sight.node, sight.document.kind)
        two = two_versions(stores, sight.node, sight.document.kind, a, b) if len(rows) > 1 else None
    changes = list(word_diff(two.before, two.after)) if two else []
    lines = [(row, maker(row)) for row in reversed(rows)]
    return page(
        request, "history.html.j2", crumb_of(opened, "read"), sight=sight, lines=lines, two=two, changes=changes
    )


@router.post("/books/{book}/restore/{label}")
def restore(request: Request, here: Here, book: str, label: str, fields: Fields) -> HTMLResponse:
    """Take an earlier version up again."""
    with here.change(book) as opened:
        saved = take_up_or_queue(opened, label, _kind(fields), _version(fields) or 0)
    if saved.queued is not None:
        words = speaker(request)("Saved; it is taken in between two steps of the book")
        return done(request, words, Undo(f"/books/{book}/edits/{saved.queued}/withdraw"))
    made = saved.made
    assert isinstance(made, Document)  # a text was taken up
    words = speaker(request)("It stands again, as version {version}.", version=made.version)
    before = Undo(f"/books/{book}/restore/{label}", {"kind": made.kind.value, "version": made.version - 1})
    return done(request, words, before)


def _about(edit: AuthorEdit, names: Mapping[str, str]) -> str:
    """Return what an edit is of, as an author calls it; empty for the order of the book."""
    if isinstance(edit, TextEdit | NoteEdit):
        return names[edit.label]
    return "" if isinstance(edit, BriefEdit) else edit.slug


def _conflict(here: Workshop, book: str, wanted: TextEdit) -> JSONResponse:
    with here.look(book).storage.read() as stores:
        standing = edit_sight(stores, wanted.label, wanted.kind).document
        waiting = stores.edits.waiting_for(wanted.target)
    facts: dict[str, Any] = {"version": standing.version, "theirs": standing.text}
    if waiting is not None and isinstance(waiting.edit, TextEdit):
        facts = {"version": waiting.edit.seen, "theirs": waiting.edit.text, "after": waiting.id}
    return JSONResponse(facts, 409)


def _kind(fields: dict[str, str]) -> DocumentKind | None:
    try:
        return DocumentKind(fields["kind"]) if fields.get("kind") else None
    except ValueError:
        raise InvalidInput("There is no such kind of text.") from None


def _version(fields: dict[str, str]) -> int | None:
    value = fields.get("version", "")
    if not value.isdecimal() or len(value) > 9:
        raise InvalidInput("A save names the version that it was made from.")
    return int(value)
