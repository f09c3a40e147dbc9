"""Keeping books: `brief`, `archive`, `unarchive` and `delete`."""

from pathlib import Path
from typing import Annotated

import tomli_w
import typer

from bookwright.app.access import OpenBook, at_rest
from bookwright.app.orders.brief_changes import with_gates
from bookwright.app.orders.briefs import merged
from bookwright.app.status.books import delete_book, put_away
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, Assignments, BookArgument, EditFile, Yes
from bookwright.cli.output import check_agreed, emit, note, print_json, print_text
from bookwright.flows.library import check_models
from bookwright.flows.revision.edits import change_brief
from bookwright.models.book import Book

_SHOWN = 20
"""Files of the author's own that are named one by one."""


def brief(
    book: BookArgument,
    assignments: Assignments = None,
    edit: EditFile = None,
    gates: Annotated[
        list[str] | None,
        typer.Option("--gate", metavar="GATE", help="Rest there, too: 1.4, chapter 3, chapters of 2, climaxes, ..."),
    ] = None,
    no_gates: Annotated[list[str] | None, typer.Option("--no-gate", metavar="GATE", help="Rest there no more.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a book's brief as TOML, or change it while the book rests."""
    with open_book(book) as opened:
        found = opened.book
        if assignments or edit or gates or no_gates:
            found = _edited(opened, assignments or [], edit, gates or [], no_gates or [])
    values = found.brief.model_dump(mode="json", exclude_none=True)
    facts = {"book": found.id, "version": found.brief_version, "brief": values}
    emit(lambda: facts, lambda: print_text(tomli_w.dumps(values, multiline_strings=True).rstrip()), as_json=as_json)


def archive(book: BookArgument, as_json: AsJson = False) -> None:
    """Put a book away: `status` no longer lists it."""
    _set_archived(book, True, as_json)


def unarchive(book: BookArgument, as_json: AsJson = False) -> None:
    """Take a book out of the archive."""
    _set_archived(book, False, as_json)


def delete(book: BookArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Remove a book with its journal, its index and its folder for good; exports and files of your own stay."""
    with open_book(book) as opened:
        found = opened.book
        with opened.storage.read() as stores:
            size = f"{stores.nodes.root().written:,} {found.brief.length_unit}, {found.calls:,} calls"
        question = f'Delete "{found.title}" ({size}) for good?'
        check_agreed(question, "nothing was deleted; --yes deletes without asking", yes=yes)
        done = delete_book(opened)
        if done.trouble:
            note(done.trouble)
    left = list(done.files)
    if as_json:
        print_json({"book": found.id, "deleted": True, "left": left})
        return
    note(f"{found.id} is deleted")
    for line in left[:_SHOWN]:
        note(f"left, because it is your own: {line}")
    if len(left) > _SHOWN:
        note(f"and {len(left) - _SHOWN:,} more beside them")


def _edited(opened: OpenBook, assignments: list[str], file: Path | None, gates: list[str], no_gates: list[str]) -> Book:
    with opened.storage.read() as stores:
        wanted, ahead = with_gates(merged(opened.book.brief, assignments, file), gates, no_gates, stores)
    for gate in ahead:
        note(f"the gate {gate!r} opens once there is such a unit; nothing stands there yet")
    check_models(wanted, opened.settings)
    with at_rest(opened.storage) as stores:
        return change_brief(wanted, stores.books.get(opened.book.id), stores)


def _set_archived(identity: str, is_archived: bool, as_json: bool) -> None:
    with open_book(identity) as opened:
        put_away(opened, is_archived)
    facts = {"book": opened.book.id, "archived": is_archived}
    told = f"{opened.book.id} is {'put away' if is_archived else 'back on the shelf'}"
    emit(lambda: facts, lambda: note(told), as_json=as_json)
