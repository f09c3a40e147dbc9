"""`examples`: what comes along to be tried."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.app.orders.examples import copy_examples, example_files
from bookwright.cli.options import AsJson
from bookwright.cli.output import print_json, print_text


def examples(
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="Copy them here.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the examples that come with the program, or copy them into a folder."""
    files = [str(file) for file in (copy_examples(folder) if folder else example_files())]
    if as_json:
        print_json(files)
        return
    for file in files:
        print_text(file)
    if not folder:
        print_text("`bookwright write --example lighthouse` writes the first, `bookwright examples FOLDER` copies all")
