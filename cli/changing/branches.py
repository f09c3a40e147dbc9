"""Branches of a book: `fork` makes one, `branches` shows them all."""

from typing import Annotated

import typer

from bookwright.app.branches import forks
from bookwright.app.branches.forks import BranchRow, BranchTree
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import emit, note, print_json, print_table
from bookwright.models.wording import money, tokens


def fork(
    book: BookArgument,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="NODE",
            help="Share what stands before this chapter or unit; it and all after it are open again in the branch.",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="What the branch is called.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a branch of a book: it shares what stands and pays only for what it writes anew. The book stays as it is."""
    with open_book(book) as opened:
        made = forks.fork(opened, at, name)
    if as_json:
        print_json({"book": made.book, "origin": made.origin, "name": made.name, "at": made.at})
        return
    place = f" from {made.at} on" if made.at else ""
    note(f"{made.book} is a branch of {made.origin}{place}, {made.name!r}; nothing was asked of a model")
    if made.at:
        change = f"`bookwright brief {made.book} --set ...` changes its brief"
        note(f"`bookwright resume {made.book}` writes it on; {change}")


def branches(book: BookArgument, as_json: AsJson = False) -> None:
    """Show a book with all its branches: where each stands, what it has written, what it has cost by itself."""
    with open_book(book) as opened:
        tree = forks.branch_tree(opened)
    emit(lambda: tree.facts(), lambda: _print(tree), as_json=as_json)


def _print(tree: BranchTree) -> None:
    numbers = ("written", "its own", "calls", "tokens", "cost")
    rows = list(map(_row, tree.rows))
    if len(rows) > 1:
        bill = (f"{tree.calls:,}", tokens(tree.tokens), money(tree.cost))
        rows.append(("together", "", "", "", "", "", *bill))
    print_table(("branch", "book", "from", "state", *numbers), rows, right=numbers, folds=("branch",))


def _row(row: BranchRow) -> tuple[str, ...]:
    found, at = row.book, row.fork.at or "whole" if row.fork else ""
    return (
        "  " * row.depth + row.name, found.id, at, row.standing, f"{row.written:,}", f"{row.own:,}",
        f"{found.calls:,}", tokens(found.tokens), money(found.cost),
    )  # fmt: skip
