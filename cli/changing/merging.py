"""`compare`: two branches, or two versions of a unit, side by side.

`merge`: taking over what a branch has made, with its conflicts settled, and taking that back.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from bookwright.app.access import OpenBook
from bookwright.app.branches import comparing, merging
from bookwright.app.branches.comparing import BranchComparison, TextPair, other_branch, text_pair, version_pair
from bookwright.app.branches.merge_plan import OURS, THEIRS
from bookwright.app.branches.merging import MergeOrder, MergePreview
from bookwright.cli.access import open_book, wait_until_free
from bookwright.cli.changing.versions import KindOption, marked_words, read_text
from bookwright.cli.options import AsJson, BookArgument, Yes
from bookwright.cli.output import check_agreed, emit, make_console, note, print_json, print_table, print_text
from bookwright.models.errors import InvalidInput
from bookwright.models.wording import counted, money, stale_count

if TYPE_CHECKING:
    from bookwright.flows.candidates.judging import ReaderVerdict

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
            emit(lambda: _facts(sight), lambda: _print_conflicts(sight), as_json=as_json)
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
        "untold": list(sight.untold), "conflicts": [asdict(conflict) for conflict in sight.conflicts],
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


def _print_conflicts(sight: MergePreview) -> None:
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
    if sight.untold:
        told = "only texts that were replaced told something of"
        note(f"{told} {', '.join(sight.untold)}: the codex has it no more until a refresh reads what stands now")
    note(stale_count(len(direct)) + (f", {len(found) - len(direct):,} may become so. {bill}" if direct else ""))
    for one in direct[:_SHOWN]:
        note(f"  {one.document.kind} of {one.document.label}")
    if direct:
        note(f"`bookwright refresh {opened.book.id}` makes them anew")


def compare(
    a: BookArgument,
    b: Annotated[str | None, typer.Argument(metavar="[B]", help="Another branch of it.")] = None,
    unit: Annotated[
        str | None, typer.Option("--unit", metavar="NODE", help="The texts of this chapter or unit, word by word.")
    ] = None,
    versions: Annotated[
        tuple[int, int] | None, typer.Option("--versions", metavar="N M", help="Two versions of that unit in one book.")
    ] = None,
    beside: Annotated[bool, typer.Option("--beside", help="Show the texts side by side, by paragraph.")] = False,
    verdict: Annotated[
        bool, typer.Option("--verdict", help="Have a model say which of the two it prefers. This is paid.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Show what two branches differ in, or the texts of a unit in both, or in two versions of one book."""
    if (b is None) == (versions is None):
        raise InvalidInput("compare takes two branches, or one book with --unit and --versions N M")
    if unit is None and (versions or verdict or beside):
        raise InvalidInput("--versions, --beside and --verdict are about the texts of a unit; name it with --unit")
    with open_book(a) as opened:
        other = other_branch(opened, b) if b else opened
        if unit is None:
            found = comparing.compare(opened, other)
            emit(found.facts, lambda: _print_books(found), as_json=as_json)
            return
        pair = version_pair(opened, unit, *versions) if versions else text_pair(opened, other, unit)
        said = _verdict(opened, pair, yes) if verdict else None
    _show_texts(pair, said, beside, as_json)


def _verdict(opened: OpenBook, pair: TextPair, yes: bool) -> "ReaderVerdict":
    from bookwright.app.branches.verdicts import order_verdict, read_both
    from bookwright.cli.writing import running

    note(f"about {order_verdict(opened, pair).bill}")
    check_agreed("Ask a reader?", "nothing was asked of a model; --yes asks without a question", yes=yes)
    return running.run_beside(opened, lambda deps: read_both(pair, deps), "the same command")


def _print_books(found: BranchComparison) -> None:
    note(f"{counted(len(found.differing), 'unit')} of {len(found.units):,} differ")
    lengths = [(pair.label, pair.title, _length(pair.a), _length(pair.b)) for pair in found.differing]
    paid = ("paid", "", money(found.costs[0]), money(found.costs[1]))
    print_table(("unit", "title", found.a, found.b), [*lengths, paid], right=(found.a, found.b), folds=("title",))
    for chapter in found.chapters:
        names = dict.fromkeys((*chapter.a, *chapter.b))
        told = [f"{name} {chapter.a.get(name, '-')} | {chapter.b.get(name, '-')}" for name in names]
        note(f"{chapter.label}: {', '.join(told)}")
    for kind, rows in (("thread", found.threads), ("secret", found.secrets)):
        for name, mine, theirs in rows:
            note(f"{kind} {name!r}: {mine} | {theirs}")
    if found.records:
        note(f"the codex differs in: {', '.join(found.records)}")


def _length(length: int | None) -> str:
    return "-" if length is None else f"{length:,}"


def _show_texts(pair: TextPair, said: "ReaderVerdict | None", beside: bool, as_json: bool) -> None:
    if as_json:
        facts = asdict(pair) | {"is_same": pair.a == pair.b, "paragraphs": pair.paragraphs}
        print_json(facts | {"changes": list(pair.changes()), "verdict": asdict(said) if said else None})
        return
    if beside:
        _print_beside(pair)
    elif pair.a == pair.b:
        note("both read the same")
    else:
        make_console().print(marked_words(pair.a, pair.b))
    if said is not None:
        neither = "neither: it took what stood in the same place both times"
        preferred = {"a": pair.names[0], "b": pair.names[1]}.get(said.preferred, neither)
        note(f"the reader prefers {preferred}")
        for reason in said.reasons:
            note(f"  {reason}")


def _print_beside(pair: TextPair) -> None:
    rows: list[tuple[Text | str, Text | str]] = []
    for mine, theirs in pair.paragraphs:
        style = "" if mine == theirs else "bold"
        rows += [(Text(mine.strip(), style=style), Text(theirs.strip(), style=style)), ("", "")]
    print_table(pair.names, rows, folds=pair.names)
