"""`export`: a book becomes a file."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import print_json, print_text
from bookwright.exports.files import check_formats, export_path
from bookwright.exports.files import export as export_to_file


def export(
    book: BookArgument,
    to: Annotated[str, typer.Option(metavar="FORMAT", help="md, txt, epub or json.")] = "md",
    output: Annotated[
        Path | None, typer.Option(metavar="PATH", help="A file or folder; `exports` in the data folder if not given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write what there is of a book to a file, replacing an earlier export."""
    [name] = check_formats([to])
    with open_book(book) as opened:
        target = output or export_path(opened.book.id, name, opened.settings)
        path = export_to_file(opened.storage, name, target)
    if as_json:
        print_json({"book": opened.book.id, "format": name, "file": str(path), "bytes": path.stat().st_size})
    else:
        print_text(str(path))
