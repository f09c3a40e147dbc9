"""Taking over what a branch has made: with one click, or side by side where both have changed the same; and back."""

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.branches.merge_plan import Conflict
from bookwright.app.branches.merging import MergeOrder, MergeSight, look_at_merge, merge, stale_after, undo_merge
from bookwright.app.branches.settling import choice_of, stretches_of
from bookwright.app.changes.editing import node_names
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.storage.branches.repository import BranchRepository
from bookwright.studio.fields import Fields
from bookwright.studio.pages import done, page, speaker
from bookwright.studio.routes.branching.comparing import Pair, pair_of
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here, Workshop

router = APIRouter()

_OWN = "own"
"""How a conflict is settled by words of the author's own."""


@dataclass(frozen=True)
class ConflictSight:
    """What both have changed, stretch by stretch."""

    conflict: Conflict
    name: str
    number: int
    stretches: list[tuple[str, str]]

    @property
    def takes_words(self) -> bool:
        """Whether words of one's own can stand there."""
        return bool(self.conflict.merged)


@dataclass(frozen=True)
class TakingSight:
    """What would be taken over, and what is yet to be settled."""

    pair: Pair
    sight: MergeSight
    names: dict[str, str]
    """Of the units that are meant, by their labels."""
    take: str
    kind: str
    conflicts: list[ConflictSight]


@router.get("/books/{book}/merge/{other}")
def look(request: Request, here: Here, book: str, other: str, take: str = "1", kind: str = "") -> HTMLResponse:
    """Show what would be taken over; what both have changed stands side by side."""
    return _shown(request, here, pair_of(here, book, other), take, kind)


@router.post("/books/{book}/merged/undo")
def undo(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Take the last merge back, exactly, if it is the one that was shown."""
    number = fields.get("number", "")
    with here.change(book) as opened:
        undo_merge(opened, int(number) if number.isdecimal() and len(number) < 10 else 0)
    return done(request, speaker(request)("It is taken back; the book is as it was before."))


@router.post("/books/{book}/merge/{other}")
def take_over(request: Request, here: Here, book: str, other: str, fields: Fields) -> HTMLResponse:
    """Take over what is named; where both have changed it and nothing is settled, go to where that is done."""
    pair = pair_of(here, book, other)
    take, kind = fields.get("take", "1"), fields.get("kind", "")
    order = MergeOrder(pair.b.book.id, take, _kind(kind), seen=fields.get("seen", ""))
    found = look_at_merge(pair.a, order).conflicts
    if found and not fields.get("settling"):
        asked = urlencode({"take": take, "kind": kind})
        return HTMLResponse("", headers={"HX-Redirect": f"/books/{book}/merge/{other}?{asked}"})
    choices = {one.place: _settled(one, number, fields) for number, one in enumerate(found, 1)}
    with here.change(book) as opened:
        sight = merge(opened, MergeOrder(order.branch, take, order.kind, choices, order.seen))
    return _done(request, here.look(book), sight)


def _done(request: Request, opened: OpenBook, sight: MergeSight) -> HTMLResponse:
    found, bill = stale_after(opened)
    direct = sum(one.is_direct for one in found)
    with opened.storage.database.read() as connection:
        number = BranchRepository(connection).taken(opened.book.id)[0].number
    crumb = crumb_of(opened, "branches")
    return page(request, "merged.html.j2", crumb, sight=sight, direct=direct, bill=bill, number=number)


def _shown(request: Request, here: Workshop, pair: Pair, take: str, kind: str) -> HTMLResponse:
    found = look_at_merge(pair.a, MergeOrder(pair.b.book.id, take, _kind(kind)))
    names = _names(pair, found)
    conflicts = [
        ConflictSight(one, names.get(one.place.partition("/")[0], one.name), number, stretches_of(one))
        for number, one in enumerate(found.conflicts, 1)
    ]
    sight = TakingSight(pair, found, names, take, kind, conflicts)
    return page(request, "merge.html.j2", crumb_of(pair.a, "branches"), taking=sight, pair=pair)


def _names(pair: Pair, found: MergeSight) -> dict[str, str]:
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
    places = sum(name.startswith(f"side-{number}-") for name in fields)
    return choice_of(conflict, [fields.get(f"side-{number}-{place}", "") for place in range(1, places + 1)])


def _kind(value: str) -> DocumentKind | None:
    try:
        return DocumentKind(value) if value else None
    except ValueError:
        raise InvalidInput("There is no such kind of text.") from None
