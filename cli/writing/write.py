"""Writing a book here: `write`, `resume` and `pause`."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookwright.app.access import at_rest, library
from bookwright.app.changes.deciding import facts_of
from bookwright.app.orders.brief_update import update_brief
from bookwright.app.orders.briefs import read_brief
from bookwright.app.orders.examples import example_brief
from bookwright.app.status.books import ask_to_rest, begin_anew
from bookwright.app.status.progress import stage_of
from bookwright.cli.access import open_book
from bookwright.cli.brief_options import takes_brief
from bookwright.cli.options import (
    AsJson,
    BookArgument,
    BriefFile,
    Example,
    Export,
    JsonProgress,
    More,
    New,
    NoPrefect,
    Stream,
    Until,
    WordsToday,
)
from bookwright.cli.output import emit, note, print_json
from bookwright.cli.writing.blueprints import of_blueprint
from bookwright.cli.writing.result import Result, show_result
from bookwright.cli.writing.toy import warn_of_toy
from bookwright.cli.writing.waiting import wait_until_free
from bookwright.exports.files import formats_in
from bookwright.flows.limits import Limits
from bookwright.models.book import Book, BookState
from bookwright.models.errors import GateWaiting, InvalidSetting
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.stores import BookStorage

if TYPE_CHECKING:
    from bookwright.cli.writing import running


def write_brief(
    options: dict[str, Any],
    brief_file: BriefFile = None,
    is_new: New = False,
    stream: Stream = False,
    no_prefect: NoPrefect = False,
    export: Export = "md",
    until: Until = None,
    words_today: WordsToday = None,
    json_progress: JsonProgress = False,
    as_json: AsJson = False,
    example: Example = None,
) -> None:
    """Write a book from a brief, or go on with it; a finished one is shown and not paid again."""
    brief_file = _chosen(brief_file, example)
    if "blueprint" in options:
        options |= of_blueprint(brief_file, options)
    check_one_voice(json_progress, as_json)
    settings = load_settings()
    brief = read_brief(brief_file, options)
    formats = formats_in(export)
    from bookwright.app import ends
    from bookwright.app.orders import checks
    from bookwright.cli.writing import running  # these bring the engine, which looking at a book does not need
    from bookwright.flows.blueprints.reach import check_reach
    from bookwright.flows.library import find_or_create, is_begun, setting_of

    limits = Limits.parse(ends.end_in_book_of(brief, until, settings, is_new=is_new), words_today)
    wishes = running.Wishes(limits, streams=stream, uses_prefect=not no_prefect, as_json=as_json)
    checks.check_writable(brief, settings)
    warn_of_toy(brief, settings)
    with library(settings) as database:
        brief, setting = setting_of(brief, database, settings, is_new=is_new)
        if is_new or not is_begun(database, brief):
            check_reach(brief, settings)
        book = find_or_create(database, brief, is_new=is_new, setting=setting)
        storage = BookStorage(database, book.id, book.brief.language)
        begin_anew(storage)
        wait_until_free(storage, settings)
        book = update_brief(book, brief, storage, note)
        bring_to_its_end(book, storage, settings, telling(wishes, book, storage, json_progress), formats)


write = takes_brief(
    "premise", "outline", "blueprint", "world", "length", "language", "title", "models", "profile", "genre", "style",
    "audience", "ending", "pen_name", "budget_usd", "budget_tokens", "max_planning_rounds", "seed", "candidates",
    "candidates_for", "gates",
)(write_brief)  # fmt: skip
"""The verb; `write_brief` takes the options of its brief together."""


def _chosen(file: Path | None, example: str | None) -> Path | None:
    """Return the file of a brief, or that of an example."""
    if file and example:
        raise InvalidSetting("write takes a file or --example, not both")
    return example_brief(example) if example else file


def resume(
    book: BookArgument,
    more: More = None,
    until: Until = None,
    words_today: WordsToday = None,
    stream: Stream = False,
    no_prefect: NoPrefect = False,
    json_progress: JsonProgress = False,
    as_json: AsJson = False,
) -> None:
    """Go on with a book from where it rests; with --words, behind the end of one that is written."""
    check_one_voice(json_progress, as_json)
    with open_book(book) as opened:
        begin_anew(opened.storage)
        from bookwright.app import ends
        from bookwright.app.orders import checks
        from bookwright.cli.writing import running
        from bookwright.flows.blueprints.reach import check_reach

        limits = Limits.parse(ends.end_in(opened.storage, until), words_today)
        wishes = running.Wishes(limits, streams=stream, uses_prefect=not no_prefect, as_json=as_json)
        checks.check_writable(opened.book.brief, opened.settings)
        if not opened.book.calls:
            check_reach(opened.book.brief, opened.settings)
        wait_until_free(opened.storage, opened.settings)
        found = lengthened(opened.book, more, opened.storage) if more is not None else opened.book
        wishes = telling(wishes, found, opened.storage, json_progress)
        bring_to_its_end(found, opened.storage, opened.settings, wishes, ["md"])


def pause(book: BookArgument, as_json: AsJson = False) -> None:
    """Ask a running book to rest before its next step."""
    with open_book(book) as opened:
        asked = ask_to_rest(opened)

    def tell() -> None:
        if asked.is_asked and asked.holder:
            note(f"{opened.book.id} will rest once the call in flight is recorded ({asked.holder} writes it)")
        else:
            why = f"{asked.holder} has died" if asked.has_died else "nobody writes it"
            starting = "; a run that is just beginning rests before its first call" if asked.is_asked else ""
            note(f"{opened.book.id} rests already; {why}{starting}")

    emit(
        lambda: {"book": opened.book.id, "stop_requested": asked.is_asked, "held_by": asked.holder},
        tell,
        as_json=as_json,
    )


def lengthened(book: Book, more: int, storage: BookStorage) -> Book:
    """Make a book so much longer than it is written; it rests until it is gone on with."""
    from bookwright.flows.intake.continuation import go_on

    with at_rest(storage) as stores:
        return go_on(stores, stores.books.get(book.id), more)


def bring_to_its_end(
    book: Book, storage: BookStorage, settings: Settings, wishes: "running.Wishes", formats: list[str]
) -> None:
    """Write a book unless it is finished, telling how it goes as was wished, and show what came of it."""
    with wishes.lines.pipeline(book) if wishes.lines else nullcontext():
        result = _result(book, storage, settings, wishes, formats)
        if wishes.lines:
            wishes.lines.finished(result)
        else:
            show_result(result, wishes.as_json)


def _result(
    book: Book, storage: BookStorage, settings: Settings, wishes: "running.Wishes", formats: list[str]
) -> Result:
    """Write a book unless it is finished, and export it."""
    from bookwright.cli.writing import running

    is_finished = book.state is BookState.FINISHED
    try:
        finished = book if is_finished else running.run(book, storage, settings, wishes)
    except GateWaiting as waiting:
        if wishes.as_json:
            print_json({"book": book.id, "state": BookState.WAITING.value, "gate": facts_of(waiting.gate)})
        elif waiting.gate.notice:
            note(waiting.gate.notice)
        raise
    return Result.of(finished, storage, settings, formats, was_finished=is_finished)


def check_one_voice(json_progress: bool, as_json: bool) -> None:
    """Make sure that only one thing is to be said on stdout.

    Raises:
        InvalidSetting: More than one is.
    """
    if json_progress and as_json:
        raise InvalidSetting("--json-progress has stdout for itself; leave out --json")


def telling(wishes: "running.Wishes", book: Book, storage: BookStorage, json_progress: bool) -> "running.Wishes":
    """Return the wishes with the lines that another program reads, if it wants them."""
    from bookwright.cli.writing.ndjson import ProgressLines

    if not json_progress:
        return wishes
    lines = ProgressLines(book.id, streams=wishes.streams, stage_of=partial(stage_of, storage))
    return replace(wishes, lines=lines)
