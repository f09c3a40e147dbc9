"""The desk of one book: its tree, what is done now, the prose as it is written, what it costs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from bookwright.agents.runtime.events.event_file import event_path
from bookwright.app.node_lookup import title_of
from bookwright.app.status.books import ListedBook, is_held
from bookwright.app.status.progress import seconds_left
from bookwright.app.watching.fisheye import Folds
from bookwright.app.watching.stream import Heard, PieceKind
from bookwright.exports.markup import clean
from bookwright.models.document import DocumentKind
from bookwright.models.edit import EditState
from bookwright.models.text.prose import paragraphs
from bookwright.models.tree.task import TaskNode
from bookwright.studio.pages import BookRequest, ThisBook
from bookwright.studio.routes.shelf import row_of
from bookwright.studio.texts import doing_words

router = APIRouter()

_PROSE = re.compile(r" write/(draft|refine|revise|improve|amend)")
"""Calls whose answers are prose; what others answer is JSON or notes, which an author is not shown raw."""
_SHOWN_PARAGRAPHS = 12
_SHOWN_EDITS = 20
_FEWEST_SECONDS = 30.0
"""Before that a pace says nothing."""

NodeKeys = Annotated[tuple[int, ...], Query()]


@dataclass(frozen=True)
class ShownProse:
    """The newest prose: as it comes, or the last that stands."""

    heading: str
    paragraphs: Sequence[str]
    is_coming: bool
    characters: int = 0
    """How much of an answer that is no prose has come."""


@router.get("/books/{book}")
def desk(book: ThisBook) -> HTMLResponse:
    """Show the desk."""
    return _desk(book, "desk.html.j2", Folds())


@router.get("/books/{book}/now")
def now(
    book: ThisBook, unfolded: Annotated[NodeKeys, Query(alias="open")] = (), closed: NodeKeys = (), more: NodeKeys = ()
) -> HTMLResponse:
    """Return the tree and the facts as they stand now, folded as the person has them."""
    wide = {(abs(key), key < 0): 50 for key in more}
    return _desk(book, "desk_now.html.j2", Folds(frozenset(unfolded), frozenset(closed), wide))


@router.get("/books/{book}/text")
def text(book: ThisBook) -> HTMLResponse:
    """Return the prose that is being written, as far as it has come."""
    return book.page("desk_text.html.j2", "desk", text=_text(book))


def _desk(book: BookRequest, template: str, folds: Folds) -> HTMLResponse:
    sight = book.studio.library.sight(book.opened.book.id, folds)
    with book.read() as stores:
        newest = [(step, stores.nodes.by_label(step.label)) for step in stores.steps.last(1)]
        states = [one.state for one in stores.edits.newest(_SHOWN_EDITS)]
    stands, root = sight.progress.book, sight.progress.root
    doing = book.say("Getting ready")
    for step, node in newest:
        doing = book.say(doing_words(step.activity), unit=title_of(node))
    per_hour, left = _pace(root, sight.worked_seconds)
    return book.page(
        template, "desk", sight=sight, folds=folds, text=_text(book), is_held=is_held(stands),
        row=row_of(book.studio, ListedBook(stands, root.written, len(sight.gates))), doing=doing,
        per_hour=per_hour, seconds_left=left, waiting=states.count(EditState.WAITING),
        refused=states.count(EditState.REFUSED), edits=states,
    )  # fmt: skip


def _pace(root: TaskNode, worked_seconds: float) -> tuple[float, float | None]:
    """Return how much is written in an hour, and how many seconds are left at that pace; None while nothing tells."""
    if worked_seconds < _FEWEST_SECONDS:
        return 0.0, None
    return root.written / worked_seconds * 3600, seconds_left(root, worked_seconds)


def _text(book: BookRequest) -> ShownProse:
    """Return what is being said while it is prose; else the end of the newest prose that stands."""
    is_near = is_held(book.opened.book) and event_path(book.studio.settings.home, book.id).exists()
    heard = book.studio.heard(book.id) if is_near else Heard()
    coming = _coming(heard)
    if coming and _PROSE.search(heard.call):
        return ShownProse("", paragraphs(coming)[-_SHOWN_PARAGRAPHS:], is_coming=True)
    with book.read() as stores:
        newest = stores.documents.latest(DocumentKind.PROSE)
        heading = stores.nodes.get(newest.node).title if newest else ""
    shown = paragraphs(clean(newest.text))[-_SHOWN_PARAGRAPHS:] if newest else []
    return ShownProse(heading, shown, is_coming=False, characters=heard.characters if heard.call else 0)


def _coming(heard: Heard) -> str:
    """Return what has come of the call in flight."""
    latest = takewhile(lambda piece: piece.kind is not PieceKind.HEAD, reversed(heard.pieces))
    texts = [piece.text for piece in latest if piece.kind is PieceKind.TEXT]
    return "".join(reversed(texts)) if heard.call else ""
