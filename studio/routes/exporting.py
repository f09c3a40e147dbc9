"""Exports: the book as a file to take along, made when it is asked for."""

import tempfile
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from bookwright.exports.files import Layout, check_formats, export
from bookwright.exports.manuscript import Manuscript
from bookwright.models.text.language import Language
from bookwright.studio.book_request import BookRequest, ThisBook

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
    from bookwright.flows.vault.rendering import Vault  # brings the engine

    opened = book.opened
    with book.read() as stores:
        written = stores.nodes.root().written
    folder = Vault(opened.storage, opened.book, opened.settings).folder.root if opened.settings.keep_vault else None
    return book.page(
        "exports.html.j2", "exports", rows=list(ABOUT.items()), written=written, folder=folder,
        can_be_vertical=opened.book.brief.language is Language.JA,
    )  # fmt: skip


@router.post("/books/{book}/exports/covered")
async def covered(book: ThisBook) -> FileResponse:
    """Return the book as an EPUB under the picture that is sent along."""
    return await run_in_threadpool(_covered, book, await book.request.body())


def _covered(book: BookRequest, picture: bytes) -> FileResponse:
    folder = tempfile.TemporaryDirectory(prefix="bookwright-export-")
    cover = Path(folder.name) / "cover"
    cover.write_bytes(picture)
    path = export(book.opened.storage, "epub", Path(folder.name) / "book.epub", Layout(cover=cover))
    return FileResponse(path, media_type="application/epub+zip", background=BackgroundTask(folder.cleanup))


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
