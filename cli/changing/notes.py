"""`note`: what an author remarks on words of a text, as a note to oneself or an order for its next revision."""

from typing import Annotated

import typer

from bookwright.app.access import OpenBook
from bookwright.app.comments import CommentView, all_comments, comment_on, comments_at, lay_aside
from bookwright.app.node_lookup import find_node
from bookwright.cli import output
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, OptionalNode
from bookwright.flows.revision.revise import with_prose
from bookwright.models.edit import Anchor
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.place import ReadingOrder


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
