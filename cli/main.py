"""The program `bookwright`: its verbs, and its way out."""

import sys
from typing import Annotated

import typer

from bookwright.cli import error_handling, log_lines
from bookwright.cli.verbs import Verbs
from bookwright.models.log_format import LogFormat

app = typer.Typer(
    name="bookwright", help="Writes whole books, one durable step at a time.", cls=Verbs, no_args_is_help=True,
    rich_markup_mode=None,
)  # fmt: skip


@app.callback()
def options(
    is_verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Log on stderr what is asked of whom.")] = False,
    log_format: Annotated[
        LogFormat,
        typer.Option(envvar="BOOKWRIGHT_LOG_FORMAT", help="How notes, errors and log lines stand on stderr."),
    ] = LogFormat.TEXT,
) -> None:
    """Writes whole books, one durable step at a time."""
    log_lines.begin(is_verbose=is_verbose, as_json=log_format is LogFormat.JSON)


def main() -> None:
    """Run the command that was typed and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know a book's script
    sys.exit(error_handling.run(app, sys.argv[1:]))
