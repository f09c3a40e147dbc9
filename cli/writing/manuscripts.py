"""Importing a manuscript: what was found in it, what looking at it takes, and then the book."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookwright.app.access import library
from bookwright.cli.output import agrees, at_work, note, print_json, print_text
from bookwright.cli.writing.manuscript_view import ManuscriptReading, show
from bookwright.cli.writing.write import bring_to_its_end, lengthened, telling
from bookwright.flows.limits import Limits
from bookwright.manuscripts.blocks import ManuscriptSource
from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.found import FoundBook
from bookwright.manuscripts.reading import digest_of, read_manuscript
from bookwright.models.book import Book
from bookwright.models.brief import MAX_LENGTH, MIN_LENGTH, make_brief
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings, load_settings
from bookwright.models.text.language import Language, script_shares
from bookwright.storage.engine.database import Database
from bookwright.storage.stores import BookStorage

if TYPE_CHECKING:
    from bookwright.app.estimates.import_bill import ImportBill

_SAMPLE = 20_000
"""Characters that tell a text's language."""
_MAINLY, _HARDLY = 0.5, 0.1
"""Of a text's letters, in the script of a language."""
_OPENING = 300
_BEGINS = {
    Language.EN: "A story that is written already and gone on with. It begins: {}",
    Language.ZH: "一部已经写成、还要接着写的作品。开头是：{}",
    Language.JA: "すでに書かれ、これから続きを書く作品。書き出し：{}",
    Language.KO: "이미 쓰였고 이어서 쓸 작품. 첫머리: {}",
}


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
    reading = _read(file, wishes)
    if wishes.dry_run:
        show(reading, wishes.as_json)
        return
    settings = load_settings()
    from bookwright.app import checks

    checks.check_writable(reading.brief, settings)
    digest = digest_of(file)
    with library(settings) as database:
        if not wishes.again:
            _check_new(file, digest, database)
        if not wishes.as_json and not wishes.json_progress:
            show(reading, as_json=False)
        _ask(reading, settings, wishes)
        book = _bring_in(reading, digest, settings, database)
        _go_on(book, database, settings, wishes)


def _read(file: Path, wishes: ImportWishes) -> ManuscriptReading:
    source = read_manuscript(file, wishes.encoding)
    language = _language(source, wishes.values.get("language"))
    found = recognise(source, language, wishes.pattern)
    length = sum(language.measure(paragraph) for chapter in found.chapters for paragraph in chapter.paragraphs)
    if wishes.more is not None and not 1 <= wishes.more <= MAX_LENGTH - length:
        raise InvalidInput(f"--words is {wishes.more:,}; a book has at most {MAX_LENGTH:,}, and {length:,} are there")
    if length < MIN_LENGTH:
        raise InvalidInput(f"{str(file)!r} holds {length:,} {language.length_unit}; a book has at least {MIN_LENGTH}")
    told = {
        "title": source.title[:200] or found.title or file.stem[:200],
        "pen_name": source.author[:120] or found.author,
        "premise": _premise(found, language),
    }
    brief = make_brief({**told, **wishes.values, "language": language.value, "length": length})
    return ManuscriptReading(file, source, found, brief)


def _language(source: ManuscriptSource, told: str | None) -> Language:
    shares = script_shares(_sample(source))
    best = max(shares, key=lambda language: shares[language])
    if told:
        return _as_told(told, shares, best)
    if shares[best] < _MAINLY:
        raise InvalidInput(f"its language cannot be told; name it with --language ({', '.join(Language)})")
    return best


def _as_told(told: str, shares: Mapping[Language, float], best: Language) -> Language:
    try:
        language = Language(told)
    except ValueError:
        raise InvalidInput(f"--language is {told!r}; it can be {', '.join(Language)}") from None
    if shares[language] < _HARDLY and shares[best] >= _MAINLY:
        raise InvalidInput(
            f"--language is {told!r}, and the text is {best.english_name}; leave the option out, or see --encoding"
        )
    return language


def _sample(source: ManuscriptSource) -> str:
    """Return enough of a text to tell its language, not from its beginning, where licences stand."""
    pieces, size = [], 0
    for block in source.blocks[len(source.blocks) // 3 :]:
        pieces.append(block.text)
        size += len(block.text)
        if size >= _SAMPLE:
            break
    return "\n".join(pieces)


def _premise(found: FoundBook, language: Language) -> str:
    text = " ".join(islice(found.chapters[0].paragraphs, 6))
    head = text if len(text) <= _OPENING else text[:_OPENING].rpartition(" " if language is Language.EN else "。")[0]
    return _BEGINS[language].format(head or text[:_OPENING])


def _check_new(file: Path, digest: str, database: Database) -> None:
    from bookwright.flows.intake.manuscript_import import find_imports

    known = find_imports(database, digest)
    if known:
        raise InvalidInput(
            f"{str(file)!r} was imported already, as {known[0].id}; `bookwright resume {known[0].id}` goes on with it, "
            "--again makes another book of it"
        )


def _ask(reading: ManuscriptReading, settings: Settings, wishes: ImportWishes) -> None:
    """Show what looking at the manuscript takes, and ask.

    Raises:
        InvalidInput: The answer is no; nothing was written.
    """
    if wishes.rests:
        return
    from bookwright.app.estimates.import_bill import bill_of_import

    with at_work("rehearsing") as tell:
        bill: ImportBill = bill_of_import(reading.found, reading.brief, settings, wishes.more or 0, tell)
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
    if as_json:
        print_json({"book": book.id, "title": book.title, "length": book.brief.length, "unit": book.brief.length_unit})
    else:
        print_text(f"{book.id} is here and rests; `bookwright resume {book.id}` has it looked at")
