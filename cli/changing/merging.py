"""Taking over what a branch has made, with its conflicts settled: `merge`, and taking that back."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from bookwright.app.access import OpenBook
from bookwright.app.branches import merging
from bookwright.app.branches.merge_plan import OURS, THEIRS
from bookwright.app.branches.merging import MergeOrder, MergePreview
from bookwright.cli.access import open_book, wait_until_free
from bookwright.cli.changing.versions import KindOption, read_text
from bookwright.cli.options import AsJson, Yes
from bookwright.cli.output import check_agreed, emit, note, print_json, print_text
from bookwright.models.errors import InvalidInput
from bookwright.models.wording import counted, stale_count

_SHOWN = 12

Places = Annotated[
    list[str] | None, typer.Option(metavar="PLACE", help="Settle this conflict so; `all` settles the rest.")
]


def merge(
    branch: Annotated[
        str | None, typer.Argument(metavar="[BRANCH]", help="What to take from; not needed with --undo.")
    ] = None,
    into: Annotated[str, typer.Option("--into", metavar="BOOK", help="The book that takes it over.")] = "",
    take: Annotated[
        str, typer.Option("--take", metavar="NODE", help="Only this chapter or node and what is below it.")
    ] = "book",
    kind: KindOption = None,
    ours: Places = None,
    theirs: Places = None,
    text: Annotated[
        list[str] | None, typer.Option("--text", metavar="PLACE=FILE", help="Settle a conflict with these words.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last merge into the book back, exactly.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Take over what a branch has made: a unit, a document or all. Conflicts are yours; --undo takes it back."""
    if not into:
        raise InvalidInput("say with --into BOOK which book takes it over")
    if (branch is None) != undo:
        raise InvalidInput("merge takes a BRANCH to take from, or --undo")
    with open_book(into) as opened:
        wait_until_free(opened)
        if branch is None:
            _undo(opened, as_json)
            return
        order = MergeOrder(branch, take, kind, _choices(ours or [], theirs or [], text or []))
        sight = merging.look_at_merge(opened, order)
        if sight.conflicts:
            _show_conflicts(sight, as_json)
            raise InvalidInput(
                f"{counted(len(sight.conflicts), 'conflict')} to settle, each with --ours PLACE, --theirs PLACE or "
                "--text PLACE=FILE; nothing was changed"
            )
        if not sight.is_empty and not as_json:
            _show(sight)
            check_agreed("Take it over?", "nothing was changed; --yes takes it over without asking", yes=yes)
        _show_done(opened, merging.merge(opened, order), as_json)


def _choices(ours: Sequence[str], theirs: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    named = [*((place, OURS) for place in ours), *((place, THEIRS) for place in theirs)]
    for given in texts:
        place, _, file = given.partition("=")
        if not file:
            raise InvalidInput(f"--text takes PLACE=FILE, as in 1.4=chapter.txt, and not {given!r}")
        named.append((place, read_text(Path(file))))
    found = dict(named)
    if len(found) < len(named):
        raise InvalidInput("a conflict is settled in one way; one place was named twice")
    return found


def _undo(opened: OpenBook, as_json: bool) -> None:
    branch, took = merging.undo_merge(opened)
    facts = {"book": opened.book.id, "undone": {"branch": branch, "place": took}}
    told = f"what was merged from {branch} ({took}) is taken back; {opened.book.id} is as it was before"
    emit(lambda: facts, lambda: note(told), as_json=as_json)


def _facts(sight: MergePreview) -> dict[str, Any]:
    texts = [{"node": label, "kind": kind, "of_both": is_mixed} for label, kind, is_mixed in sight.texts]
    return {
        "branch": sight.branch, "place": sight.place, "texts": texts, "units": list(sight.units),
        "replaced": list(sight.replaced), "records": list(sight.records),
        "conflicts": [asdict(conflict) for conflict in sight.conflicts],
    }  # fmt: skip


def _show(sight: MergePreview) -> None:
    mixed = sum(is_mixed for _, _, is_mixed in sight.texts)
    told = [counted(len(sight.texts), "document"), counted(len(sight.units), "new node")]
    told += [f"{len(sight.replaced):,} replaced"] if sight.replaced else []
    told += [counted(len(sight.records), "record") + " of the codex"] if sight.records else []
    laid = f"; {mixed:,} laid together sentence by sentence" if mixed else ""
    note(f"from {sight.branch}: {', '.join(told)}{laid}")
    for label, kind, is_mixed in sight.texts[:_SHOWN]:
        note(f"  {kind} of {label}" + (" (both changed it, in different sentences)" if is_mixed else ""))
    if len(sight.texts) > _SHOWN:
        note(f"  and {len(sight.texts) - _SHOWN:,} more")


def _show_conflicts(sight: MergePreview, as_json: bool) -> None:
    if as_json:
        print_json(_facts(sight))
        return
    for conflict in sight.conflicts:
        print_text(f"== {conflict.place}: {conflict.kind or 'both have remade'} {conflict.name}")
        print_text(conflict.merged or f"-- ours\n{conflict.ours}\n-- theirs\n{conflict.theirs}\n")


def _show_done(opened: OpenBook, sight: MergePreview, as_json: bool) -> None:
    found, bill = merging.stale_after(opened)
    if as_json:
        stale = [{"node": one.document.label, "kind": one.document.kind, "direct": one.is_direct} for one in found]
        print_json({"book": opened.book.id} | _facts(sight) | {"stale": stale, "bill": bill.facts()})
        return
    direct = [stale for stale in found if stale.is_direct]
    note(f"taken over into {opened.book.id}; `bookwright merge --undo --into {opened.book.id}` takes it back")
    note(stale_count(len(direct)) + (f", {len(found) - len(direct):,} may become so. {bill}" if direct else ""))
    for one in direct[:_SHOWN]:
        note(f"  {one.document.kind} of {one.document.label}")
    if direct:
        note(f"`bookwright refresh {opened.book.id}` makes them anew")
