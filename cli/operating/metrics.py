"""`metrics`: the figures of an installation, as Prometheus reads them."""

from threading import Event
from typing import Annotated

import typer

from bookwright.app.access import library
from bookwright.app.status.figures import PORT, StudioFigures, served
from bookwright.cli.output import note, print_text
from bookwright.models.settings import load_settings


def metrics(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where they are served, on 127.0.0.1.")] = PORT,
    once: Annotated[bool, typer.Option("--once", help="Print them, counted from the first call on, and end.")] = False,
) -> None:
    """Serve figures of books, calls, tokens and money at /metrics until Ctrl-C; no text and no title is in them."""
    settings = load_settings()
    with library(settings) as database:
        if once:
            print_text(StudioFigures(database, settings, is_whole=True, settled_seconds=0).text())
            return
        with served(StudioFigures(database, settings), port) as address:
            note(f"figures at {address}")
            Event().wait()
