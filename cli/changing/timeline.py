"""`timeline`: when the units of a book are set in its story, shown and changed."""

from typing import Annotated

import typer

from bookwright.app.access import OpenBook
from bookwright.app.status.timeline import is_compared, read_timeline, set_time
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, OptionalNode
from bookwright.cli.output import note, print_json, print_table, print_text
from bookwright.models.errors import InvalidInput
from bookwright.models.story_time.timeline import StoryLine
from bookwright.models.story_time.times import StoryTime, asked_time


def timeline(
    book: BookArgument,
    node: OptionalNode = None,
    when: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help='When the node is set: "evening of day 3", "12 March 1923", "1923", "ten years before chapter 2".',
        ),
    ] = None,
    order: Annotated[
        float | None,
        typer.Option(help="With --when: a number that sorts it among other times that have one, such as a year."),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Take back what was said of the node's time.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show when the units of a book are set, in the order of the story, with flashbacks and slips; or set a time."""
    _check(node, when, order, clear)
    with open_book(book) as opened:
        if node is not None:
            time = None if when is None else asked_time(when)
            if time is not None and order is not None:
                time = time.model_copy(update={"order": order})
            _set(opened, node, time)
        found = read_timeline(opened)
    if as_json:
        print_json({"book": opened.book.id} | found.model_dump(mode="json"))
    elif node is None and found.is_empty:
        print_text(f'No unit has a time yet; `bookwright timeline {opened.book.id} NODE --when "day 1"` gives one.')
    else:
        _print(found, with_rows=node is None)


def _check(node: str | None, when: str | None, order: float | None, clear: bool) -> None:
    if node is None and (when is not None or clear):
        raise InvalidInput("say which unit: bookwright timeline BOOK NODE --when TIME")
    if node is not None and (when is None) != clear:
        raise InvalidInput("a node takes either --when TIME or --clear")
    if order is not None and when is None:
        raise InvalidInput("--order goes with --when")
    if when is not None and not when.strip():
        raise InvalidInput("the time is empty; --clear takes back what was said")


def _set(opened: OpenBook, node: str, time: StoryTime | None) -> None:
    unit = set_time(opened, node, time)
    if time is None:
        note(f"{unit} has no time of its own now")
    elif is_compared(time):
        note(f"{unit} is set at: {time}")
    else:
        note(f"{unit} is set at: {time}. Nothing can be compared with these words; --order NUMBER sorts them")


def _print(found: StoryLine, *, with_rows: bool) -> None:
    if with_rows:
        rows = [(row.when or "-", row.label, str(row.chapter), row.title, row.standing) for row in found.rows]
        print_table(("time", "node", "chapter", "title", ""), rows, right=("chapter",), folds=("time", "title"))
    for one in found.findings:
        print_text(f"{one.result} in {one.label}: {one.line}")
