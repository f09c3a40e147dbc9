"""How facts are printed: two consoles, tables, JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import typer

from bookwright.cli import log_lines
from bookwright.exports.markup import clean
from bookwright.models.errors import InvalidInput

if TYPE_CHECKING:  # who prints lines alone does without Rich
    from rich.console import Console
    from rich.text import Text

_PIPE_WIDTH = 160
"""Columns where nobody's window cuts the line."""


def make_console(*, stderr: bool = False) -> "Console":
    """Return a console that takes every text literally: titles and prose hold brackets."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    if stderr and log_lines.are_json():
        stream = log_lines.HeldOutput()
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def emit(facts: Callable[[], Any], tell: Callable[[], object], *, as_json: bool) -> None:
    """Print what a verb found: its facts as one JSON document where that is wanted, else in words, as `tell` does.

    A verb that has more than a line of words prints them after `if as_json`, instead.
    """
    if as_json:
        print_json(facts())
    else:
        tell()


def print_text(text: str) -> None:
    """Print a text as it is, without what could steer the terminal."""
    typer.echo(clean(text))


_panels: "list[Console]" = []
"""The consoles of panels that are drawn again and again; the last one is on the screen."""


def note(line: str) -> None:
    """Tell the person something beside the facts; above a panel, where one is on the screen."""
    if log_lines.are_json():
        log_lines.tell(clean(line))
    elif _panels:
        _panels[-1].print(clean(line), soft_wrap=True)
    else:
        typer.echo(clean(line), err=True)


@contextmanager
def notes_above(console: "Console") -> Iterator[None]:
    """While a panel is drawn on a console, have notes printed above it: written past it they stand in its last line."""
    _panels.append(console)
    try:
        yield
    finally:
        _panels.remove(console)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence["str | Text"]],
    *,
    right: tuple[str, ...] = (),
    folds: tuple[str, ...] = (),
    styles: Sequence[str] = (),
) -> None:
    """Print a table without lines, its rows in their styles, if they have some.

    The columns in `right` hold numbers, those in `folds` give way first.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=column not in folds,
            overflow="fold" if column in folds else "ellipsis",
        )
    for row, style in zip_longest(rows, styles):
        table.add_row(*row, style=style)
    make_console().print(table)


@contextmanager
def at_work(title: str) -> Iterator[Callable[[str], None]]:
    """Show in a terminal that something goes on; the function that is given changes what is said of it."""
    with make_console(stderr=True).status(title) as status:
        yield status.update


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values as a table without a head."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, value)
    make_console().print(table)


def can_ask() -> bool:
    """True if a person sits at the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def check_agreed(question: str, otherwise: str, *, yes: bool) -> None:
    """Ask, unless the yes was given beforehand.

    Raises:
        InvalidInput: The answer is no; `otherwise` says what follows.
    """
    if not yes and not _agrees(question):
        raise InvalidInput(otherwise)


def _agrees(question: str) -> bool:
    """Ask; where nobody can answer, because what should be read ends or is closed, that is no yes."""
    try:
        return typer.confirm(question, err=True)
    except OSError:
        return False
    except typer.Abort:
        if sys.stdin.isatty():
            raise  # Ctrl-C
        return False
