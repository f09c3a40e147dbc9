"""Merging: what a branch has made is taken over in one transaction, and can be taken back as exactly."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import insert, select, update

from bookwright.app.access import OpenBook, at_rest
from bookwright.app.branches.kinship import Kinship, kinship
from bookwright.app.branches.merge_application import MergeApplication
from bookwright.app.branches.merge_plan import Conflict, MergePlan, Planner, with_all_below
from bookwright.app.branches.merge_records import TakeRecord, plan_records, take_records
from bookwright.app.changes.refreshing import RefreshBill, bill_of
from bookwright.app.estimates.bill import hash_of
from bookwright.app.node_lookup import find_node
from bookwright.failpoints import Failpoint
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.errors import EditConflict, InvalidInput
from bookwright.models.staleness import StaleDocument
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.branches.merge_rows import last_step, snapshot, take_back, undo_of
from bookwright.storage.branches.repository import BranchRepository
from bookwright.storage.engine.database import database_now
from bookwright.storage.stores import Stores
from bookwright.storage.tables import books, merges


@dataclass(frozen=True)
class MergeOrder:
    """What is to be taken of which branch."""

    branch: str
    take: str = "book"
    """A place as every verb takes it; the whole book by default."""
    kind: DocumentKind | None = None
    """That document alone, of the place and no other."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """How conflicts are settled, by their places: `ours`, `theirs`, or the words that are to stand there."""
    seen: str = ""
    """What stood for both books when they were looked at (`standing_of`); empty where nobody holds on to that."""


@dataclass(frozen=True)
class MergePreview:
    """What a merge would do, or has done."""

    branch: str
    place: str
    """The label of what is taken."""
    texts: tuple[tuple[str, DocumentKind, bool], ...]
    """Documents that change: label, kind, and whether words of both sides stand in them."""
    units: tuple[str, ...]
    """Labels of units and tasks that are taken over from the branch."""
    replaced: tuple[str, ...]
    """Labels of those that give way to them."""
    records: tuple[str, ...]
    conflicts: tuple[Conflict, ...]
    untold: tuple[str, ...] = ()
    """Ids of entries that the codex tells less of, or no more: only prose that was replaced told it."""

    @property
    def is_empty(self) -> bool:
        """True where the branch has nothing new there."""
        return not (self.texts or self.units or self.records or self.conflicts)


def look_at_merge(opened: OpenBook, order: MergeOrder) -> MergePreview:
    """Return what a merge would do, and which conflicts are yet to be settled; nothing is changed.

    Raises:
        InvalidInput: The two are no branches of one book, or what was chosen settles nothing.
    """
    with opened.storage.read() as stores:
        kin = kinship(stores, _beside(stores, order.branch))
        return _sight(kin, order, *_planned(kin, order))


def merge(opened: OpenBook, order: MergeOrder) -> MergePreview:
    """Take over what is ordered, in one transaction.

    Raises:
        BookHeld: A worker writes the book.
        EditConflict: The two are not any more as they were looked at; nothing was changed.
        InvalidInput: A conflict is not settled, or there is nothing to take; nothing was changed.
    """
    with at_rest(opened.storage, Failpoint.MERGE) as stores:
        theirs = _beside(stores, order.branch)
        stores.connection.execute(select(books.c.id).where(books.c.id == theirs.book).with_for_update())
        kin = kinship(stores, theirs)
        if order.seen and order.seen != _standing(stores, theirs):
            raise EditConflict("One of the two has changed since they were shown; look at them again.")
        before = snapshot(stores.connection, stores.book)
        plan, records = _planned(kin, order)
        sight = _sight(kin, order, plan, records)
        _check(sight)
        take_records(records, stores)
        fork = BranchRepository(stores.connection).find(theirs.book)
        untold = MergeApplication(kin, f"from branch {fork.name if fork else theirs.book}").do(plan)
        _settle_state(stores, sight.place)
        undo = undo_of(before, snapshot(stores.connection, stores.book))
        undo["steps"] = last_step(stores.connection, stores.book)
        stores.connection.execute(
            insert(merges).values(
                book=stores.book, branch=theirs.book, took=sight.place, undo=json.dumps(undo, ensure_ascii=False),
                is_undone=False, merged_at=database_now(),
            )
        )  # fmt: skip
        return replace(sight, untold=tuple(untold))


def standing_of(opened: OpenBook, branch: str) -> str:
    """Return what stands for two books as they are: another one once either was written on or changed."""
    with opened.storage.read() as stores:
        return _standing(stores, _beside(stores, branch))


def undo_merge(opened: OpenBook, number: int | None = None) -> tuple[str, str]:
    """Take the last merge back, exactly; return of which branch it was and what it had taken.

    Raises:
        BookHeld: A worker writes the book.
        EditConflict: A `number` was given, and it is not the last merge's any more; nothing was changed.
        InvalidInput: There is none, or the book has gone on since.
    """
    with at_rest(opened.storage, Failpoint.MERGE) as stores:
        last = select(merges).where(merges.c.book == stores.book, merges.c.is_undone.is_(False))
        found = stores.connection.execute(last.order_by(merges.c.id.desc()).limit(1)).one_or_none()
        if found is None:
            raise InvalidInput(f"nothing was merged into {stores.book!r} that could be taken back")
        if number not in (None, found.id):
            raise EditConflict("Something else was taken over or back since this was shown; look at it again.")
        branches = BranchRepository(stores.connection).of(stores.book)
        if since := [one.book for one in branches if one.forked_at >= found.merged_at]:
            raise InvalidInput(f"{', '.join(since)} was forked since, and shares what was merged; delete that first")
        undo = json.loads(found.undo)
        take_back(stores.connection, stores.book, undo, undo["steps"])
        stores.connection.execute(update(merges).where(merges.c.id == found.id).values(is_undone=True))
        return found.branch, found.took


def stale_after(opened: OpenBook) -> tuple[list[StaleDocument], RefreshBill]:
    """Return what of a book is stale now, and what making it anew would take."""
    with opened.storage.read() as stores:
        found = Staleness(stores.books.get(opened.book.id).brief).all(stores)
        return found, bill_of(found, stores)


def _beside(stores: Stores, branch: str) -> Stores:
    """Another book, on the same connection."""
    book = stores.books.get(branch)
    return Stores(stores.connection, book.id, book.brief.language.measure)


def _standing(mine: Stores, theirs: Stores) -> str:
    both = (mine, theirs)
    newest = [(one.book, *BranchRepository(one.connection).newest(one.book), one.codex.last_row()) for one in both]
    return hash_of(*newest)


def _planned(kin: Kinship, order: MergeOrder) -> tuple[MergePlan, list[TakeRecord]]:
    planner = Planner(kin, order.choices, order.kind)
    theirs = find_node(order.take, kin.theirs)
    is_whole = theirs.parent is None and order.kind is None
    planner.unit(_counterpart(kin, theirs), theirs)
    plan = planner.plan
    told_by = None if is_whole else frozenset(_taken_documents(kin, plan))
    records = plan_records(kin, order.choices, plan, told_by)
    unused = set(order.choices) - plan.settled - {"all"} - {one.place for one in plan.conflicts}
    if unused:
        raise InvalidInput(f"there is no conflict at {', '.join(sorted(unused))}; `merge` without choices shows them")
    return plan, records


def _counterpart(kin: Kinship, theirs: TaskNode) -> TaskNode:
    """The node of mine that a node of theirs stands for."""
    if kin.is_theirs_alone(theirs):
        above = kin.theirs.nodes.ancestors(theirs)
        shared = next(node for node in above if not kin.is_theirs_alone(node))
        raise InvalidInput(
            f"{theirs.name} is in the branch alone; take the unit that holds it, `--take {shared.label}`"
        )
    return kin.mine.nodes.by_label(theirs.label)


def _taken_documents(kin: Kinship, plan: MergePlan) -> Iterator[int]:
    """The documents of theirs that are taken, whose records go with them."""
    yield from (one.theirs.id for one in plan.texts)
    nodes = (node for units in plan.units for top in units.theirs for node in with_all_below(top, kin.theirs))
    yield from (found.id for found in kin.theirs.documents.of_nodes([node.key for node in nodes], DocumentKind.PROSE))


def _sight(kin: Kinship, order: MergeOrder, plan: MergePlan, records: list[TakeRecord]) -> MergePreview:
    return MergePreview(
        branch=kin.theirs.book,
        place=find_node(order.take, kin.theirs).label + (f"/{order.kind}" if order.kind else ""),
        texts=tuple((one.mine.label, one.theirs.kind, one.ours is not None) for one in plan.texts),
        units=tuple(node.label for units in plan.units for node in units.theirs),
        replaced=tuple(node.label for units in plan.units for node in units.replaced),
        records=tuple(one.theirs.record.id for one in records),
        conflicts=tuple(plan.conflicts),
    )


def _check(sight: MergePreview) -> None:
    if sight.conflicts:
        places = ", ".join(one.place for one in sight.conflicts)
        raise InvalidInput(
            f"both sides changed {places}; nothing was taken. Settle each with --ours PLACE, --theirs PLACE or "
            "--text PLACE=FILE"
        )
    if sight.is_empty:
        raise InvalidInput("the branch has nothing there that the book has not; nothing was changed")


def _settle_state(stores: Stores, place: str) -> None:
    """Open again what stands above an open unit, and with it the book."""
    node = stores.nodes.by_label(place.partition("/")[0])
    if node.status is NodeStatus.DONE:
        return
    for above in stores.nodes.ancestors(node):
        if above.status is not NodeStatus.OPEN:
            stores.nodes.change(above.key, status=NodeStatus.OPEN.value)
    if stores.books.get(stores.book).state is BookState.FINISHED:
        advice = f"`bookwright resume {stores.book}` writes on"
        stores.books.set_state(stores.book, BookState.PAUSED, "a unit that is not finished was merged into it", advice)
