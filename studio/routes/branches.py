"""Branches of a book: a map of them, two side by side, taking over what one has made, and taking that back."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.branches import merging
from bookwright.app.branches.comparing import compare, compare_units, text_pair
from bookwright.app.branches.forks import BranchRow, BranchTree, branch_tree
from bookwright.app.branches.forks import fork as make_branch
from bookwright.app.branches.merge_plan import Conflict
from bookwright.app.branches.offers import differing_documents, differing_kinds, offers_of
from bookwright.app.branches.verdicts import ask_for_verdict, order_verdict
from bookwright.app.node_lookup import node_names
from bookwright.app.status.books import delete_book
from bookwright.exports.report.charts import Chart
from bookwright.exports.report.maps import MapLine, branch_map
from bookwright.models.errors import InvalidInput
from bookwright.models.story_time.clock import upward
from bookwright.models.wording import money
from bookwright.storage.branches.repository import BranchRepository, Merge
from bookwright.storage.stores import Stores
from bookwright.studio.pages import (
    BookRequest,
    Fields,
    ThisBook,
    fork_of,
    go_to,
    is_piece,
    kind_named,
    number_in,
    sides_in,
)
from bookwright.studio.state import Job
from bookwright.studio.texts import Speaker

router = APIRouter()


@dataclass(frozen=True)
class Pair:
    """Two books side by side: what stands here, and what was made there."""

    a: OpenBook
    b: OpenBook
    names: tuple[str, str]
    seen: str
    """What stands for both as they are shown."""


@router.get("/books/{book}/branches")
def branches(book: ThisBook, at: str = "") -> HTMLResponse:
    """Show the branches; `at` is the unit that the person came from."""
    tree = branch_tree(book.opened, book.studio.library.queued())
    names = {row.book.id: row.name for row in tree.rows}
    with book.read() as stores:
        units = list(_beginnings(stores))
        titles = {unit.label: unit.title for unit in stores.nodes.titled_units()}
        merged = BranchRepository(stores.connection).taken(book.id)
        places = node_names(stores, [one.took.partition("/")[0] for one in merged])
    taken = [(one, names.get(one.branch, one.branch), _place(one, places, book.say)) for one in merged]
    return book.page(
        "branch_list.html.j2" if is_piece(book.request) else "branches.html.j2", "branches", tree=tree, names=names,
        titles=titles, origins={row.fork.origin for row in tree.rows if row.fork}, units=units, at=at, taken=taken,
        map=_map(book.id, tree, book.say),
    )  # fmt: skip


@router.post("/books/{book}/fork")
def fork(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Make a branch, and go to its desk; nothing is asked of a model."""
    with book.change() as opened:
        made = make_branch(opened, fields.get("at") or None, fields.get("name", "").strip() or None)
    return go_to(f"/books/{made.book}")


@router.post("/books/{book}/branches/delete")
def delete(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Delete a branch for good once its name was typed, and go to what it was forked from."""
    with book.change() as opened:
        made = fork_of(opened)
        if made is None:
            raise InvalidInput("This book is no branch; it is deleted in a terminal alone.")
        if fields.get("confirm", "").strip() != made.name:
            raise InvalidInput("Type the name of the branch as it stands there; it is gone for good then.")
        delete_book(opened)
    return go_to(f"/books/{made.origin}/branches")


@router.get("/books/{book}/compare/{other}")
def compared(book: ThisBook, other: str) -> HTMLResponse:
    """Show which units differ; figures are looked up once that is shown."""
    pair = _pair_of(book, other)
    units = compare_units(pair.a, pair.b)
    differing = tuple(unit for unit in units if not unit.is_same)
    return book.page(
        "compare_units.html.j2" if is_piece(book.request) else "compare.html.j2", "branches", pair=pair,
        units=differing, count=len(units), offers=offers_of(pair.a, pair.b, differing),
        documents=differing_documents(pair.a, pair.b),
    )  # fmt: skip


@router.get("/books/{book}/compare/{other}/figures")
def figures(book: ThisBook, other: str) -> HTMLResponse:
    """Return figures and scores, threads and secrets that differ."""
    pair = _pair_of(book, other)
    found = compare(pair.a, pair.b)
    with pair.a.storage.read() as mine, pair.b.storage.read() as theirs:
        titles = {unit.label: unit.title for stores in (theirs, mine) for unit in stores.nodes.titled_units()}
    return book.page("compare_figures.html.j2", "branches", found=found, titles=titles, pair=pair)


@router.get("/books/{book}/compare/{other}/{label}")
def unit(book: ThisBook, other: str, label: str) -> HTMLResponse:
    """Show the texts of a unit beside each other."""
    pair = _pair_of(book, other)
    texts = text_pair(pair.a, pair.b, label)
    with pair.a.storage.read() as stores:
        name = node_names(stores, [texts.label])[texts.label]
    rows = [(changes, any(old != new for old, new in changes)) for changes in texts.rows]
    kinds = differing_kinds(pair.a, pair.b, texts.label)
    return book.page("compare_unit.html.j2", "branches", pair=pair, name=name, texts=texts, rows=rows, kinds=kinds)


@router.get("/books/{book}/compare/{other}/{label}/verdict")
def bill(book: ThisBook, other: str, label: str) -> HTMLResponse:
    """Return what a reader's verdict takes; nothing is asked by that."""
    pair = _pair_of(book, other)
    order = order_verdict(pair.a, text_pair(pair.a, pair.b, label))
    return book.page("verdict_bill.html.j2", "branches", order=order, pair=pair)


@router.post("/books/{book}/compare/{other}/{label}/verdict")
def ask(book: ThisBook, other: str, label: str, fields: Fields) -> HTMLResponse:
    """Begin to ask the reader, if the bill is the one that was shown."""
    pair = _pair_of(book, other)
    order = order_verdict(pair.a, text_pair(pair.a, pair.b, label))
    order.check(fields.get("bill", ""))
    return _verdict(book, pair, label, book.begin(lambda opened: ask_for_verdict(opened, order)))


@router.get("/books/{book}/compare/{other}/{label}/verdict/{number}")
def verdict(book: ThisBook, other: str, label: str, number: int) -> HTMLResponse:
    """Return what the reader said, once it is there."""
    job = book.studio.jobs.get(number, "This answer was forgotten; it stands in the journal.")
    return _verdict(book, _pair_of(book, other), label, job)


@router.get("/books/{book}/merge/{other}")
def look(book: ThisBook, other: str, take: str = "1", kind: str = "") -> HTMLResponse:
    """Show what would be taken over; what both have changed stands side by side."""
    pair = _pair_of(book, other)
    sight = merging.look_at_merge(pair.a, merging.MergeOrder(pair.b.book.id, take, kind_named(kind)))
    names = _names(pair, sight)
    conflicts = [(one, names.get(one.place.partition("/")[0], one.name), one.stretches()) for one in sight.conflicts]
    return book.page(
        "merge.html.j2", "branches", pair=pair, sight=sight, names=names, take=take, kind=kind, conflicts=conflicts
    )


@router.post("/books/{book}/merged/undo")
def undo(book: ThisBook, fields: Fields) -> HTMLResponse:
    """Take the last merge back, exactly, if it is the one that was shown."""
    with book.change() as opened:
        merging.undo_merge(opened, number_in(fields, "number") or 0)
    return book.done("It is taken back; the book is as it was before.")


@router.post("/books/{book}/merge/{other}")
def take_over(book: ThisBook, other: str, fields: Fields) -> HTMLResponse:
    """Take over what is named; where both have changed it and nothing is settled, go to where that is done."""
    pair = _pair_of(book, other)
    take, kind = fields.get("take", "1"), fields.get("kind", "")
    order = merging.MergeOrder(pair.b.book.id, take, kind_named(kind), seen=fields.get("seen", ""))
    found = merging.look_at_merge(pair.a, order).conflicts
    if found and not fields.get("settling"):
        asked = urlencode({"take": take, "kind": kind})
        return go_to(f"/books/{book.id}/merge/{other}?{asked}")
    choices = {one.place: _settled(one, number, fields) for number, one in enumerate(found, 1)}
    with book.change() as opened:
        sight = merging.merge(opened, replace(order, choices=choices))
    stale, bill = merging.stale_after(book.opened)
    direct = sum(one.is_direct for one in stale)
    with book.read() as stores:
        number = BranchRepository(stores.connection).taken(book.id)[0].number
    return book.page("merged.html.j2", "branches", sight=sight, direct=direct, bill=bill, number=number)


def _beginnings(stores: Stores) -> Iterator[tuple[str, str]]:
    """Label and name of the chapters and of what holds them; a scene has the same on its own page."""
    holding = {label for chapter in stores.codex.reading_order().chapters for label in upward(chapter)}
    for unit in sorted(stores.nodes.titled_units(), key=lambda unit: unit.order):
        if unit.label in holding:
            yield unit.label, unit.title


def _place(merge: Merge, names: dict[str, str], say: Speaker) -> str:
    label, _, kind = merge.took.partition("/")
    name = say("everything") if label == "1" and not kind else names[label]
    return f"{name} · {say(kind)}" if kind else name


def _map(book: str, tree: BranchTree, say: Speaker) -> Chart:
    places = {row.book.id: place for place, row in enumerate(tree.rows)}
    lines = [_line(row, places, book, say) for row in tree.rows]
    title = say("Map of the branches")
    about = say("Each line is a book: strong is what it has made itself, faint what it shares, bare what is to come.")
    return branch_map(title, about, lines)


def _line(row: BranchRow, places: dict[str, int], book: str, say: Speaker) -> MapLine:
    found = row.book
    unit = say(found.brief.length_unit)
    written = say("{count} {unit}", count=f"{row.written:,}", unit=unit)
    return MapLine(
        name=row.name or found.brief.working_title, link=f"/books/{found.id}", depth=row.depth,
        told=(written, f"{say(row.standing)} · {money(found.cost)}"), length=found.brief.length,
        stretches=row.stretches, forked=row.shared, origin=places[row.fork.origin] if row.fork else None,
        is_here=found.id == book,
    )  # fmt: skip


def _pair_of(book: BookRequest, other: str) -> Pair:
    """Open two branches for a look.

    Raises:
        BookNotFound: One of them is none.
        InvalidInput: They are no branches of one book.
    """
    a, b = book.opened, book.studio.library.opened(other)
    return Pair(a, b, (_name(a), _name(b)), merging.standing_of(a, b.book.id))


def _name(opened: OpenBook) -> str:
    fork = fork_of(opened)
    return fork.name if fork else opened.book.title or opened.book.brief.working_title


def _verdict(book: BookRequest, pair: Pair, label: str, job: Job) -> HTMLResponse:
    return book.page("verdict.html.j2", "branches", job=job, pair=pair, label=label)


def _names(pair: Pair, found: merging.MergePreview) -> dict[str, str]:
    places = [one.place.partition("/")[0] for one in found.conflicts if not one.place.startswith("codex/")]
    mine = [label for label, *_ in found.texts]
    with pair.a.storage.read() as stores, pair.b.storage.read() as others:
        return node_names(others, found.units) | node_names(stores, (*places, *mine, *found.replaced))


def _settled(conflict: Conflict, number: int, fields: dict[str, str]) -> str:
    """Return how one conflict is settled: by words of one's own, or by a side at each place."""
    if fields.get(f"how-{number}") == "own":
        words = fields.get(f"text-{number}", "").replace("\r\n", "\n").strip()
        if not words:
            raise InvalidInput("Where words of your own are to stand, write them.")
        return words
    return conflict.settled(sides_in(fields, f"side-{number}-"))
