"""The program `bookwright`: its verbs, and its way out."""

import logging
import sys
from typing import Annotated

import typer

from bookwright.cli import edge
from bookwright.cli.verbs import Verbs

app = typer.Typer(
    name="bookwright", help="Writes whole books, one durable step at a time.", cls=Verbs, no_args_is_help=True,
    rich_markup_mode=None,
)  # fmt: skip


@app.callback()
def options(
    is_verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Log on stderr what is asked of whom.")] = False,
) -> None:
    """Writes whole books, one durable step at a time."""
    if is_verbose:
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(name)s: %(message)s")
        logging.getLogger("bookwright").setLevel(logging.DEBUG)


def main() -> None:
    """Run the command that was typed and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know a book's script
    sys.exit(edge.run(app, sys.argv[1:]))
