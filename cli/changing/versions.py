"""The versions of a document: `history`, `diff`, and `restore` for one of them."""

import difflib
from typing import Annotated, Any

import typer
from rich.text import Text

from bookwright.app.access import at_rest
from bookwright.app.places import find_node, place_name
from bookwright.app.wording import moment
from bookwright.cli.access import open_book
from bookwright.cli.changing.changing import KindOption
from bookwright.cli.options import AsJson, BookArgument, NodeArgument
from bookwright.cli.output import make_console, note, plain_table, print_json, print_text
from bookwright.cli.writing.waiting import wait_until_free
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import InvalidInput
from bookwright.models.text.word_diff import word_diff
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_STYLES = {"-": "red", "+": "green", "@": "cyan"}


def history(book: BookArgument, node: NodeArgument, kind: KindOption = None, as_json: AsJson = False) -> None:
    """List all versions of a node's documents: who made each, when, of which one, and on whose word."""
    with open_book(book) as opened, opened.storage.read() as stores:
        found = find_node(node, stores)
        kinds = [kind] if kind else list(DocumentKind)
        versions = [version for each in kinds for version in stores.documents.versions(found.key, each)]
        if not versions:
            raise InvalidInput(f"{found.name} has no {kind or 'document'} yet")
        rows = [_row(version, stores) for version in versions]
    if as_json:
        print_json({"book": opened.book.id, "node": found.label, "versions": rows})
        return
    table = plain_table("kind", "version", "length", "when", "by", "note", right=("version", "length"), folds=("note",))
    for row in rows:
        when = moment(row["made_at"]) if row["made_at"] else ""
        table.add_row(row["kind"], str(row["version"]), f"{row['length']:,}", when, _by(row), row["note"])
    make_console().print(table)


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
        old, new = _two(stores, found, kind, a, b)
        before, after = stores.documents.text_of(old), stores.documents.text_of(new)
    lines = _unified(before, after, old, new)
    if as_json:
        shown = {"a": old.version, "b": new.version, "kind": new.kind.value, "diff": lines, "is_same": before == after}
        print_json({"book": opened.book.id, "node": found.label} | shown)
    elif before == after:
        note(f"versions {old.version} and {new.version} of the {new.kind} read the same")
    elif new.kind is DocumentKind.PROSE:
        make_console().print(_words(before, after))
    else:
        _print_lines(lines)


def restore_version(book: str, node: str, version: int, kind: DocumentKind | None, as_json: bool) -> None:
    """Take an earlier version of a document up again, as a new version of it."""
    from bookwright.flows.revision.revise import restore
    from bookwright.flows.revision.staleness import Staleness

    with open_book(book) as opened:
        wait_until_free(opened.storage, opened.settings)
        with at_rest(opened.storage) as stores:
            found = find_node(node, stores)
            made = restore(stores, found, kind, version)
        with opened.storage.read() as stores:
            stale = len(Staleness(opened.book.brief).direct(stores))
            named = place_name(found, stores)
    if as_json:
        facts = {"book": opened.book.id, "node": found.label, "kind": made.kind.value, "version": made.version}
        print_json(facts | {"restored": version, "stale": stale})
    else:
        note(
            f"the {made.kind} of {named} is version {version} again, as version {made.version}; "
            f"{stale:,} directly stale"
        )


def _row(version: Document, stores: Stores) -> dict[str, Any]:
    step = stores.steps.asked(version.step) if version.step else None
    facts = version.model_dump(
        mode="json", include={"id", "kind", "version", "length", "origin", "base", "note", "step"}
    )
    asked = {"activity": step.key.activity.value, "model": step.model} if step else {"activity": None, "model": None}
    return facts | asked | {"made_at": step.recorded_at if step else version.made_at}


def _by(row: dict[str, Any]) -> str:
    told = {
        DocumentOrigin.STEP: f"{row['activity'] or 'the engine'}",
        DocumentOrigin.AUTHOR: "the author",
        DocumentOrigin.NOTE: f"a note, of {row['base']}",
        DocumentOrigin.REFRESH: f"a refresh, of {row['base']}",
        DocumentOrigin.REPAIR: "the book's last corrections",
        DocumentOrigin.IMPORT: "the author, by import",
        DocumentOrigin.WORLD: "the world it is set in",
        DocumentOrigin.RESTORE: f"{row['base']} restored",
    }[DocumentOrigin(row["origin"])]
    return f"{told} (step {row['step']})" if row["step"] else told


def _two(
    stores: Stores, node: TaskNode, kind: DocumentKind | None, a: int | None, b: int | None
) -> tuple[Document, Document]:
    """Return the two versions that are meant: the newest and the one before it if none is named.

    Raises:
        InvalidInput: There is no such version, or only one.
    """
    from bookwright.flows.revision.revise import chosen

    current = chosen(stores, node, kind)
    there = {version.version: version for version in stores.documents.versions(node.key, current.kind)}
    if a is None and len(there) == 1:
        raise InvalidInput(f"the {current.kind} of {node.name} has one version only")
    second = current.version if b is None else b
    first = second - 1 if a is None else a
    for number in (first, second):
        if number not in there:
            raise InvalidInput(
                f"the {current.kind} of {node.name} has no version {number}; it has 1 to {current.version}"
            )
    return there[first], there[second]


def _unified(before: str, after: str, old: Document, new: Document) -> list[str]:
    names = (f"{old.kind} {old.version}", f"{new.kind} {new.version}")
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm=""))


def _print_lines(lines: list[str]) -> None:
    console = make_console()
    if not console.is_terminal:
        for line in lines:
            print_text(line)
        return
    for line in lines:
        console.print(Text(line, style=_STYLES.get(line[:1], "")), soft_wrap=True)


def _words(before: str, after: str) -> Text:
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
