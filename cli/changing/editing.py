"""`edit`: a text in the author's own editor, or a whole manuscript that was edited elsewhere and comes back.

`note`: what an author remarks on words of a text, as a note to oneself or an order for its next revision.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import OpenBook
from bookwright.app.comments import CommentView, all_comments, comment_on, comments_at, lay_aside
from bookwright.app.node_lookup import find_node
from bookwright.app.records.files import edited, keep_draft
from bookwright.cli import output
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, OptionalNode
from bookwright.cli.output import check_agreed, emit, print_json
from bookwright.flows.revision.revise import with_prose
from bookwright.models.document import Document, DocumentKind
from bookwright.models.edit import Anchor, TextEdit
from bookwright.models.errors import EditConflict, InvalidInput
from bookwright.models.tree.place import ReadingOrder

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
        output.note("nothing was changed")
        return
    wanted = TextEdit(label=unit.label, kind=document.kind, text=words, seen=document.version)
    try:
        saved = save_or_queue(opened, wanted)
    except (EditConflict, InvalidInput) as error:
        raise type(error)(f"{error}; your words are kept in {keep_draft(words, '.md')}") from None
    facts = {"book": opened.book.id, "saved": [_facts(unit.label, saved)]}
    told = f"the {document.kind} of {name} {_outcome(saved)}"
    emit(lambda: facts, lambda: output.note(told), as_json=as_json)


def _take_back(opened: OpenBook, file: Path, encoding: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from bookwright.app.changes.editing import save_or_queue
    from bookwright.app.changes.returned_manuscript import read_back

    returned = read_back(opened, file, encoding)
    if not as_json:
        _show(returned)
    saved: list[SavedEdit] = []
    if returned.changed and not dry_run:
        check_agreed("Take them in?", "nothing was changed; --yes takes them in without asking", yes=yes)
        # Where one was changed since the file was read that is an error, and those before it stay saved.
        saved = [save_or_queue(opened, text.edit) for text in returned.changed]
    if as_json:
        rows = [
            {"node": text.edit.label, "place": text.place, "before": text.before, "after": text.after}
            for text in returned.changed
        ]
        done = [_facts(text.edit.label, one) for text, one in zip(returned.changed, saved, strict=False)]
        found = {"changed": rows, "unchanged": returned.unchanged, "unclear": list(returned.unclear)}
        print_json({"book": opened.book.id} | found | {"saved": done})
    elif saved:
        output.note(f"{len(saved):,} taken in; `bookwright stale {opened.book.id}` shows what rests on them")


def _show(returned: "ReturnedManuscript") -> None:
    for text in returned.changed:
        output.note(f"{text.place}: {text.before:,} to {text.after:,}")
    for place in returned.unclear:
        output.note(
            f"{place}: its scenes are others than before, so it is left as it stands; `bookwright edit` takes each"
        )
    output.note(f"{returned.unchanged:,} chapters read as they stand")


def _facts(label: str, saved: "SavedEdit") -> dict[str, Any]:
    made = saved.made if isinstance(saved.made, Document) else None
    return {"node": label, "version": made.version if made else None, "waits": saved.queued is not None}


def _outcome(saved: "SavedEdit") -> str:
    if saved.queued is not None:
        return "waits to be taken in by whoever writes the book"
    if isinstance(saved.made, Document):
        return f"is now version {saved.made.version}"
    return "says what stood there already"


def note(
    book: BookArgument,
    node: OptionalNode = None,
    words: Annotated[str | None, typer.Argument(metavar="[WORDS]", help="What you remark.")] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="WORDS", help="The words of the text that it is about.")
    ] = None,
    order: Annotated[
        bool,
        typer.Option("--order", help="An order for the next revision: `revise --notes` tells it to a model."),
    ] = False,
    remove: Annotated[int | None, typer.Option("--remove", metavar="N", help="Lay a note aside.")] = None,
    as_json: AsJson = False,
) -> None:
    """Keep a note at words of a text; list the notes of a book or a chapter; lay one aside."""
    is_new = words is not None or at is not None or order
    if remove is not None and (is_new or node is not None):
        raise InvalidInput("--remove takes the number of a note and nothing more")
    if is_new and (node is None or words is None or at is None):
        raise InvalidInput('say where and what: note BOOK 1.4 --at "words of the text" "what you remark"')
    with open_book(book) as opened:
        if remove is not None:
            _remove(opened, remove, as_json)
        elif node is not None and words is not None and at is not None:
            _add(opened, node, at, words, order, as_json)
        else:
            _list(opened, node, as_json)


def _add(opened: OpenBook, node: str, at: str, words: str, is_order: bool, as_json: bool) -> None:
    with opened.storage.read() as stores:
        labels = with_prose(find_node(node, stores), stores)
    if not labels:
        raise InvalidInput("nothing is written there yet that a note could be about")
    number = comment_on(opened, labels, Anchor(quote=at), words, is_order=is_order)
    with opened.storage.read() as stores:
        sight = next(one for one in comments_at(stores, labels) if one.comment.id == number)
    if as_json:
        output.print_json({"book": opened.book.id} | sight.facts())
        return
    label = sight.comment.label
    output.note(f"note {number} is kept at “{sight.comment.anchor.quote}” of {label}")
    if is_order:
        output.note(f"`bookwright revise {opened.book.id} {label} --notes` has a model see to it")


def _list(opened: OpenBook, node: str | None, as_json: bool) -> None:
    with opened.storage.read() as stores:
        if node is None:
            found = all_comments(stores)
        else:
            found = comments_at(stores, with_prose(find_node(node, stores), stores))
        names = stores.codex.reading_order()
    if as_json:
        output.print_json({"book": opened.book.id, "notes": [one.facts() for one in found]})
    elif not found:
        output.note("no notes" + ("" if node is None else " there"))
    else:
        columns = ("note", "place", "at", "what you remarked", "")
        output.print_table(columns, [_row(one, names) for one in found], right=("note",), folds=columns[2:])


def _row(one: CommentView, names: ReadingOrder) -> list[str]:
    comment = one.comment
    return [str(comment.id), names.name_of(comment.label), comment.anchor.quote, comment.words, _state(one)]


def _state(one: CommentView) -> str:
    said = []
    if one.is_seen_to:
        said.append(f"seen to in version {one.version}")
    elif one.is_order:
        said.append("an order")
    if not one.now:
        said.append("its words do not stand in the text any more")
    elif not one.is_found and not one.is_seen_to:
        said.append(f"there stands now: {one.now}")
    return "; ".join(said)


def _remove(opened: OpenBook, number: int, as_json: bool) -> None:
    with opened.storage.write() as stores:
        gone = lay_aside(stores, number)
    facts = {"book": opened.book.id, "note": gone.id, "node": gone.label, "removed": True}
    told = f"note {gone.id} at “{gone.anchor.quote}” is laid aside"
    output.emit(lambda: facts, lambda: output.note(told), as_json=as_json)
