"""`reindex` and `prune`: upkeep of books that rest."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bookwright.app.access import existing_library
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import emit, make_console, note, print_json
from bookwright.flows import upkeep
from bookwright.models.errors import BookHeld, InvalidInput
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine.database import Database, database_file
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.retention import Freed, Keep, give_back

_MEGABYTE = 2**20


def reindex(book: BookArgument, as_json: AsJson = False) -> None:
    """Build a book's index anew, as after another embedding was chosen; what was embedded before is used again."""
    columns = (TextColumn("documents"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with open_book(book) as opened, Progress(*columns, console=make_console(stderr=True), transient=True) as bar:
        task = bar.add_task("documents", total=None)
        done = upkeep.reindex(
            opened.storage.database, opened.book, opened.settings,
            lambda count, total: bar.update(task, completed=count, total=total),
        )  # fmt: skip
    told = (
        f"{opened.book.id}: {done.passages:,} passages of {done.documents:,} documents, "
        f"{done.embedded:,} texts embedded by {done.model}, the others known"
    )
    emit(lambda: {"book": opened.book.id} | asdict(done), lambda: note(told), as_json=as_json)


def prune(
    book: Annotated[str | None, typer.Argument(metavar="[BOOK]", help="All books that rest, if not given.")] = None,
    days: Annotated[
        float | None, typer.Option("--prompts-older-than", min=0, metavar="DAYS", help="Keep what is younger.")
    ] = None,
    keep_last: Annotated[int | None, typer.Option(min=0, metavar="N", help="Keep those of the newest steps.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let go of the prompts of old steps; answers, bills, documents and all that a book needs to go on stay."""
    if days is None and keep_last is None:
        raise InvalidInput("say which prompts to keep: --prompts-older-than DAYS, --keep-last N, or both")
    keep = Keep(keep_last, days)
    settings = load_settings()
    with existing_library(settings) as database:
        if database is None:
            raise InvalidInput(f"no book was begun in {str(settings.home)!r}")
        before = _file_bytes(settings)
        freed, held = _prune(database, settings, book, keep)
        is_given_back = bool(sum(each.texts for each in freed)) and give_back(database, settings)
    after = _file_bytes(settings)
    if as_json:
        facts = {"books": [asdict(each) for each in freed], "held": held, "given_back": is_given_back}
        print_json(facts | {"file_bytes_before": before, "file_bytes_after": after})
    else:
        _tell(freed, held, before - after if is_given_back else 0)


def _prune(database: Database, settings: Settings, book: str | None, keep: Keep) -> tuple[list[Freed], list[str]]:
    """Return what was let go, and the books that are being written; one that was named must not be."""
    freed: list[Freed] = []
    held: list[str] = []
    with database.read() as connection:
        books = BookRepository(connection)
        chosen = [books.get(book)] if book else books.all(with_archived=True)
    for each in chosen:
        try:
            freed.append(upkeep.prune(database, each, settings, keep))
        except BookHeld:
            if book:
                raise
            held.append(each.id)
    return freed, held


def _tell(freed: list[Freed], held: list[str], given_back: int) -> None:
    for each in freed:
        note(
            f"{each.book}: {each.texts:,} texts of the prompts of {each.steps:,} steps are let go, "
            f"{each.bytes / _MEGABYTE:,.1f} MB"
        )
    for book in held:
        note(f"{book} is being written and was passed over")
    if given_back:
        note(f"the database is {given_back / _MEGABYTE:,.1f} MB smaller")
    elif any(each.texts for each in freed):
        note("the room stays with the database and is used by what is written next")


def _file_bytes(settings: Settings) -> int:
    """Size of the SQLite file; 0 for Postgres."""
    file = database_file(settings)
    return file.stat().st_size if file else 0
