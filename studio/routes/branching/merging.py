"""Taking over what a branch has made: with one click, or side by side where both have changed the same; and back."""

from dataclasses import replace
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.branches.merge_plan import Conflict
from bookwright.app.branches.merging import MergeOrder, MergePreview, look_at_merge, merge, stale_after, undo_merge
from bookwright.app.places import node_names
from bookwright.models.errors import InvalidInput
from bookwright.storage.branches.repository import BranchRepository
from bookwright.studio.book_request import ThisBook
from bookwright.studio.fields import Fields, kind_named, number_in, sides_in
from bookwright.studio.pages import go_to
from bookwright.studio.routes.branching.comparing import Pair, pair_of

router = APIRouter()

_OWN = "own"
"""How a conflict is settled by words of the author's own."""


@router.get("/books/{book}/merge/{other}")
def look(book: ThisBook, other: str, take: str = "1", kind: str = "") -> HTMLResponse:
    """Show what would be taken over; what both have changed stands side by side."""
    pair = pair_of(book, other)
    sight = look_at_merge(pair.a, MergeOrder(pair.b.book.id, take, kind_named(kind)))
    names = _names(pair, sight)
    conflicts = [(one, names.get(one.place.partition("/")[0], one.name), one.stretches()) for one in sight.conflicts]
    return book.page(
        "merge.html.j2", "branches", pair=pair, sight=sight, names=names, take=take, kind=kind, conflicts=conflicts
    )


@router.post("/books/{book}/merged/undo")
def undo(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Take the last merge back, exactly, if it is the one that was shown."""
    with book.change() as opened:
        undo_merge(opened, number_in(fields, "number") or 0)
    return book.done("It is taken back; the book is as it was before.")


@router.post("/books/{book}/merge/{other}")
def take_over(book: ThisBook, other: str, fields: Fields) -> HTMLResponse:
    """Take over what is named; where both have changed it and nothing is settled, go to where that is done."""
    pair = pair_of(book, other)
    take, kind = fields.get("take", "1"), fields.get("kind", "")
    order = MergeOrder(pair.b.book.id, take, kind_named(kind), seen=fields.get("seen", ""))
    found = look_at_merge(pair.a, order).conflicts
    if found and not fields.get("settling"):
        asked = urlencode({"take": take, "kind": kind})
        return go_to(f"/books/{book.id}/merge/{other}?{asked}")
    choices = {one.place: _settled(one, number, fields) for number, one in enumerate(found, 1)}
    with book.change() as opened:
        sight = merge(opened, replace(order, choices=choices))
    stale, bill = stale_after(book.opened)
    direct = sum(one.is_direct for one in stale)
    with book.read() as stores:
        number = BranchRepository(stores.connection).taken(book.id)[0].number
    return book.page("merged.html.j2", "branches", sight=sight, direct=direct, bill=bill, number=number)


def _names(pair: Pair, found: MergePreview) -> dict[str, str]:
    places = [one.place.partition("/")[0] for one in found.conflicts if not one.place.startswith("codex/")]
    mine = [label for label, *_ in found.texts]
    with pair.a.storage.read() as stores, pair.b.storage.read() as others:
        return node_names(others, found.units) | node_names(stores, (*places, *mine, *found.replaced))


def _settled(conflict: Conflict, number: int, fields: dict[str, str]) -> str:
    """Return how one conflict is settled: by words of one's own, or by a side at each place."""
    if fields.get(f"how-{number}") == _OWN:
        words = fields.get(f"text-{number}", "").replace("\r\n", "\n").strip()
        if not words:
            raise InvalidInput("Where words of your own are to stand, write them.")
        return words
    return conflict.settled(sides_in(fields, f"side-{number}-"))
