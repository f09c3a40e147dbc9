"""`watch`: looking on, in a terminal, while books are written."""

import os
import sys
from enum import StrEnum
from typing import Annotated

import typer

from bookwright.models.errors import InvalidInput
from bookwright.models.settings import load_settings


class Theme(StrEnum):
    """How the screen is coloured."""

    DARK = "dark"
    LIGHT = "light"


def watch(
    books: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BOOK]...", help="Books, or agents' tabs; else all that are being written."),
    ] = None,
    shows_planning: Annotated[
        bool, typer.Option("--planning/--units", help="Show design and search tasks in the tree, too, or units alone.")
    ] = False,
    theme: Annotated[Theme | None, typer.Option(help="Told by the terminal if not given.")] = None,
) -> None:
    """Watch books on a screen while other processes write them; changes nothing."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        raise InvalidInput("watch draws a screen and needs a terminal; `bookwright log BOOK --follow` prints lines")
    from bookwright.cli.watch.app import WatchApp  # Textual, for this verb alone
    from bookwright.cli.watch.watcher import Watcher

    watcher = Watcher(load_settings(), tuple(books or ()))
    if books:
        watcher.find()
    is_light = (theme or _theme_of(os.environ.get("COLORFGBG", ""))) is Theme.LIGHT
    app = WatchApp(watcher, is_light=is_light, shows_planning=shows_planning)
    app.run()
    if app.fault is not None:
        raise app.fault
    if app.return_code:
        raise typer.Exit(app.return_code)


def _theme_of(colours: str) -> Theme:
    """Tell by what some terminals say of their colours (`"0;15"`: the ground is the last number)."""
    return Theme.LIGHT if colours.rpartition(";")[2] in ("7", "15") else Theme.DARK
