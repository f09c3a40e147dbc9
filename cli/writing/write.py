"""Writing a book here: `write`, `resume` and `pause`; from a few words a book of a kind: `worldbuild`, `mystery`.

`estimate`: what a book would take, found by rehearsing its whole walk with an author that is no model.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.agents.backends.windows import with_known
from bookwright.app.access import OpenBook, at_rest, library
from bookwright.app.changes.gates import facts_of
from bookwright.app.orders import starting
from bookwright.app.orders.brief_changes import update_brief
from bookwright.app.orders.briefs import read_brief
from bookwright.app.orders.examples import example_brief
from bookwright.app.status.books import ask_to_rest
from bookwright.app.status.progress import stage_of
from bookwright.cli.access import open_book, wait_until_free
from bookwright.cli.options import AsJson, BookArgument, BriefFile, Example, More, RunOptions, takes_brief, takes_run
from bookwright.cli.output import at_work, emit, note, print_json, print_table, print_text
from bookwright.cli.writing.blueprints import go_on_with, of_blueprint
from bookwright.exports.files import formats_in
from bookwright.flows.book_models import check_reach, model_of
from bookwright.flows.intake.continuation import go_on
from bookwright.flows.library import find_or_create, is_begun, setting_of
from bookwright.flows.stopping import Limits
from bookwright.models.book import BookState
from bookwright.models.brief import Brief
from bookwright.models.errors import BookPaused, GateWaiting, InvalidInput, InvalidSetting
from bookwright.models.settings import Settings, load_settings
from bookwright.models.wording import duration, money, tokens
from bookwright.storage.stores import BookStorage

if TYPE_CHECKING:
    from bookwright.app.estimates.rehearsal import BookEstimate, RoleEstimate
    from bookwright.cli.writing import running
    from bookwright.cli.writing.result import Result

Prompt = Annotated[
    str | None, typer.Argument(metavar="[PROMPT]", help="What it is about, in your own words; not needed with --book.")
]
BookOption = Annotated[str | None, typer.Option("--book", metavar="BOOK", help="Go on with a book that is there.")]

_BUILT_IN = "embedded:smollm2"
_LONGEST_SHOWN = 1_500
"""So much shows that the engine works, and takes minutes."""


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
        storage = BookStorage(database, book.id, book.brief.language)
        opened = OpenBook(settings, storage, book, book.stop_requested_at)
        wait_until_free(opened)
        book = update_brief(book, brief, storage, note)
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
        limits = Limits.parse(starting.end_in(opened.storage, run.until, grows=more is not None), run.words_today)
        starting.check_writable(opened.book.brief, opened.settings)
        if not opened.book.calls:
            check_reach(opened.book.brief, opened.settings)
        wait_until_free(opened)
        found = lengthened(opened, more) if more is not None else opened
        bring_to_its_end(found, run, limits, ["md"])


resume = takes_run(
    "until", "words_today", "stream", "no_prefect", "json_progress", "as_json", "known_wish"
)(resume_book)  # fmt: skip
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
        why = f"{asked.dead} has died" if asked.dead else "nobody writes it"
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

            emit(lambda: asdict(result), lambda: show_result(result), as_json=run.as_json)


def _result(opened: OpenBook, wishes: "running.Wishes", formats: list[str]) -> "Result":
    """Write a book unless it is finished, and export it."""
    from bookwright.cli.writing import running

    book = opened.book
    is_finished = book.state is BookState.FINISHED
    try:
        finished = book if is_finished else running.run(opened, wishes)
    except (BookPaused, typer.Exit) as stop:
        rest = stop.__cause__ if isinstance(stop, typer.Exit) else stop
        gate = rest.gate if isinstance(rest, GateWaiting) else None
        if wishes.run.as_json and isinstance(rest, BookPaused):
            from bookwright.cli.writing.ndjson import rest_of

            print_json({"book": book.id, **rest_of(rest), "gate": gate and facts_of(gate)})
        elif gate and gate.notice:
            note(gate.notice)
        raise
    from bookwright.cli.writing.result import Result  # brings all that a written book is judged by

    return Result.of(replace(opened, book=finished), formats, was_finished=is_finished)


@takes_brief(
    "premise", "length", "blueprint", "world", "language", "models", "profile", "max_planning_rounds", "candidates",
    "candidates_for", told={"language": "en, zh, ja or ko."},
)  # fmt: skip
def estimate(
    options: dict[str, Any],
    brief_file: BriefFile = None,
    book: Annotated[
        str | None, typer.Option("--book", metavar="BOOK", help="By the brief of a book that is there; options win.")
    ] = None,
    more: Annotated[
        int | None,
        typer.Option(
            "--more", min=1, help="With --book: what `resume BOOK --words N` would take, its new end with it."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rehearse a book without a model: nodes, calls, tokens and price, low and high. Nothing is kept or paid."""
    if "blueprint" in options:
        options |= of_blueprint(brief_file, options)
    if more is not None:
        found = _of_more(book, brief_file, options, more)
    else:
        brief = read_brief(brief_file, options) if book is None else _brief_of(book, brief_file, options)
        from bookwright.app.estimates.rehearsal import estimate_book  # brings the engine

        with at_work("rehearsing") as tell:
            found = estimate_book(brief, load_settings(), tell)
        warn_of_toy(brief, load_settings())
    emit(lambda: asdict(found), lambda: _show(found), as_json=as_json)


def _brief_of(book: str, file: Path | None, options: dict[str, Any]) -> Brief:
    """Return the brief of a book that is there, with what options say laid over it."""
    if file is not None:
        raise InvalidInput("estimate takes a file or --book, not both")
    with open_book(book) as opened:
        brief = opened.book.brief
    return brief.changed(**options)


def _of_more(book: str | None, file: Path | None, options: dict[str, Any], more: int) -> "BookEstimate":
    """Rehearse going on with a book that is written to its end."""
    if book is None:
        raise InvalidInput("--more is written behind a book that is there; name it with --book")
    if fixed := [name for name in ("premise", "length", "language", "blueprint") if options.get(name) is not None]:
        raise InvalidInput(f"with --more the {fixed[0]} is the book's own")
    brief = _brief_of(book, file, options)
    from bookwright.app.estimates.existing_text import estimate_more  # brings the engine

    with open_book(book) as opened, at_work("rehearsing") as tell:
        return estimate_more(opened.storage, brief, more, with_known(opened.book.windows, opened.settings), tell)


def _show(found: "BookEstimate") -> None:
    print_text(
        f"A rehearsal of {found.length:,} {found.unit} in the profile {found.profile}: the engine walked the book\n"
        "twice with a stand-in for each model, once with drafts that fit and a provider's cache that serves\n"
        "what was asked before (low), once with drafts that miss by 30 to 50 %, answers that are no result,\n"
        "thoughts where a model thinks, and no cache (high)."
    )
    if found.rehearsed < found.length * 3 // 4:
        print_text(f"It walked the first {found.rehearsed:,} {found.unit}; the rest is scaled from them.")
    print_text(f"\n{found.nodes:,} nodes, {found.units:,} of them units\n")
    columns = ("calls", "input", "output", "price")
    rows = [*((role.role, role.model, *_row(role)) for role in found.roles), ("all", "", *_row(found.total))]
    print_table(("role", "model", *columns), rows, right=columns, styles=[*("" for _ in found.roles), "bold"])
    low, high = found.seconds
    print_text(f"\nThe calls take {_span(duration(low), duration(high))}, one after another: roughly, by their tokens.")
    for line in found.short:
        print_text(f"Note: {line}.")


def _row(role: "RoleEstimate") -> tuple[str, ...]:
    low, high = role.low, role.high
    return (
        _span(f"{low.calls:,}", f"{high.calls:,}"),
        _span(tokens(low.input_tokens), tokens(high.input_tokens)),
        _span(tokens(low.output_tokens), tokens(high.output_tokens)),
        _span(money(low.cost_micros), money(high.cost_micros)),
    )


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} - {high}"


def warn_of_toy(brief: Brief, settings: Settings) -> None:
    """Say what is to be expected where the built-in model is to write a longer text."""
    if brief.length > _LONGEST_SHOWN and model_of("writer", brief, settings) == _BUILT_IN:
        note(
            f"{_BUILT_IN} is to write {brief.length:,} {brief.length_unit}: it shows that the engine works and does "
            "not write well. Name a model that does with --model, or as `model` in config.toml; `bookwright models` "
            "shows which can be reached"
        )
