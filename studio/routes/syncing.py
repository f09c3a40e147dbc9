"""A book's folder: what was changed in it by hand, taken in, and conflicts settled side by side."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.folders.syncing import Side, conflicts_in, look_at_folder, settle_conflict, sync_folder, vault_of
from bookwright.models.errors import InvalidInput
from bookwright.studio.fields import Fields
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()

_QUIET = ("rendered", "unknown")


@router.get("/books/{book}/folder")
def folder(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show what a sync would take in, and where file and book are in each other's way."""
    return _shown(request, here, book, "folder.html.j2")


@router.post("/books/{book}/folder/sync")
def sync(request: Request, here: Here, book: str) -> HTMLResponse:
    """Take in what was changed."""
    _check_kept(here)
    with here.change(book) as opened:
        sync_folder(vault_of(opened))
    return _shown(request, here, book, "folder_list.html.j2")


@router.post("/books/{book}/folder/settle")
def settle(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Let the words stand that were chosen, place by place."""
    _check_kept(here)
    chosen = [fields.get(f"side-{number}", "") for number in range(1, _most(fields) + 1)]
    if not all(side in tuple(Side) for side in chosen):
        raise InvalidInput("At each place either the words of the file are to stand, or those of the book.")
    with here.change(book) as opened:
        settle_conflict(vault_of(opened), fields.get("path", ""), [Side(one) for one in chosen], fields.get("seen", ""))
    return _shown(request, here, book, "folder_list.html.j2")


def _most(fields: dict[str, str]) -> int:
    return sum(name.startswith("side-") for name in fields)


def _shown(request: Request, here: Workshop, book: str, template: str) -> HTMLResponse:
    _check_kept(here)
    opened = here.look(book)
    vault = vault_of(opened)
    plan = look_at_folder(vault)
    findings = [one for one in plan.findings if one.outcome.value not in _QUIET]
    return page(
        request, template, crumb_of(opened, "exports"), findings=findings, conflicts=conflicts_in(plan),
        changes=plan.changes, root=vault.folder.root,
    )  # fmt: skip


def _check_kept(here: Workshop) -> None:
    if not here.settings.keep_vault:
        raise InvalidInput("The settings keep no folders of books.")
