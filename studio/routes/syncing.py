"""A book's folder: what was changed in it by hand, taken in, and conflicts settled side by side."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.folder_sync import Side, conflicts_in, look_at_folder, settle_conflict, sync_folder, vault_of
from bookwright.models.errors import InvalidInput
from bookwright.studio.book_request import BookRequest, ThisBook
from bookwright.studio.fields import Fields, sides_in

router = APIRouter()

_QUIET = ("rendered", "unknown")


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


def _shown(book: BookRequest, template: str) -> HTMLResponse:
    _check_kept(book)
    vault = vault_of(book.opened)
    plan = look_at_folder(vault)
    findings = [one for one in plan.findings if one.outcome.value not in _QUIET]
    return book.page(
        template, "exports", findings=findings, conflicts=conflicts_in(plan), changes=plan.changes,
        root=vault.folder.root,
    )  # fmt: skip


def _check_kept(book: BookRequest) -> None:
    if not book.studio.settings.keep_vault:
        raise InvalidInput("The settings keep no folders of books.")
