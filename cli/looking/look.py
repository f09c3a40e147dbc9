"""Looking into a book: `tree`, `show`, `read` and `log`."""

import json
import pydoc
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import OpenBook
from bookwright.app.node_lookup import find_node
from bookwright.app.status.progress import EVERY_STEP, place_of, step_text
from bookwright.app.status.timeline import read_turns
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, NodeArgument
from bookwright.cli.output import emit, make_console, print_facts, print_json, print_table, print_text
from bookwright.exports.journal import journal_of
from bookwright.models.document import Document, DocumentKind, Findings
from bookwright.models.errors import InvalidInput
from bookwright.models.story_time.timeline import StoryTurn
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.models.wording import moment
from bookwright.storage.steps.queries import StepLine

if TYPE_CHECKING:
    from rich.text import Text


def tree(
    book: BookArgument,
    depth: Annotated[int | None, typer.Option(min=0, help="Levels below the book.")] = None,
    with_planning: Annotated[
        bool, typer.Option("--planning/--units", help="Show design and search tasks, too, or units alone.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the tree of a book: its units in order, with what is written of each."""
    with open_book(book) as opened, opened.storage.read() as stores:
        shows_all = with_planning or not stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        nodes = (node for node in stores.nodes.walk(depth=depth) if node.is_unit or shows_all)
        turns = read_turns(opened)
        if as_json:
            print_json([_brief_node(node, turns.get(node.label)) for node in nodes])
            return
        console = make_console()
        for node in nodes:
            line = _tree_line(node, stores.name_of(node), turns.get(node.label))
            console.print(line, no_wrap=True, overflow="ellipsis")


def show(
    book: BookArgument,
    node: NodeArgument,
    texts: Annotated[bool, typer.Option("--texts", help="Print the current documents whole.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a node with its documents in all versions and the steps that made them."""
    with open_book(book) as opened, opened.storage.read() as stores:
        found = find_node(node, stores)
        current = stores.documents.of_nodes([found.key], *DocumentKind)
        sight = _NodeSight(
            node=found,
            place=place_of(found, stores, opened.book.brief.language),
            documents=[entry for kind in DocumentKind for entry in stores.documents.versions(found.key, kind)],
            shown=current if texts else [],
            findings={own.id: of for own in current if (of := stores.documents.findings_of(own))},
            steps=[line for line in stores.steps.lines(found.label, limit=EVERY_STEP) if line.label == found.label],
        )
        name, names = stores.name_of(found), stores.codex.reading_order()
    emit(lambda: _node_facts(sight), lambda: _print_node(sight, name, names), as_json=as_json)


def read(
    book: BookArgument,
    node: Annotated[
        str, typer.Option(metavar="NODE", help="Only this part of the book: chapter 9, 1.16 or a title.")
    ] = "book",
    as_json: AsJson = False,
) -> None:
    """Read the manuscript, in the pager if there is a terminal."""
    with open_book(book) as opened:
        with opened.storage.read() as stores:
            found = find_node(node, stores)
            name = stores.name_of(found)
        pieces = _manuscript(opened, found, name)
        if as_json:
            print_json({"book": opened.book.id, "node": found.label, "text": "".join(pieces)})
        elif sys.stdout.isatty():
            pydoc.pager("".join(pieces))
        else:
            sys.stdout.writelines(pieces)


def log(
    book: BookArgument,
    node: Annotated[
        str | None, typer.Argument(metavar="[NODE]", help="Only this chapter or node and what is below it.")
    ] = None,
    after: Annotated[int, typer.Option(help="Only steps after this one.")] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", help="Show what is done from now on, until the book rests.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the journal: every answer of a model, with its bill. With --json, one object a line."""
    if follow and after:
        raise InvalidInput("--follow shows what is done from now on: leave --after out")
    with open_book(book) as opened:
        if node is not None:
            with opened.storage.read() as stores:
                node = find_node(node, stores).label
        if follow:
            from bookwright.cli.writing.following import follow_book  # brings events, which the journal does without

            follow_book(opened, node, with_json=as_json)
            return
        with opened.storage.read() as stores:
            names = stores.codex.reading_order()
        for line in journal_of(opened.storage, node, after):
            if as_json:
                typer.echo(json.dumps(asdict(line), ensure_ascii=False))
            else:
                print_text(f"{line.id:>7}  {moment(line.recorded_at)}  {step_text(line, names)}  {line.model}")


@dataclass(frozen=True)
class _NodeSight:
    """A node with what there is of it."""

    node: TaskNode
    place: str
    documents: list[Document]
    """In all versions."""
    shown: list[Document]
    """Those that are printed whole."""
    findings: dict[int, Findings]
    """What current documents rest on, by their ids."""
    steps: list[StepLine]


def _brief_node(node: TaskNode, turn: StoryTurn | None) -> dict[str, Any]:
    when = {"story_time": node.story_time.model_dump(mode="json")} if node.story_time else {}
    return {
        "node": node.label, "type": node.task_type.value, "level": node.level.value, "title": node.title,
        "goal": node.goal, "status": node.status.value, "length": node.length, "written": node.written,
        "revision": node.revision, **({"stage": node.stage} if node.stage else {}),
        **when, **({"turn": turn.value} if turn else {}),
    }  # fmt: skip


def _tree_line(node: TaskNode, name: str, turn: StoryTurn | None) -> "Text":
    from rich.text import Text

    amount = f"  {node.written:,} of {node.length or 0:,}" if node.is_unit else ""
    state = "" if node.status is NodeStatus.DONE else f"  {node.status}"
    style = "bold" if node.is_unit else "dim"
    is_out = turn in (StoryTurn.BACK, StoryTurn.AHEAD, StoryTurn.BESIDE)
    words = ", ".join(filter(None, [turn.value if turn and is_out else "", str(node.story_time or "")]))
    when = f"  ({words})" if words else ""
    return Text("  " * node.depth).append(name, style=style).append(f"{when}{amount}{state}")


def _node_facts(sight: _NodeSight) -> dict[str, Any]:
    fields = {"id", "kind", "version", "length", "text_hash"}
    return {
        "place": sight.place,
        "node": sight.node.model_dump(mode="json"),
        "documents": [document.model_dump(mode="json", include=fields) for document in sight.documents],
        "texts": {document.kind.value: document.text for document in sight.shown},
        "findings": {str(document): of.model_dump(mode="json") for document, of in sight.findings.items()},
        "steps": [asdict(line) for line in sight.steps],
    }


def _print_node(sight: _NodeSight, name: str, names: ReadingOrder) -> None:
    print_facts([("node", name), *_fact_rows(sight.node, sight.place)])
    if sight.documents:
        print_text("")
        rows = [(str(own.id), own.kind.value, str(own.version), f"{own.length:,}") for own in sight.documents]
        numbers = ("document", "version", "length")
        print_table(("document", "kind", "version", "length"), rows, right=numbers)
    for number, of in sight.findings.items():
        print_text(f"\ndocument {number} rests on {_sources(of)}")
    if sight.steps:
        print_text("")
        for line in sight.steps:
            print_text(f"{line.id:>7}  {step_text(line, names)}")
    for document in sight.shown:
        print_text(f"\n=== {document.kind} ===\n\n{document.text}")


def _fact_rows(node: TaskNode, place: str) -> list[tuple[str, str]]:
    rows = [
        ("place", place),
        ("status", f"{node.status}, revision {node.revision}"),
        ("goal", node.goal),
        ("set at", str(node.story_time or "")),
        ("length", f"{node.written:,} of {node.length:,}" if node.length else ""),
        ("decision", str(node.decision or "")),
        ("verdict", str(node.verdict or "")),
        ("instructions", "\n".join(node.instructions)),
        ("input", "\n".join(node.input_brief)),
        ("constraints", "\n".join(node.constraints)),
        ("accepted if", "\n".join(node.acceptance_criteria)),
        ("open points", "\n".join(node.open_points)),
        ("outline", "\n".join(node.outline)),
    ]
    return [(name, value) for name, value in rows if value]


def _sources(findings: Findings) -> str:
    pages = [f"  {source.title}  {source.address}  (read {source.accessed})" for source in findings.sources]
    if not findings.is_verified:
        return "a model's memory alone: nothing outside the book was searched"
    return "\n".join(["these pages:", *pages]) if pages else "no page that was named, though some were searched for"


def _manuscript(opened: OpenBook, found: TaskNode, name: str) -> Iterator[str]:
    """Yield the manuscript's pieces, the title before the whole book; nothing written is an error."""
    from bookwright.exports.manuscript import Manuscript  # `tree` and `log` print no prose
    from bookwright.exports.text import body

    if not found.written:
        raise InvalidInput(f"nothing of {name} in book {opened.book.id!r} is written yet")
    if found.parent is None:
        yield f"{opened.book.title}\n"
    yield from body(Manuscript(opened.storage), found.label)
