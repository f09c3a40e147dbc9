"""`examples`: what comes along to be tried."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.app.orders.examples import copy_examples, example_files
from bookwright.cli.options import AsJson
from bookwright.cli.output import emit, print_text


def examples(
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="Copy them here.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the examples that come with the program, or copy them into a folder."""
    files = copy_examples(folder) if folder else example_files()

    def tell() -> None:
        for file in files:
            print_text(str(file))
        if not folder:
            print_text(
                "`bookwright write --example lighthouse` writes the first, `bookwright examples FOLDER` copies all"
            )

    emit(lambda: [str(file) for file in files], tell, as_json=as_json)
