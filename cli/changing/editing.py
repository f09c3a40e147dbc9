"""`edit`: a text in the author's own editor, or a whole manuscript that was edited elsewhere and comes back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import OpenBook
from bookwright.app.node_lookup import find_node
from bookwright.app.records.files import edited, keep_draft
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import check_agreed, emit, note, print_json
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import TextEdit
from bookwright.models.errors import EditConflict, InvalidInput

if TYPE_CHECKING:
    from bookwright.app.changes.editing import SavedEdit
    from bookwright.app.changes.returned_manuscript import ReturnedManuscript


def edit(
    book: BookArgument,
    node: Annotated[
        str | None, typer.Argument(metavar="[NODE]", help="A chapter (chapter 9, or 9), a label or a title.")
    ] = None,
    kind: Annotated[DocumentKind | None, typer.Option("--kind", help="Which document; its text if not given.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take in an export (docx, epub, md, txt) that was edited."),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of a text file, where it is told wrongly.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --from: show what changed, and do nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --from: do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Edit a text in $VISUAL or $EDITOR, or take back a manuscript that you edited in Word. All versions stay."""
    if (node is None) == (file is None):
        raise InvalidInput("edit takes a NODE, for your editor, or --from FILE, an export that you have edited")
    with open_book(book) as opened:
        if node is not None:
            _edit_here(opened, node, kind, as_json)
        elif file is not None:
            _take_back(opened, file, encoding, dry_run=dry_run, yes=yes, as_json=as_json)


def _edit_here(opened: OpenBook, place: str, kind: DocumentKind | None, as_json: bool) -> None:
    from bookwright.app.changes.editing import save_or_queue
    from bookwright.flows.revision.revise import check_writable, chosen

    with opened.storage.read() as stores:
        unit = find_node(place, stores)
        name, document = stores.name_of(unit), chosen(stores, unit, kind)
        check_writable(document, unit, stores)
    words = edited(f"{document.text.rstrip()}\n", f"{unit.label}-{document.kind.value}.md")
    if words is None:
        note("nothing was changed")
        return
    wanted = TextEdit(label=unit.label, kind=document.kind, text=words, seen=document.version)
    try:
        saved = save_or_queue(opened, wanted)
    except (EditConflict, InvalidInput) as error:
        raise type(error)(f"{error}; your words are kept in {keep_draft(words, '.md')}") from None
    facts = {"book": opened.book.id, "saved": [_facts(unit.label, saved)]}
    told = f"the {document.kind} of {name} {_outcome(saved)}"
    emit(lambda: facts, lambda: note(told), as_json=as_json)


def _take_back(opened: OpenBook, file: Path, encoding: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from bookwright.app.changes.returned_manuscript import read_back, take_back

    returned = read_back(opened, file, encoding)
    if not as_json:
        _show(returned)
    saved: list[SavedEdit] = []
    if returned.changed and not dry_run:
        check_agreed("Take them in?", "nothing was changed; --yes takes them in without asking", yes=yes)
        saved = take_back(opened, returned)
    if as_json:
        rows = [
            {"node": text.edit.label, "place": text.place, "before": text.before, "after": text.after}
            for text in returned.changed
        ]
        done = [_facts(text.edit.label, one) for text, one in zip(returned.changed, saved, strict=False)]
        found = {"changed": rows, "unchanged": returned.unchanged, "unclear": list(returned.unclear)}
        print_json({"book": opened.book.id} | found | {"saved": done})
    elif saved:
        note(f"{len(saved):,} taken in; `bookwright stale {opened.book.id}` shows what rests on them")


def _show(returned: "ReturnedManuscript") -> None:
    for text in returned.changed:
        note(f"{text.place}: {text.before:,} to {text.after:,}")
    for place in returned.unclear:
        note(f"{place}: its scenes are others than before, so it is left as it stands; `bookwright edit` takes each")
    note(f"{returned.unchanged:,} chapters read as they stand")


def _facts(label: str, saved: "SavedEdit") -> dict[str, Any]:
    made = saved.made if isinstance(saved.made, Document) else None
    return {"node": label, "version": made.version if made else None, "waits": saved.queued is not None}


def _outcome(saved: "SavedEdit") -> str:
    if saved.queued is not None:
        return "waits to be taken in by whoever writes the book"
    if isinstance(saved.made, Document):
        return f"is now version {saved.made.version}"
    return "says what stood there already"
