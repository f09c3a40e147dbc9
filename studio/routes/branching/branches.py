"""The branches of a book: a map and a list of them, forking, deleting one, what was taken over from them."""

from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.app.branches.forks import BranchRow, BranchTree, branch_tree
from bookwright.app.branches.forks import fork as make_branch
from bookwright.app.places import node_names
from bookwright.app.status.books import delete_book
from bookwright.app.wording import money
from bookwright.exports.report.charts import Chart
from bookwright.exports.report.maps import MapLine, branch_map
from bookwright.models.errors import InvalidInput
from bookwright.storage.branches.repository import BranchRepository, Merge
from bookwright.storage.stores import Stores
from bookwright.studio.book_request import ThisBook, fork_of
from bookwright.studio.fields import Fields
from bookwright.studio.pages import go_to, is_piece
from bookwright.studio.texts import Speaker

router = APIRouter()


@router.get("/books/{book}/branches")
def branches(book: ThisBook, at: str = "") -> HTMLResponse:
    """Show the branches; `at` is the unit that the person came from."""
    tree = branch_tree(book.opened)
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
