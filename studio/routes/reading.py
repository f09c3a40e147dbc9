"""Reading: the book as its readers get it, a chapter at a time."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.candidates.sight import candidates_of
from bookwright.app.changes.editing import editable_parts
from bookwright.exports.manuscript import Chapter, Cover, Manuscript, Scene, Section
from bookwright.models.document import Document, DocumentKind
from bookwright.models.text.language import Language
from bookwright.models.tree.task import TaskNode
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here

router = APIRouter()


@dataclass(frozen=True)
class ReadSight:
    """One chapter before its reader."""

    cover: Cover
    heading: str
    label: str
    scenes: list[Scene]
    parts: list[str]
    """Labels of what holds its text, each of which can be edited."""
    drafted: list[str]
    """Which of these have drafts to choose from."""
    previous: str
    """Labels of its neighbours; empty where it has none."""
    next: str


@router.get("/books/{book}/read")
def contents(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show what chapters there are."""
    opened = here.look(book)
    manuscript = Manuscript(opened.storage)
    lines = [(line, isinstance(line, Chapter), _named(line)) for line in _sections(manuscript)]
    return page(request, "contents.html.j2", crumb_of(opened, "read"), cover=manuscript.cover(), lines=lines)


@router.get("/books/{book}/read/{label}")
def chapter(request: Request, here: Here, book: str, label: str, vertical: bool = False) -> HTMLResponse:
    """Show one chapter: the one that a node is, holds, or lies in."""
    opened = here.look(book)
    return page(
        request, "read.html.j2", crumb_of(opened, "read"), sight=_sight(opened, label), is_vertical=vertical,
        can_be_vertical=opened.book.brief.language is Language.JA,
    )  # fmt: skip


@router.get("/books/{book}/page/{label}")
def node_page(request: Request, here: Here, book: str, label: str) -> HTMLResponse:
    """Show a node of the tree with all that was made for it."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        node = stores.nodes.by_label(label)
        found = stores.documents.of_nodes([node.key], *DocumentKind)
    shown: list[tuple[Document, bool]] = [(one, one.data_hash is None or _is_text(one)) for one in found]
    return page(request, "node.html.j2", crumb_of(opened, "desk"), node=node, shown=shown)


def _sight(opened: OpenBook, label: str) -> ReadSight:
    manuscript = Manuscript(opened.storage)
    chapters = [section for section in _sections(manuscript) if isinstance(section, Chapter)]
    with opened.storage.read() as stores:
        wanted = stores.nodes.by_label(label)
        place = next((i for i, one in enumerate(chapters) if _meets(one.unit, wanted)), None)
        found = chapters[place] if place is not None else next(c for c in manuscript.sections(label))
        assert isinstance(found, Chapter)
        parts = editable_parts(stores, found.unit.label)
        drafted = [part for part in parts if candidates_of(stores.nodes.by_label(part), stores) is not None]
    before, after = (chapters[place - 1 : place], chapters[place + 1 : place + 2]) if place is not None else ([], [])
    return ReadSight(
        manuscript.cover(), _named(found), found.unit.label, manuscript.scenes(found), parts, drafted,
        before[0].unit.label if before else "", after[0].unit.label if after else "",
    )  # fmt: skip


def _sections(manuscript: Manuscript) -> list[Section]:
    return list(manuscript.sections())


def _named(section: Section) -> str:
    return section.heading or section.unit.title


def _meets(unit: TaskNode, wanted: TaskNode) -> bool:
    """One lies in the other."""
    short, long = sorted((unit.order, wanted.order), key=len)
    return long[: len(short)] == short


def _is_text(document: Document) -> bool:
    return document.kind in (DocumentKind.DESIGN, DocumentKind.FINDINGS)
