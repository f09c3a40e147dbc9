"""A book as files: exports to take along, and its folder, from which changes by hand are taken in."""

import tempfile
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from bookwright.app.folder_sync import Side, conflicts_in, look_at_folder, settle_conflict, sync_folder, vault_of
from bookwright.exports.files import Layout, check_formats, export
from bookwright.exports.manuscript import Manuscript
from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language
from bookwright.studio.pages import BookRequest, Fields, ThisBook, sides_in

router = APIRouter()

ABOUT = {
    "epub": "for e-book readers, with a cover and contents", "docx": "for editors and word processors",
    "html": "one page for any browser", "md": "Markdown, for tools that read it", "txt": "nothing but the words",
    "json": "everything the book is, to move it to another machine",
}  # fmt: skip
"""What each format is for, in the order of the page."""


@router.get("/books/{book}/exports")
def exports(book: ThisBook) -> HTMLResponse:
    """Show what files can be had."""
    opened = book.opened
    with book.read() as stores:
        written = stores.nodes.root().written
    folder = vault_of(opened).folder.root if opened.settings.keep_vault else None
    return book.page(
        "exports.html.j2", "exports", rows=list(ABOUT.items()), written=written, folder=folder,
        can_be_vertical=opened.book.brief.language is Language.JA,
    )  # fmt: skip


@router.post("/books/{book}/exports/covered")
async def covered(book: ThisBook) -> FileResponse:
    """Return the book as an EPUB under the picture that is sent along."""
    return await run_in_threadpool(_covered, book, await book.request.body())


@router.get("/books/{book}/exports/{name}")
def download(book: ThisBook, name: str, vertical: bool = False) -> FileResponse:
    """Return the book as a file."""
    storage = book.opened.storage
    [format_name] = check_formats([name])
    folder = tempfile.TemporaryDirectory(prefix="bookwright-export-")
    path = export(storage, format_name, Path(folder.name) / f"book.{format_name}", Layout(is_vertical=vertical))
    title = Manuscript(storage).cover().title or book.id
    told = quote(f"{title.replace('/', '-')}.{format_name}", safe="")
    return FileResponse(
        path, headers={"Content-Disposition": f"attachment; filename*=UTF-8''{told}"},
        background=BackgroundTask(folder.cleanup),
    )  # fmt: skip


@router.get("/books/{book}/folder")
def folder(book: ThisBook) -> HTMLResponse:
    """Show what a sync would take in, and where file and book are in each other's way."""
    return _shown(book, "folder.html.j2")


@router.post("/books/{book}/folder/sync")
def sync(book: ThisBook) -> HTMLResponse:
    """Take in what was changed."""
    _check_kept(book)
    with book.change() as opened:
        sync_folder(vault_of(opened))
    return _shown(book, "folder_list.html.j2")


@router.post("/books/{book}/folder/settle")
def settle(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Let the words stand that were chosen, place by place."""
    _check_kept(book)
    chosen = sides_in(fields)
    if not all(side in tuple(Side) for side in chosen):
        raise InvalidInput("At each place either the words of the file are to stand, or those of the book.")
    with book.change() as opened:
        settle_conflict(vault_of(opened), fields.get("path", ""), [Side(one) for one in chosen], fields.get("seen", ""))
    return _shown(book, "folder_list.html.j2")


def _covered(book: BookRequest, picture: bytes) -> FileResponse:
    folder = tempfile.TemporaryDirectory(prefix="bookwright-export-")
    cover = Path(folder.name) / "cover"
    cover.write_bytes(picture)
    path = export(book.opened.storage, "epub", Path(folder.name) / "book.epub", Layout(cover=cover))
    return FileResponse(path, media_type="application/epub+zip", background=BackgroundTask(folder.cleanup))


def _shown(book: BookRequest, template: str) -> HTMLResponse:
    _check_kept(book)
    vault = vault_of(book.opened)
    plan = look_at_folder(vault)
    findings = [one for one in plan.findings if one.outcome.value not in ("rendered", "unknown")]
    return book.page(
        template, "exports", findings=findings, conflicts=conflicts_in(plan), changes=plan.changes,
        root=vault.folder.root,
    )  # fmt: skip


def _check_kept(book: BookRequest) -> None:
    if not book.studio.settings.keep_vault:
        raise InvalidInput("The settings keep no folders of books.")
