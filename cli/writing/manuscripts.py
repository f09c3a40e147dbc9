"""Importing a manuscript: what was found in it, what looking at it takes, and then the book."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookwright.app.access import library
from bookwright.app.manuscript_reading import ManuscriptReading, check_new, read_for_import
from bookwright.cli.output import agrees, at_work, emit, note, print_text
from bookwright.cli.writing.manuscript_view import show
from bookwright.cli.writing.write import bring_to_its_end, lengthened, telling
from bookwright.flows.limits import Limits
from bookwright.manuscripts.reading import digest_of
from bookwright.models.book import Book
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine.database import Database
from bookwright.storage.stores import BookStorage


@dataclass(frozen=True)
class ImportWishes:
    """What was asked for with a manuscript."""

    values: Mapping[str, Any]
    """Of its brief, as far as they were named."""
    encoding: str
    pattern: str
    more: int | None
    dry_run: bool
    rests: bool
    again: bool
    yes: bool
    limits: Limits
    streams: bool
    uses_prefect: bool
    json_progress: bool
    as_json: bool


def import_manuscript(file: Path, wishes: ImportWishes) -> None:
    """Make a book of a manuscript, or show what would become of it.

    Raises:
        InvalidInput: It cannot be read, makes no book, or made one already; nothing was written.
    """
    reading = read_for_import(file, wishes.values, wishes.encoding, wishes.pattern, wishes.more)
    if wishes.dry_run:
        show(reading, wishes.as_json)
        return
    settings = load_settings()
    from bookwright.app.orders import checks

    checks.check_writable(reading.brief, settings)
    digest = digest_of(file)
    with library(settings) as database:
        if not wishes.again:
            check_new(file, digest, database)
        if not wishes.as_json and not wishes.json_progress:
            show(reading, as_json=False)
        _ask(reading, settings, wishes)
        book = _bring_in(reading, digest, settings, database)
        _go_on(book, database, settings, wishes)


def _ask(reading: ManuscriptReading, settings: Settings, wishes: ImportWishes) -> None:
    """Show what looking at the manuscript takes, and ask.

    Raises:
        InvalidInput: The answer is no; nothing was written.
    """
    if wishes.rests:
        return
    from bookwright.app.estimates.import_bill import bill_of_import

    with at_work("rehearsing") as tell:
        bill = bill_of_import(reading.found, reading.brief, settings, wishes.more or 0, tell)
    what = "Looking at it" + (f" and writing {wishes.more:,} {reading.brief.length_unit}" if wishes.more else "")
    note(f"{what} takes {bill}.")
    if not wishes.yes and not agrees("Import it?"):
        raise InvalidInput("nothing was written; --yes imports without asking")


def _bring_in(reading: ManuscriptReading, digest: str, settings: Settings, database: Database) -> Book:
    from bookwright.flows.intake.manuscript_import import bring_in, longest_piece

    return bring_in(database, reading.found, reading.brief, digest, longest_piece(reading.brief, settings))


def _go_on(book: Book, database: Database, settings: Settings, wishes: ImportWishes) -> None:
    from bookwright.cli.writing import running

    storage = BookStorage(database, book.id, book.brief.language)
    if wishes.more is not None:
        book = lengthened(book, wishes.more, storage)
    if wishes.rests:
        _say_it_rests(book, wishes.as_json)
        return
    note(f"{book.id} is here; if this is interrupted, `bookwright resume {book.id}` goes on")
    run = running.Wishes(
        wishes.limits, streams=wishes.streams, uses_prefect=wishes.uses_prefect, as_json=wishes.as_json
    )
    bring_to_its_end(book, storage, settings, telling(run, book, storage, wishes.json_progress), ["md"])


def _say_it_rests(book: Book, as_json: bool) -> None:
    emit(
        lambda: {"book": book.id, "title": book.title, "length": book.brief.length, "unit": book.brief.length_unit},
        lambda: print_text(f"{book.id} is here and rests; `bookwright resume {book.id}` has it looked at"),
        as_json=as_json,
    )
