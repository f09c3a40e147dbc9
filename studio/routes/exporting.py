"""Exports: the book as a file to take along, made when it is asked for."""

import tempfile
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from bookwright.exports.files import Layout, check_formats, export
from bookwright.exports.manuscript import Manuscript
from bookwright.models.text.language import Language
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()

ABOUT = {
    "epub": "for e-book readers, with a cover and contents", "docx": "for editors and word processors",
    "html": "one page for any browser", "md": "Markdown, for tools that read it", "txt": "nothing but the words",
    "json": "everything the book is, to move it to another machine",
}  # fmt: skip
"""What each format is for, in the order of the page."""


@router.get("/books/{book}/exports")
def exports(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show what files can be had."""
    from bookwright.flows.vault.rendering import Vault  # brings the engine

    opened = here.look(book)
    with opened.storage.read() as stores:
        written = stores.nodes.root().written
    folder = Vault(opened.storage, opened.book, opened.settings).folder.root if opened.settings.keep_vault else None
    rows = list(ABOUT.items())
    return page(
        request, "exports.html.j2", crumb_of(opened, "exports"), rows=rows, written=written, folder=folder,
        can_be_vertical=opened.book.brief.language is Language.JA,
    )  # fmt: skip


@router.post("/books/{book}/exports/covered")
async def covered(request: Request, here: Here, book: str) -> FileResponse:
    """Return the book as an EPUB under the picture that is sent along."""
    picture = await request.body()
    return await run_in_threadpool(_covered, here, book, picture)


def _covered(here: Workshop, book: str, picture: bytes) -> FileResponse:
    opened = here.look(book)
    folder = tempfile.TemporaryDirectory(prefix="bookwright-export-")
    cover = Path(folder.name) / "cover"
    cover.write_bytes(picture)
    path = export(opened.storage, "epub", Path(folder.name) / "book.epub", Layout(cover=cover))
    return FileResponse(path, media_type="application/epub+zip", background=BackgroundTask(folder.cleanup))


@router.get("/books/{book}/exports/{name}")
def download(here: Here, book: str, name: str, vertical: bool = False) -> FileResponse:
    """Return the book as a file."""
    opened = here.look(book)
    [format_name] = check_formats([name])
    folder = tempfile.TemporaryDirectory(prefix="bookwright-export-")
    path = export(opened.storage, format_name, Path(folder.name) / f"book.{format_name}", Layout(is_vertical=vertical))
    title = Manuscript(opened.storage).cover().title or book
    told = quote(f"{title.replace('/', '-')}.{format_name}", safe="")
    return FileResponse(
        path, headers={"Content-Disposition": f"attachment; filename*=UTF-8''{told}"},
        background=BackgroundTask(folder.cleanup),
    )  # fmt: skip
