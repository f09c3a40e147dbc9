"""`import`: a book that was exported as JSON comes into this database."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.cli.access import library
from bookwright.cli.options import AsJson
from bookwright.cli.output import print_json, print_text
from bookwright.exports.json_file import import_book
from bookwright.models.settings import load_settings


def import_file(
    file: Annotated[Path, typer.Argument(metavar="BOOK.json", help="What `export --to json` wrote.")],
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="The id that the book is to have here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take in a book with its tree, versions, journal and codex; `resume` goes on with it."""
    settings = load_settings()
    with library(settings) as database:
        book = import_book(file, database, name)
    if as_json:
        print_json({"book": book, "file": str(file)})
    else:
        print_text(f"{book} is here; `bookwright status {book}` shows it, `bookwright resume {book}` goes on with it")
