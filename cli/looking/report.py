"""`report`: what can be told about a book's quality, as one page or as Markdown."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.app.orders.briefs import read_sample
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, Output
from bookwright.cli.output import emit, print_text
from bookwright.exports.files import export_path, place, write_whole
from bookwright.models.errors import InvalidSetting
from bookwright.storage.files.privacy import share


def report(
    book: BookArgument,
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="html or md; by the file's ending if not given, or html.")
    ] = None,
    output: Output = None,
    sample: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Measure drift from this text, not from the book's own style.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report on a book: length, rhythm, repetition, stock phrases, names, style, scores, threads, costs."""
    from bookwright.exports.report.book_report import report_of
    from bookwright.exports.report.layout import LAYOUTS, laid_out  # not for every verb: figures bring numpy along

    ending = Path(output).suffix[1:].lower() if output else ""
    to = to or (ending if ending in LAYOUTS else "html")
    if to not in LAYOUTS:
        raise InvalidSetting(f"no report format is called {to!r}; formats are {', '.join(LAYOUTS)}")
    text = read_sample(sample) if sample else ""
    with open_book(book) as opened:
        found = report_of(opened.storage, opened.settings, text)
        name = f"{opened.book.id}-report"
        path = place(output, name, to) if output else export_path(name, to, opened.settings)
        write_whole(laid_out(found, to), path)
        if output:
            share(path)
    facts = {"file": str(path), "report": found.model_dump(mode="json")}
    emit(lambda: facts, lambda: print_text(str(path)), as_json=as_json)
