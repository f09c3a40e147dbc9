"""How a verb is told which document is meant, and what its words are to be."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from bookwright.models.document import DocumentKind
from bookwright.storage.files import given_file

KindOption = Annotated[
    DocumentKind | None, typer.Option("--kind", help="Which document of the node; the one it is for if not given.")
]


def read_text(path: Path) -> str:
    """Return the words of a text file, or of standard input where the path is `-`.

    Raises:
        InvalidInput: It cannot be read, is too large, or is no UTF-8 text.
    """
    return given_file.read_text(path, "text", stream=sys.stdin.buffer if str(path) == "-" else None)
