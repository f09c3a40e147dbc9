"""Looking at two branches, or two versions of a unit, side by side: `compare`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from bookwright.app.access import OpenBook
from bookwright.app.branches import comparing
from bookwright.app.branches.comparing import BranchComparison, TextPair, other_branch, text_pair, version_pair
from bookwright.cli.access import open_book
from bookwright.cli.changing.versions import marked_words
from bookwright.cli.options import AsJson, BookArgument, Yes
from bookwright.cli.output import check_agreed, make_console, note, print_json, print_table
from bookwright.models.errors import InvalidInput
from bookwright.models.wording import counted, money

if TYPE_CHECKING:
    from bookwright.flows.candidates.judging import ReaderVerdict
    from bookwright.flows.deps import Deps


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
            _show_books(comparing.compare(opened, other), as_json)
            return
        pair = version_pair(opened, unit, *versions) if versions else text_pair(opened, other, unit)
        said = _verdict(opened, pair, yes) if verdict else None
    _show_texts(pair, said, beside, as_json)


def _verdict(opened: OpenBook, pair: TextPair, yes: bool) -> "ReaderVerdict":
    from bookwright.app.branches.verdicts import order_verdict
    from bookwright.cli.writing import running
    from bookwright.flows.candidates.judging import ask_reader

    note(f"about {order_verdict(opened, pair).bill}")
    check_agreed("Ask a reader?", "nothing was asked of a model; --yes asks without a question", yes=yes)

    def work(deps: "Deps") -> "ReaderVerdict":
        with deps.stores() as stores:
            node = stores.nodes.by_label(pair.label)
        return ask_reader(node, pair.a, pair.b, deps)

    return running.run_beside(opened, work, "the same command")


def _show_books(found: BranchComparison, as_json: bool) -> None:
    if as_json:
        print_json(found.facts())
        return
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
