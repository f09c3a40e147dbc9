"""What was found in a manuscript, as it is shown before anything is written."""

from typing import Any

from bookwright.app.manuscript_reading import ManuscriptReading, chapter_row
from bookwright.app.wording import counted
from bookwright.cli.output import emit, make_console, note, plain_table, print_text

_MOST_SHOWN, _LAST_SHOWN = 400, 20
"""Chapters in the table."""


def show(reading: ManuscriptReading, as_json: bool) -> None:
    """Tell what a manuscript would become: a table for people, or facts as JSON."""
    facts = _facts(reading)

    def tell() -> None:
        named = f" in {reading.source.encoding}" if reading.source.encoding else ""
        unit, brief, found = reading.brief.length_unit, reading.brief, reading.found
        print_text(
            f'"{brief.title}": {reading.source.format}{named}, {brief.language.english_name}, {brief.length:,} {unit}'
        )
        columns = ("", "part", "heading", unit, "begins")
        table = plain_table(*columns, right=("", unit))
        for row in _shown(facts["chapters"]):
            table.add_row(*(str(row[key]) for key in ("number", "part", "heading", "length", "begins")))
        make_console().print(table)
        parts = f" in {len(found.parts):,} part{'s' * (len(found.parts) > 1)}" if found.parts else ""
        print_text(f"{counted(len(found.chapters), 'chapter')}{parts}")
        for line in (*reading.source.notes, *found.notes):
            note(f"note: {line}")

    emit(lambda: facts, tell, as_json=as_json)


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
        "parts": [part.heading for part in found.parts],
        "chapters": [chapter_row(number, chapter, found, brief) for number, chapter in enumerate(found.chapters, 1)],
        "notes": [*reading.source.notes, *found.notes],
    }  # fmt: skip
