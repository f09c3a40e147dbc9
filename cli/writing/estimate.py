"""`estimate`: what a book would take, found by rehearsing its whole walk with an author that is no model."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookwright.app.orders.briefs import read_brief
from bookwright.cli.access import open_book
from bookwright.cli.option_groups import takes_brief
from bookwright.cli.options import AsJson, BriefFile
from bookwright.cli.output import at_work, emit, make_console, note, plain_table, print_text
from bookwright.cli.writing.blueprints import of_blueprint
from bookwright.flows.book_models import kept_windows, model_of
from bookwright.models.brief import Brief
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings, load_settings
from bookwright.models.wording import duration, money, tokens

if TYPE_CHECKING:
    from bookwright.app.estimates.rehearsal import BookEstimate, RoleEstimate

_BUILT_IN = "embedded:smollm2"
_LONGEST_SHOWN = 1_500
"""So much shows that the engine works, and takes minutes."""


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
        return estimate_more(opened.storage, brief, more, kept_windows(opened.book, opened.settings), tell)


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
    table = plain_table("role", "model", *columns, right=columns)
    for role in found.roles:
        table.add_row(role.role, role.model, *_row(role))
    table.add_row("all", "", *_row(found.total), style="bold")
    make_console().print(table)
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
