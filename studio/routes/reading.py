"""Reading: the book as its readers get it, a chapter at a time."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.candidates import candidates_of
from bookwright.exports.manuscript import Chapter, Manuscript, Section
from bookwright.flows.revision.revise import with_prose
from bookwright.models.document import DocumentKind
from bookwright.models.errors import NodeNotFound
from bookwright.models.text.language import Language
from bookwright.models.tree.task import TaskNode
from bookwright.studio.pages import ThisBook

router = APIRouter()

_TEXTS = (DocumentKind.DESIGN, DocumentKind.FINDINGS)
"""Documents with data whose text is read all the same."""


@router.get("/books/{book}/read")
def contents(book: ThisBook) -> HTMLResponse:
    """Show what chapters there are."""
    manuscript = Manuscript(book.opened.storage)
    lines = [(line, isinstance(line, Chapter), _named(line)) for line in manuscript.sections()]
    return book.page("contents.html.j2", "read", cover=manuscript.cover(), lines=lines)


@router.get("/books/{book}/read/{label}")
def chapter(book: ThisBook, label: str, vertical: bool = False) -> HTMLResponse:
    """Show one chapter with its neighbours: the one that a node is, holds, or lies in.

    Raises:
        NodeNotFound: There is none: it is not written yet, or no part of the text.
    """
    manuscript = Manuscript(book.opened.storage)
    chapters = [section for section in manuscript.sections() if isinstance(section, Chapter)]
    with book.read() as stores:
        wanted = stores.nodes.by_label(label)
        place = next((i for i, one in enumerate(chapters) if _meets(one.unit, wanted)), None)
        if place is None:
            raise NodeNotFound("There is no such page.")
        found = chapters[place]
        parts = with_prose(found.unit, stores)
        drafted = [part for part in parts if candidates_of(stores.nodes.by_label(part), stores) is not None]
    before, after = chapters[:place][-1:], chapters[place + 1 : place + 2]
    return book.page(
        "read.html.j2", "read", heading=_named(found), label=found.unit.label, scenes=manuscript.scenes(found),
        parts=parts, drafted=drafted, previous=before[0].unit.label if before else "",
        next=after[0].unit.label if after else "", is_vertical=vertical,
        can_be_vertical=book.opened.book.brief.language is Language.JA,
    )  # fmt: skip


@router.get("/books/{book}/page/{label}")
def node_page(book: ThisBook, label: str) -> HTMLResponse:
    """Show a node of the tree with all that was made for it."""
    with book.read() as stores:
        node = stores.nodes.by_label(label)
        found = stores.documents.of_nodes([node.key], *DocumentKind)
    shown = [(one, one.data_hash is None or one.kind in _TEXTS) for one in found]
    return book.page("node.html.j2", "desk", node=node, shown=shown)


def _named(section: Section) -> str:
    return section.heading or section.unit.title


def _meets(unit: TaskNode, wanted: TaskNode) -> bool:
    """One lies in the other."""
    short, long = sorted((unit.order, wanted.order), key=len)
    return long[: len(short)] == short
