"""How facts are printed: two consoles, JSON, and numbers as people read them."""

import json
import sys
from datetime import datetime
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from bookwright.exports.markup import clean

_PIPE_WIDTH = 160
"""Columns where nobody's window cuts the line."""


def make_console(*, stderr: bool = False) -> Console:
    """Return a console that takes every text literally: titles and prose hold brackets."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_text(text: str) -> None:
    """Print a text as it is, without what could steer the terminal."""
    typer.echo(clean(text))


def note(line: str) -> None:
    """Tell the person something beside the facts."""
    typer.echo(clean(line), err=True)


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,204 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def stale_count(number: int) -> str:
    """`1 document is directly stale`, `3 documents are directly stale`."""
    return f"{counted(number, 'document')} {'is' if number == 1 else 'are'} directly stale"


def plain_table(*columns: str, right: tuple[str, ...] = (), folds: tuple[str, ...] = ()) -> Table:
    """Return a table without lines; the columns in `right` hold numbers, those in `folds` give way first."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=column not in folds,
            overflow="fold" if column in folds else "ellipsis",
        )
    return table


def fact_table() -> Table:
    """Return a table of names and values."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    return table


def money(micros: int) -> str:
    """Show millionths of a dollar: `"$12.30"`, and four places below a dollar."""
    dollars = micros / 1_000_000
    return f"${dollars:,.2f}" if dollars >= 1 or micros == 0 else f"${dollars:.4f}"


def tokens(count: int) -> str:
    """Show a count of tokens in three digits or so: `"812"`, `"1.2k"`, `"3.4M"`."""
    for factor, suffix in ((1_000_000, "M"), (1_000, "k")):
        if count >= factor:
            return f"{count / factor:.1f}{suffix}"
    return str(count)


def moment(seconds: float) -> str:
    """Show a time since 1970 in the local time zone, to the minute."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def duration(seconds: float) -> str:
    """Show a span of time in its two largest units: `"3 h 20 min"`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def agrees(question: str) -> bool:
    """Ask; where nobody can answer, because what should be read ends or is closed, that is no yes."""
    try:
        return typer.confirm(question, err=True)
    except OSError:
        return False
    except typer.Abort:
        if sys.stdin.isatty():
            raise  # Ctrl-C
        return False
