"""`import`: a book that was exported as JSON, or a manuscript that somebody wrote elsewhere."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bookwright.app.access import OpenBook, library
from bookwright.app.manuscript_reading import ManuscriptReading, chapter_row, check_new, read_for_import
from bookwright.app.orders import starting
from bookwright.cli.options import More, RunOptions, Yes, takes_brief, takes_run
from bookwright.cli.output import at_work, check_agreed, emit, note, print_table, print_text
from bookwright.cli.writing.write import bring_to_its_end, lengthened
from bookwright.exports.json import import_book
from bookwright.flows.intake.manuscript_import import bring_in, longest_piece
from bookwright.flows.stopping import Limits, may_be_title
from bookwright.manuscripts.reading import digest_of
from bookwright.models.errors import InvalidInput, InvalidSetting
from bookwright.models.settings import Settings, load_settings
from bookwright.models.wording import counted
from bookwright.storage.stores import BookStorage

_HEAD = b'{\n"format"'
_MOST_SHOWN, _LAST_SHOWN = 400, 20
"""Chapters in the table."""


@takes_brief(
    "language", "title", "premise", "models", "profile", "genre", "style", "audience", "ending", "pen_name",
    "budget_usd", "budget_tokens",
    told={
        "language": "en, zh, ja or ko; told by the text if not given.",
        "title": "As the text or its file is called if not given.",
        "premise": "What the book is about; the text tells if not given.",
    },
)  # fmt: skip
@takes_run("stream", "no_prefect", "until", "json_progress", "as_json")
def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A manuscript (txt, md, html, epub, docx), or an exported JSON.")
    ],
    options: dict[str, Any],
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="The id that a book exported as JSON is to have here.")
    ] = None,
    more: More = None,
    encoding: Annotated[
        str, typer.Option(help="Of a text file, such as gb18030 or shift_jis; told if not given.")
    ] = "",
    pattern: Annotated[
        str, typer.Option("--chapter-pattern", metavar="REGEX", help="What a chapter's heading looks like.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what was found, and do nothing.")] = False,
    rest: Annotated[bool, typer.Option("--rest", help="Take it in and stop; `resume` looks at it.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Make another book of a file that was imported.")] = False,
    yes: Yes = False,
    *,
    run: RunOptions,
) -> None:
    """Make a book of a manuscript, or take in one with its tree, versions, journal and codex from its JSON."""
    is_json = _is_json(file)
    if run.json_progress and (is_json or dry_run or rest):
        raise InvalidInput("--json-progress tells how a run goes, and this import is none; --json gives its facts")
    if is_json:
        _take_in(file, name, run.as_json)
        return
    if name is not None:
        raise InvalidInput("--as names a book that was exported as JSON; a manuscript's is named after its title")
    run.check_one_voice()
    limits = _limits(run.until)
    reading = read_for_import(file, options, encoding, pattern, more)
    if dry_run:
        emit(lambda: _facts(reading), lambda: _print(reading), as_json=run.as_json)
    else:
        _import(file, reading, more, run, limits, again=again, rests=rest, yes=yes)


def _import(
    file: Path,
    reading: ManuscriptReading,
    more: int | None,
    run: RunOptions,
    limits: Limits,
    *,
    again: bool,
    rests: bool,
    yes: bool,
) -> None:
    """Make a book of what was read, have it looked at unless it is to rest, and go on with it as far as was asked."""
    settings = load_settings()
    starting.check_writable(reading.brief, settings)
    digest = digest_of(file)
    with library(settings) as database:
        if not again:
            check_new(file, digest, database)
        if not run.as_json and not run.json_progress:
            _print(reading)
        if not rests:
            _ask(reading, settings, more or 0, yes)
        book = bring_in(database, reading.found, reading.brief, digest, longest_piece(reading.brief, settings))
        opened = OpenBook(settings, BookStorage(database, book.id, book.brief.language), book)
        if more is not None:
            opened = lengthened(opened, more)
        if rests:
            _say_it_rests(opened, run.as_json)
            return
        note(f"{opened.book.id} is here; if this is interrupted, `bookwright resume {opened.book.id}` goes on")
        bring_to_its_end(opened, run, limits, ["md"])


def _limits(until: str | None) -> Limits:
    """Return where the run is to rest; that cannot be named by a title, since nothing of the book is there yet."""
    if until is not None and may_be_title(until):
        raise InvalidSetting(
            f"--until is {until!r}: the book is not there yet, so none of its titles is; name a chapter (chapter 9, "
            "or 9) or scene:12, or import with --rest and give the title to `bookwright resume`"
        )
    return Limits.parse(until, None)


def _take_in(file: Path, name: str | None, as_json: bool) -> None:
    with library(load_settings()) as database:
        book = import_book(file, database, name)
    told = f"{book} is here; `bookwright status {book}` shows it, `bookwright resume {book}` goes on with it"
    emit(lambda: {"book": book, "file": str(file)}, lambda: print_text(told), as_json=as_json)


def _is_json(file: Path) -> bool:
    if file.suffix.lower() == ".json":
        return True
    try:
        with file.open("rb") as opened:
            return opened.read(len(_HEAD)) == _HEAD
    except OSError:
        return False


def _ask(reading: ManuscriptReading, settings: Settings, more: int, yes: bool) -> None:
    """Show what looking at the manuscript takes, and ask."""
    from bookwright.app.estimates.existing_text import bill_of_import

    with at_work("rehearsing") as tell:
        bill = bill_of_import(reading.found, reading.brief, settings, more, tell)
    what = "Looking at it" + (f" and writing {more:,} {reading.brief.length_unit}" if more else "")
    note(f"{what} takes {bill}.")
    check_agreed("Import it?", "nothing was written; --yes imports without asking", yes=yes)


def _say_it_rests(opened: OpenBook, as_json: bool) -> None:
    book = opened.book
    facts = {"book": book.id, "title": book.title, "length": book.brief.length, "unit": book.brief.length_unit}
    told = f"{book.id} is here and rests; `bookwright resume {book.id}` has it looked at"
    emit(lambda: facts, lambda: print_text(told), as_json=as_json)


def _print(reading: ManuscriptReading) -> None:
    """Tell what a manuscript would become."""
    named = f" in {reading.source.encoding}" if reading.source.encoding else ""
    unit, brief, found = reading.brief.length_unit, reading.brief, reading.found
    print_text(
        f'"{brief.title}": {reading.source.format}{named}, {brief.language.english_name}, {brief.length:,} {unit}'
    )
    keys = ("number", "part", "heading", "length", "begins")
    rows = [[str(row[key]) for key in keys] for row in _shown(_facts(reading)["chapters"])]
    print_table(("", "part", "heading", unit, "begins"), rows, right=("", unit))
    parts = f" in {counted(len(found.parts), 'part')}" if found.parts else ""
    print_text(f"{counted(len(found.chapters), 'chapter')}{parts}")
    for line in (*reading.source.notes, *found.notes):
        note(f"note: {line}")


def _shown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(rows) <= _MOST_SHOWN:
        return rows
    note(f"note: {len(rows) - _MOST_SHOWN:,} chapters in the middle are not shown; `--dry-run --json` lists all")
    return [*rows[: _MOST_SHOWN - _LAST_SHOWN], *rows[-_LAST_SHOWN:]]


def _facts(reading: ManuscriptReading) -> dict[str, Any]:
    found, brief = reading.found, reading.brief
    return {
        "file": str(reading.file), "format": reading.source.format, "encoding": reading.source.encoding,
        "title": brief.title, "author": brief.pen_name, "language": brief.language.value, "unit": brief.length_unit,
        "length": brief.length, "has_headings": found.has_headings,
        "parts": [part.name for part in found.parts],
        "chapters": [chapter_row(number, chapter, found, brief) for number, chapter in enumerate(found.chapters, 1)],
        "notes": [*reading.source.notes, *found.notes],
    }  # fmt: skip
