"""`export`: a book becomes a file."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.app.access import OpenBook
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, Output
from bookwright.cli.output import emit, note, print_text
from bookwright.exports.files import FORMATS, Layout, check_formats, export_path, place
from bookwright.exports.files import export as export_to_file
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.text import MOST_CHARACTERS, oversized
from bookwright.storage.files.privacy import share


def export(
    book: BookArgument,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"{', '.join(FORMATS)}.")] = "md",
    output: Output = None,
    cover: Annotated[Path | None, typer.Option(metavar="FILE", help="A JPEG or PNG as the cover of an EPUB.")] = None,
    vertical: Annotated[bool, typer.Option("--vertical", help="Lines from top to bottom: EPUB in Japanese.")] = False,
    encoding: Annotated[str, typer.Option(help="utf-8 or gb18030, for txt.")] = "utf-8",
    as_json: AsJson = False,
) -> None:
    """Write what there is of a book to a file, replacing an earlier export."""
    [name] = check_formats([to])
    layout = Layout(cover, vertical, encoding.lower())
    with open_book(book) as opened:
        identity = opened.book.id
        target = place(output, identity, name) if output else export_path(identity, name, opened.settings)
        path = export_to_file(opened.storage, name, target, layout)
        if output:
            share(path)
        if name == "txt":
            _tell_oversized(opened)
    facts = {"book": identity, "format": name, "file": str(path), "bytes": path.stat().st_size}
    emit(lambda: facts, lambda: print_text(str(path)), as_json=as_json)


def _tell_oversized(opened: OpenBook) -> None:
    headings = oversized(Manuscript(opened.storage))
    if headings:
        most = MOST_CHARACTERS[opened.storage.language]
        named = ", ".join(headings[:3]) + (" and more" if len(headings) > 3 else "")
        note(f"longer than the {most:,} characters that platforms take as one chapter: {named}")
