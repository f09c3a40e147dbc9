"""The branches of a book: a map and a list of them, forking, deleting one, what was taken over from them."""

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.app.branches.forking import fork as make_branch
from bookwright.app.branches.listing import BranchRow, BranchTree, branch_tree
from bookwright.app.changes.editing import node_names
from bookwright.app.status.deleting import delete_book
from bookwright.app.status.shelf import state_of
from bookwright.app.wording import money
from bookwright.exports.report.branch_map import MapLine, branch_map
from bookwright.exports.report.charts import Chart
from bookwright.models.errors import InvalidInput
from bookwright.storage.branches.repository import BranchRepository, Merge
from bookwright.storage.stores import Stores
from bookwright.studio.fields import Fields
from bookwright.studio.pages import page, speaker
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.texts import Speaker
from bookwright.studio.workshop import Here

router = APIRouter()


@dataclass(frozen=True)
class BranchCard:
    """One book of the tree as the list tells of it."""

    row: BranchRow
    standing: str
    origin: str
    """The name of what it comes from; empty for the book itself."""
    place: str
    """The unit from which on it was open again; empty where it has the whole."""
    has_branches: bool


@dataclass(frozen=True)
class BranchSight:
    """All branches of a book."""

    tree: BranchTree
    cards: list[BranchCard]
    map: Chart
    units: list[tuple[str, str]]
    """Label and name of where a branch can begin, in reading order."""
    at: str
    """The one that the person came from."""
    taken: list[tuple[Merge, str, str]]
    """What was merged into this book, with the names of the branch and of the place, the newest first."""


@router.get("/books/{book}/branches")
def branches(request: Request, here: Here, book: str, at: str = "") -> HTMLResponse:
    """Show the branches."""
    sight = _sight(here.look(book), at, speaker(request))
    template = "branch_list.html.j2" if "hx-request" in request.headers else "branches.html.j2"
    return page(request, template, crumb_of(here.look(book), "branches"), sight=sight)


@router.post("/books/{book}/fork")
def fork(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Make a branch, and go to its desk; nothing is asked of a model."""
    with here.change(book) as opened:
        made = make_branch(opened, fields.get("at") or None, fields.get("name", "").strip() or None)
    return HTMLResponse("", headers={"HX-Redirect": f"/books/{made.book}"})


@router.post("/books/{book}/branches/delete")
def delete(request: Request, here: Here, book: str, fields: Fields) -> HTMLResponse:
    """Delete a branch for good once its name was typed, and go to what it was forked from."""
    with here.change(book) as opened:
        with opened.storage.database.read() as connection:
            made = BranchRepository(connection).find(book)
        if made is None:
            raise InvalidInput("This book is no branch; it is deleted in a terminal alone.")
        if fields.get("confirm", "").strip() != made.name:
            raise InvalidInput("Type the name of the branch as it stands there; it is gone for good then.")
        delete_book(opened)
    return HTMLResponse("", headers={"HX-Redirect": f"/books/{made.origin}/branches"})


def _sight(opened: OpenBook, at: str, say: Speaker) -> BranchSight:
    tree = branch_tree(opened)
    names = {row.book.id: row.name for row in tree.rows}
    with opened.storage.read() as stores:
        units = list(_beginnings(stores))
        titles = {unit.label: unit.title for unit in stores.nodes.titled_units()}
        merged = BranchRepository(stores.connection).taken(opened.book.id)
        places = node_names(stores, [one.took.partition("/")[0] for one in merged])
        cards = [_card(row, names, titles, tree) for row in tree.rows]
    taken = [(one, names.get(one.branch, one.branch), _place(one, places, say)) for one in merged]
    return BranchSight(tree, cards, _map(opened.book.id, tree, say), units, at, taken)


def _beginnings(stores: Stores) -> Iterator[tuple[str, str]]:
    """Label and name of the chapters and of what holds them; a scene has the same on its own page."""
    holding = {label for chapter in stores.codex.reading_order().chapters for label in _with_above(chapter)}
    for unit in sorted(stores.nodes.titled_units(), key=lambda unit: unit.order):
        if unit.label in holding:
            yield unit.label, unit.title


def _with_above(label: str) -> Iterator[str]:
    while label:
        yield label
        label = label.rpartition(".")[0]


def _card(row: BranchRow, names: dict[str, str], titles: dict[str, str], tree: BranchTree) -> BranchCard:
    fork = row.fork
    has_branches = any(other.fork and other.fork.origin == row.book.id for other in tree.rows)
    if fork is None:
        return BranchCard(row, state_of(row.book), "", "", has_branches)
    place = titles.get(fork.at, fork.at)
    return BranchCard(row, state_of(row.book), names[fork.origin], place, has_branches)


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
        told=(written, f"{say(state_of(found))} · {money(found.cost)}"), length=found.brief.length,
        stretches=row.stretches, forked=row.shared, origin=places[row.fork.origin] if row.fork else None,
        is_here=found.id == book,
    )  # fmt: skip
