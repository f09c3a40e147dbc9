"""The versions of a document: `history`, `diff`, `restore` for one of them; and how a verb is told which is meant."""

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bookwright.app.changes.versions import maker, two_versions, version_rows
from bookwright.app.node_lookup import find_node
from bookwright.cli.access import open_book, wait_until_free
from bookwright.cli.options import AsJson, BookArgument, NodeArgument
from bookwright.cli.output import emit, make_console, note, print_json, print_table, print_text
from bookwright.models.document import DocumentKind
from bookwright.models.text.diff import word_diff
from bookwright.models.wording import moment
from bookwright.storage.files import given_file

KindOption = Annotated[
    DocumentKind | None, typer.Option("--kind", help="Which document of the node; the one it is for if not given.")
]
_STYLES = {"-": "red", "+": "green", "@": "cyan"}


def history(book: BookArgument, node: NodeArgument, kind: KindOption = None, as_json: AsJson = False) -> None:
    """List all versions of a node's documents: who made each, when, of which one, and on whose word."""
    with open_book(book) as opened, opened.storage.read() as stores:
        found = find_node(node, stores)
        rows = version_rows(stores, found, kind)
    facts = {"book": opened.book.id, "node": found.label, "versions": rows}
    columns = ("kind", "version", "length", "when", "by", "note")
    lines = [
        (row["kind"], str(row["version"]), f"{row['length']:,}", moment(row["made_at"]), maker(row), row["note"])
        for row in rows
    ]
    numbers = ("version", "length")
    emit(lambda: facts, lambda: print_table(columns, lines, right=numbers, folds=("note",)), as_json=as_json)


def diff(
    book: BookArgument,
    node: NodeArgument,
    a: Annotated[int | None, typer.Argument(metavar="[A]", help="A version; the one before B if not given.")] = None,
    b: Annotated[int | None, typer.Argument(metavar="[B]", help="Another one; the current one if not given.")] = None,
    kind: KindOption = None,
    as_json: AsJson = False,
) -> None:
    """Show what two versions differ in: prose word by word, everything else line by line."""
    with open_book(book) as opened, opened.storage.read() as stores:
        found = find_node(node, stores)
        old, new, before, after = two_versions(stores, found, kind, a, b)
    names = (f"{old.kind} {old.version}", f"{new.kind} {new.version}")
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm=""))
    if as_json:
        shown = {"a": old.version, "b": new.version, "kind": new.kind.value, "diff": lines, "is_same": before == after}
        print_json({"book": opened.book.id, "node": found.label} | shown)
    elif before == after:
        note(f"versions {old.version} and {new.version} of the {new.kind} read the same")
    elif new.kind is DocumentKind.PROSE:
        make_console().print(marked_words(before, after))
    else:
        _print_lines(lines)


def restore_version(book: str, node: str, version: int, kind: DocumentKind | None, as_json: bool) -> None:
    """Take an earlier version of a document up again, as a new version of it."""
    from bookwright.app.changes.editing import take_up
    from bookwright.flows.revision.staleness import Staleness

    with open_book(book) as opened:
        wait_until_free(opened)
        with opened.storage.read() as stores:
            found = find_node(node, stores)
        made = take_up(opened, found.label, kind, version)
        with opened.storage.read() as stores:
            stale = len(Staleness(opened.book.brief).direct(stores))
            named = stores.name_of(found)
    facts = {"book": opened.book.id, "node": found.label, "kind": made.kind.value, "version": made.version}
    told = f"the {made.kind} of {named} is version {version} again, as version {made.version}; {stale:,} directly stale"
    emit(lambda: facts | {"restored": version, "stale": stale}, lambda: note(told), as_json=as_json)


def _print_lines(lines: list[str]) -> None:
    console = make_console()
    for line in lines:
        if console.is_terminal:
            console.print(Text(line, style=_STYLES.get(line[:1], "")), soft_wrap=True)
        else:
            print_text(line)


def marked_words(before: str, after: str) -> Text:
    """Mark what went as [-so-] and what came as {+so+}, in colour besides."""
    shown = Text()
    for old, new in word_diff(before, after):
        if old == new:
            shown.append(old)
            continue
        if old:
            shown.append(f"[-{old}-]", style="red")
        if new:
            shown.append(f"{{+{new}+}}", style="green")
    return shown


def read_text(path: Path) -> str:
    """Return the words of a text file, or of standard input where the path is `-`.

    Raises:
        InvalidInput: It cannot be read, is too large, or is no UTF-8 text.
    """
    return given_file.read_text(path, "text", stream=sys.stdin.buffer if str(path) == "-" else None)
