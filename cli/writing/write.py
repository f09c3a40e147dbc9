"""Writing a book here: `write`, `resume` and `pause`; from a few words a book of a kind: `worldbuild`, `mystery`."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.access import OpenBook, at_rest, library
from bookwright.app.changes.gates import facts_of
from bookwright.app.orders import starting
from bookwright.app.orders.brief_changes import update_brief
from bookwright.app.orders.briefs import read_brief
from bookwright.app.orders.examples import example_brief
from bookwright.app.status.books import ask_to_rest, begin_anew
from bookwright.app.status.progress import stage_of
from bookwright.cli.access import open_book, wait_until_free
from bookwright.cli.option_groups import RunOptions, takes_brief, takes_run
from bookwright.cli.options import AsJson, BookArgument, BriefFile, Example, More
from bookwright.cli.output import note, print_json
from bookwright.cli.writing.blueprints import go_on_with, of_blueprint
from bookwright.cli.writing.estimate import warn_of_toy
from bookwright.exports.files import formats_in
from bookwright.flows.book_models import check_reach
from bookwright.flows.intake.continuation import go_on
from bookwright.flows.library import find_or_create, is_begun, setting_of
from bookwright.flows.stopping import Limits
from bookwright.models.book import BookState
from bookwright.models.errors import GateWaiting, InvalidInput, InvalidSetting
from bookwright.models.settings import load_settings
from bookwright.storage.stores import BookStorage

if TYPE_CHECKING:
    from bookwright.cli.writing import running
    from bookwright.cli.writing.result import Result

Prompt = Annotated[
    str | None, typer.Argument(metavar="[PROMPT]", help="What it is about, in your own words; not needed with --book.")
]
BookOption = Annotated[str | None, typer.Option("--book", metavar="BOOK", help="Go on with a book that is there.")]


def write_brief(
    options: dict[str, Any], brief_file: BriefFile = None, *, run: RunOptions, example: Example = None
) -> None:
    """Write a book from a brief, or go on with it; a finished one is shown and not paid again."""
    if brief_file and example:
        raise InvalidSetting("write takes a file or --example, not both")
    brief_file = example_brief(example) if example else brief_file
    if "blueprint" in options:
        options |= of_blueprint(brief_file, options)
    run.check_one_voice()
    settings = load_settings()
    brief = read_brief(brief_file, options)
    formats = formats_in(run.export)
    limits = Limits.parse(starting.end_in_book_of(brief, run.until, settings, is_new=run.is_new), run.words_today)
    starting.check_writable(brief, settings)
    warn_of_toy(brief, settings)
    with library(settings) as database:
        brief, setting = setting_of(brief, database, settings, is_new=run.is_new)
        if run.is_new or not is_begun(database, brief):
            check_reach(brief, settings)
        book = find_or_create(database, brief, is_new=run.is_new, setting=setting)
        opened = OpenBook(settings, BookStorage(database, book.id, book.brief.language), book)
        begin_anew(database, book.id)
        wait_until_free(opened)
        book = update_brief(book, brief, opened.storage, note)
        bring_to_its_end(replace(opened, book=book), run, limits, formats)


write = takes_brief(
    "premise", "outline", "blueprint", "world", "length", "language", "title", "models", "profile", "genre", "style",
    "audience", "ending", "pen_name", "budget_usd", "budget_tokens", "max_planning_rounds", "seed", "candidates",
    "candidates_for", "gates",
)(takes_run()(write_brief))  # fmt: skip
"""The verb; `write_brief` takes the options of its brief and of its run together."""


def resume_book(book: BookArgument, more: More = None, *, run: RunOptions) -> None:
    """Go on with a book from where it rests; with --words, behind the end of one that is written."""
    run.check_one_voice()
    with open_book(book) as opened:
        begin_anew(opened.storage.database, opened.book.id)
        limits = Limits.parse(starting.end_in(opened.storage, run.until, grows=more is not None), run.words_today)
        starting.check_writable(opened.book.brief, opened.settings)
        if not opened.book.calls:
            check_reach(opened.book.brief, opened.settings)
        wait_until_free(opened)
        found = lengthened(opened, more) if more is not None else opened
        bring_to_its_end(found, run, limits, ["md"])


resume = takes_run("until", "words_today", "stream", "no_prefect", "json_progress", "as_json")(resume_book)
"""The verb; `resume_book` takes the options of its run together."""


def _verb(kind: str, said: str, *more: str) -> Callable[..., None]:
    """The verb of a kind; `more` are options of its brief that not every kind has."""

    @takes_brief(
        *more, "length", "language", "title", "models", "profile", "genre", "style", "audience", "pen_name",
        "budget_usd", "budget_tokens", "seed", "gates",
    )  # fmt: skip
    @takes_run()
    def verb(options: dict[str, Any], prompt: Prompt = None, book: BookOption = None, *, run: RunOptions) -> None:
        if book is not None:
            model = options.get("models", {}).get("default")
            resume_book(go_on_with(book, kind, prompt, model), None, run=run)
            return
        if prompt is None:
            raise InvalidInput(f'say what it is about: bookwright {kind} "...", or go on with --book BOOK')
        write_brief(options | {"premise": prompt, "blueprint": kind}, None, run=run)

    verb.__doc__ = said
    return verb


worldbuild = _verb("worldbuild", "Build a world to set stories in: pages that refer to one another, and no prose.")
mystery = _verb(
    "mystery", "Write a fair-play mystery, planned from the crime outward.", "world", "candidates", "candidates_for"
)


def pause(book: BookArgument, as_json: AsJson = False) -> None:
    """Ask a running book to rest before its next step."""
    with open_book(book) as opened:
        asked = ask_to_rest(opened)
    if as_json:
        print_json({"book": opened.book.id, "stop_requested": asked.is_asked, "held_by": asked.holder})
    elif asked.is_asked and asked.holder:
        note(f"{opened.book.id} will rest once the call in flight is recorded ({asked.holder} writes it)")
    else:
        why = f"{asked.holder} has died" if asked.has_died else "nobody writes it"
        waiting = "; a run that waits for a worker or is just beginning rests at once" if asked.is_asked else ""
        note(f"{opened.book.id} rests already; {why}{waiting}")


def lengthened(opened: OpenBook, more: int) -> OpenBook:
    """Make a book so much longer than it is written; it rests until it is gone on with."""
    with at_rest(opened.storage) as stores:
        return replace(opened, book=go_on(stores, stores.books.get(opened.book.id), more))


def bring_to_its_end(opened: OpenBook, run: RunOptions, limits: Limits, formats: list[str]) -> None:
    """Write a book unless it is finished, telling how it goes as was wished, and show what came of it."""
    from bookwright.cli.writing import running

    lines = None
    if run.json_progress:
        from bookwright.cli.writing.ndjson import ProgressLines

        lines = ProgressLines(opened.book.id, streams=run.stream, stage_of=partial(stage_of, opened.storage))
    with lines.pipeline(opened.book) if lines else nullcontext():
        result = _result(opened, running.Wishes(limits, run, lines), formats)
        if lines:
            lines.finished(result)
        else:
            from bookwright.cli.writing.result import show_result

            show_result(result, run.as_json)


def _result(opened: OpenBook, wishes: "running.Wishes", formats: list[str]) -> "Result":
    """Write a book unless it is finished, and export it."""
    from bookwright.cli.writing import running

    book = opened.book
    is_finished = book.state is BookState.FINISHED
    try:
        finished = book if is_finished else running.run(opened, wishes)
    except GateWaiting as waiting:
        if wishes.run.as_json:
            print_json({"book": book.id, "state": BookState.WAITING.value, "gate": facts_of(waiting.gate)})
        elif waiting.gate.notice:
            note(waiting.gate.notice)
        raise
    from bookwright.cli.writing.result import Result  # brings all that a written book is judged by

    return Result.of(replace(opened, book=finished), formats, was_finished=is_finished)
