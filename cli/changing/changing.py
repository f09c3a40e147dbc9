"""Changing one's mind: `revise`, `stale` and `refresh`."""

import shlex
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import OpenBook, at_rest
from bookwright.app.node_lookup import find_node
from bookwright.cli.access import open_book, wait_until_free
from bookwright.cli.changing.versions import KindOption, read_text
from bookwright.cli.options import AsJson, BookArgument, NodeArgument, Yes
from bookwright.cli.output import check_agreed, emit, note, print_json, print_table, print_text
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput
from bookwright.models.staleness import Rewording, StaleDocument, Version
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.wording import counted, stale_count

if TYPE_CHECKING:
    from bookwright.app.changes.refreshing import RefreshBill
    from bookwright.flows.deps import Deps
    from bookwright.flows.revision.refresh import Redone, RefreshScope

MOST_LENGTH = 20_000
"""As long as a unit that is written at once may be (`max_unit_length` of a brief)."""


def revise(
    book: BookArgument,
    node: NodeArgument,
    kind: KindOption = None,
    words: Annotated[str | None, typer.Option("--note", help="What a model is to change. This is paid.")] = None,
    by_notes: Annotated[bool, typer.Option("--notes", help="What your notes at words order. This is paid.")] = False,
    length: Annotated[
        int | None,
        typer.Option("--length", min=1, max=MOST_LENGTH, help="How long prose is to be; as planned if not given."),
    ] = None,
    text: Annotated[Path | None, typer.Option("--text", metavar="FILE", help="The new text; - is stdin.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give a document a new version: in your own words, or as a model changes it by your note. The old one stays."""
    is_order = words is not None or by_notes
    if is_order == (text is not None):
        raise InvalidInput("revise takes either --note, for a model, or --text, with the words themselves")
    if words is not None and not words.strip():
        raise InvalidInput("the note is empty; say what is to be changed")
    with open_book(book) as opened:
        if text is not None:
            made = _by_hand(opened, node, kind, read_text(text))
        else:
            made = _by_note(opened, node, kind, words or "", length, by_notes=by_notes)
        _show_made(opened, node, made, as_json)


def stale(book: BookArgument, as_json: AsJson = False) -> None:
    """List what rests on documents that were changed since, how far that reaches, and what a refresh would cost."""
    from bookwright.app.changes.refreshing import bill_of
    from bookwright.flows.revision.staleness import Staleness

    with open_book(book) as opened, opened.storage.read() as stores:
        looking = Staleness(opened.book.brief)
        found, told = looking.all(stores), looking.giveaways(stores)
        bill, names = bill_of(found, stores), stores.codex.reading_order()
    if as_json:
        facts = {"told": [asdict(one) for one in told], "bill": bill.facts()}
        print_json({"book": opened.book.id} | _facts(found) | facts)
        return
    _print_stale(found, bill, opened.book.id, names)
    for one in told:
        place = names.name_of(one.label)
        print_text(f"The text of {place} tells what the {one.kind.noun} {one.slug} keeps, which was added since.")


def refresh(
    book: BookArgument,
    node: Annotated[
        str, typer.Argument(metavar="[NODE]", help="Only this chapter or node and what is below it.")
    ] = "book",
    anew: Annotated[
        bool, typer.Option("--anew", help="Write prose from its plan on, not as a revision of itself.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Make anew what is directly stale, in reading order, after showing the bill; what it changes, too."""
    from bookwright.app.changes.refreshing import refresh_preview
    from bookwright.flows.revision.refresh import RefreshScope

    with open_book(book) as opened:
        with opened.storage.read() as stores:
            wanted = RefreshScope(find_node(node, stores).label, anew)
            sight = refresh_preview(stores, opened.book.brief, wanted)
        if not sight.direct:
            _show_redone(opened, [], as_json)
            return
        direct = len(sight.direct)
        note(f"{direct:,} directly stale, {len(sight.found) - direct:,} that may become so. {sight.bill}")
        check_agreed("Make them anew?", "nothing was asked of a model; --yes refreshes without asking", yes=yes)
        _show_redone(opened, _refreshed(opened, wanted), as_json)


def _by_hand(opened: OpenBook, label: str, kind: DocumentKind | None, text: str) -> Document | None:
    from bookwright.app.changes.editing import without_heading
    from bookwright.flows.revision.revise import chosen, take_in

    wait_until_free(opened)
    with opened.storage.read() as stores:
        node = find_node(label, stores)
    text = without_heading(text, opened.storage, node.label)
    with at_rest(opened.storage) as stores:
        return take_in(stores, node, chosen(stores, node, kind), text)


def _by_note(
    opened: OpenBook, label: str, kind: DocumentKind | None, words: str, length: int | None, *, by_notes: bool
) -> Document:
    from bookwright.app.text_orders import check_amendable, mark_told, orders_waiting
    from bookwright.cli.writing import running
    from bookwright.flows.revision.amend import Amendment, amend
    from bookwright.flows.revision.revise import WRITABLE, chosen

    with opened.storage.read() as stores:
        node = find_node(label, stores)
        old = chosen(stores, node, kind)
        told = orders_waiting(stores, node.label) if by_notes and old.kind is DocumentKind.PROSE else []
    order = "\n".join([*filter(None, [words.strip()]), *(sight.order for sight in told)])
    if not order:
        raise InvalidInput(f"no note at the text of {node.name} is an order; `bookwright note` lists them")
    if length is not None and old.kind in WRITABLE and old.kind is not DocumentKind.PROSE:
        raise InvalidInput(f"--length is for a chapter's text; the {old.kind} is as long as it needs to be")
    check_amendable(opened, node, old)

    def work(deps: "Deps") -> Document:
        deps.desk.journal.move(lambda stores, _: mark_told(stores, told))
        amend(node, old, Amendment(order, DocumentOrigin.NOTE, length=length), deps)
        with deps.stores() as stores:
            return chosen(stores, node, old.kind)

    return running.run_beside(opened, work, "the same command with the same note")


def _refreshed(opened: OpenBook, wanted: "RefreshScope") -> list["Redone"]:
    from bookwright.app.orders import starting
    from bookwright.cli.writing import running
    from bookwright.flows.revision.refresh import refresh as make_anew

    numbers = count(1)

    def tell(redone: "Redone") -> None:
        with opened.storage.read() as stores:
            name = stores.name_of(stores.nodes.get(redone.document.node))
        made = f"version {redone.document.version}"
        outcome = made if redone.is_changed else "as it was; nothing that rests on it is touched"
        note(f"{next(numbers):,}. {redone.document.kind} of {name}: {outcome}")

    starting.check_writable(opened.book.brief, opened.settings)
    again = shlex.join(["bookwright", "refresh", opened.book.id, *wanted.options])
    return running.run_beside(opened, lambda deps: make_anew(wanted, deps, tell), f"`{again}`")


def _show_made(opened: OpenBook, label: str, made: Document | None, as_json: bool) -> None:
    from bookwright.flows.revision.staleness import Staleness

    with opened.storage.read() as stores:
        resting = Staleness(opened.book.brief).direct(stores)
        node = find_node(label, stores)
        named = stores.name_of(node)
    facts = {"book": opened.book.id, "node": node.label, "document": made and _document(made), "stale": len(resting)}
    told = "these words stand there already; nothing was changed"
    if made is not None:
        told = f"the {made.kind} of {named} is now version {made.version}; {stale_count(len(resting))}"
    emit(lambda: facts, lambda: note(told), as_json=as_json)


def _document(document: Document) -> dict[str, Any]:
    return document.model_dump(mode="json", include={"id", "kind", "version", "length", "origin", "base"})


def _show_redone(opened: OpenBook, done: list["Redone"], as_json: bool) -> None:
    from bookwright.flows.revision.refresh import is_left_to_walk
    from bookwright.flows.revision.staleness import Staleness

    with opened.storage.read() as stores:
        left = Staleness(opened.book.brief).all(stores)
        walked = sum(stale.is_direct and is_left_to_walk(stale, stores) for stale in left)
        labels = [stores.nodes.get(redone.document.node).label for redone in done]
    if as_json:
        rows = [
            {"node": label, "document": _document(redone.document), "changed": redone.is_changed}
            for redone, label in zip(done, labels, strict=True)
        ]
        print_json({"book": opened.book.id, "redone": rows} | _facts(left))
        return
    direct = sum(stale.is_direct for stale in left)
    if not done:
        note("nothing was made anew" if direct else "nothing is directly stale")
    else:
        changed = sum(redone.is_changed for redone in done)
        note(f"{len(done):,} made anew, {changed:,} came out changed; {direct:,} directly stale are left")
    if walked:
        note(f"{walked:,} of what is left `bookwright resume {opened.book.id}` makes anew by itself, as it writes on")


def _facts(found: list[StaleDocument]) -> dict[str, Any]:
    to_do = sum(stale.is_direct for stale in found)
    may_cost = {"may_cost": to_do > 0}  # with nothing to do, what rests on it indirectly is never asked for
    return {
        "to_do": to_do,
        "direct": [_stale_facts(stale) | may_cost for stale in found if stale.is_direct],
        "indirect": [_stale_facts(stale) | may_cost for stale in found if not stale.is_direct],
    }


def _stale_facts(stale: StaleDocument) -> dict[str, Any]:
    causes = [_version(cause.old) | {"now": cause.new.version} for cause in stale.causes]
    records = [
        {"kind": one.kind.value, "id": one.slug, "version": one.old, "now": None if one.is_removed else one.new,
         "touch": one.touch.value}
        for one in stale.rewordings
    ]  # fmt: skip
    through = [_version(version) for version in stale.through]
    return _version(stale.document) | {"causes": causes, "records": records, "through": through}


def _version(version: Version) -> dict[str, Any]:
    return {"id": version.id, "node": version.label, "kind": version.kind.value, "version": version.version}


def _print_stale(found: list[StaleDocument], bill: "RefreshBill", book: str, names: ReadingOrder) -> None:
    if not found:
        print_text("Nothing is stale: every document rests on current ones.")
        return
    if not any(stale.is_direct for stale in found):
        print_text(
            f"Nothing is directly stale, so there is nothing to refresh. {counted(len(found), 'document')} of before "
            "a change rest on a state of the story that has moved on since; --json lists them."
        )
        return
    rows = [
        (names.name_of(one.document.label), one.document.kind.value, str(one.document.version), _why(one, names))
        for one in found
    ]
    print_table(
        ("place", "document", "version", "rests on"), rows, right=("version",), folds=("rests on",),
        styles=["" if stale.is_direct else "dim" for stale in found],
    )  # fmt: skip
    direct = sum(stale.is_direct for stale in found)
    print_text(f"\n{direct:,} directly stale, {len(found) - direct:,} indirectly. `bookwright refresh {book}`: {bill}")


def _why(stale: StaleDocument, names: ReadingOrder) -> str:
    if stale.is_direct:
        replaced = [f"{_name(cause.old, names)} (now {cause.new.version})" for cause in stale.causes]
        return ", ".join([*replaced, *map(_reworded, stale.rewordings)])
    return "indirectly: " + " < ".join(_name(version, names) for version in stale.through)


def _reworded(record: Rewording) -> str:
    now = "now taken out" if record.is_removed else f"now {record.new}"
    return f"{record.kind.noun} {record.slug} {record.old} ({now}; {record.touch})"


def _name(version: Version, names: ReadingOrder) -> str:
    return f"{version.kind} {version.version} of {names.name_of(version.label)}"
