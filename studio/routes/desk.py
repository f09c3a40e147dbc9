"""The desk of one book: its tree, what is done now, the prose as it is written, what it costs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from bookwright.agents.runtime.events.event_file import event_path
from bookwright.app.access import OpenBook
from bookwright.app.status.desk import Doing, PaceSoFar, doing_of, newest_step, pace_of
from bookwright.app.status.shelf import ShelfLine, is_held
from bookwright.app.watching.fisheye import Folds
from bookwright.app.watching.library import BookSight
from bookwright.app.watching.stream import Heard, PieceKind
from bookwright.exports.markup import clean
from bookwright.models.document import DocumentKind
from bookwright.models.edit import EditState
from bookwright.models.text.prose import paragraphs
from bookwright.storage.branches.repository import BranchRepository
from bookwright.studio.pages import Crumb, page
from bookwright.studio.routes.shelf import ShelfRow, row_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()

_PROSE = re.compile(r" write/(draft|refine|revise|improve|amend)")
"""Calls whose answers are prose; what others answer is JSON or notes, which an author is not shown raw."""
_SHOWN_PARAGRAPHS = 12
_SHOWN_EDITS = 20

NodeKeys = Annotated[tuple[int, ...], Query()]


@dataclass(frozen=True)
class DeskSight:
    """All that the desk shows of a book."""

    row: ShelfRow
    sight: BookSight
    doing: Doing
    pace: PaceSoFar
    is_held: bool
    waiting: int
    """Edits that wait to be taken in."""
    refused: int
    """Edits that could not be, of the last ones."""


@dataclass(frozen=True)
class TextSight:
    """The newest prose: as it comes, or the last that stands."""

    heading: str
    paragraphs: Sequence[str]
    is_coming: bool
    characters: int = 0
    """How much of an answer that is no prose has come."""


@router.get("/books/{book}")
def desk(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show the desk."""
    return _desk(request, here, "desk.html.j2", here.look(book), Folds())


@router.get("/books/{book}/now")
def now(
    request: Request, here: Here, book: str, unfolded: Annotated[NodeKeys, Query(alias="open")] = (),
    closed: NodeKeys = (), more: NodeKeys = (),
) -> HTMLResponse:  # fmt: skip
    """Return the tree and the facts as they stand now, folded as the person has them."""
    return _desk(request, here, "desk_now.html.j2", here.look(book), _folds(unfolded, closed, more))


@router.get("/books/{book}/text")
def text(request: Request, here: Here, book: str) -> HTMLResponse:
    """Return the prose that is being written, as far as it has come."""
    opened = here.look(book)
    return page(request, "desk_text.html.j2", crumb_of(opened, "desk"), text=_text(here, opened))


def crumb_of(opened: OpenBook, tab: str) -> Crumb:
    """Return where a page of a book stands."""
    book = opened.book
    with opened.storage.database.read() as connection:
        fork = BranchRepository(connection).find(book.id)
    name = fork.name if fork else ""
    return Crumb(book.id, book.title or book.brief.working_title, book.brief.language.value, tab, name)


def _desk(request: Request, here: Workshop, template: str, opened: OpenBook, folds: Folds) -> HTMLResponse:
    desk, text = _sight(here, opened, folds), _text(here, opened)
    return page(request, template, crumb_of(opened, "desk"), desk=desk, text=text, folds=folds)


def _folds(opened: Sequence[int], closed: Sequence[int], more: Sequence[int]) -> Folds:
    wide = {(abs(key), key < 0): 50 for key in more}
    return Folds(frozenset(opened), frozenset(closed), wide)


def _sight(here: Workshop, opened: OpenBook, folds: Folds) -> DeskSight:
    sight = here.library.sight(opened.book.id, folds)
    with opened.storage.read() as stores:
        line, node = newest_step(stores)
        states = [one.state for one in stores.edits.newest(_SHOWN_EDITS)]
    book, root = sight.progress.book, sight.progress.root
    row = row_of(here, ShelfLine(book, root.written, len(sight.gates)))
    counts = states.count(EditState.WAITING), states.count(EditState.REFUSED)
    return DeskSight(
        row, sight, doing_of(line, node), pace_of(book, root, sight.worked_seconds), is_held(book), *counts
    )


def _text(here: Workshop, opened: OpenBook) -> TextSight:
    """Return what is being said while it is prose; else the end of the newest prose that stands."""
    book = opened.book.id
    is_near = is_held(opened.book) and event_path(here.settings.home, book).exists()
    heard = here.heard(book) if is_near else Heard()
    coming = _coming(heard)
    if coming and _PROSE.search(heard.call):
        return TextSight("", paragraphs(coming)[-_SHOWN_PARAGRAPHS:], is_coming=True)
    with opened.storage.read() as stores:
        newest = stores.documents.latest(DocumentKind.PROSE)
        heading = stores.nodes.get(newest.node).title if newest else ""
    shown = paragraphs(clean(newest.text))[-_SHOWN_PARAGRAPHS:] if newest else []
    return TextSight(heading, shown, is_coming=False, characters=heard.characters if heard.call else 0)


def _coming(heard: Heard) -> str:
    return "".join(reversed(list(_last_text(heard)))) if heard.call else ""


def _last_text(heard: Heard) -> Iterator[str]:
    """Yield the pieces of the call in flight, newest first."""
    for piece in reversed(heard.pieces):
        if piece.kind is PieceKind.HEAD:
            return
        if piece.kind is PieceKind.TEXT:
            yield piece.text
