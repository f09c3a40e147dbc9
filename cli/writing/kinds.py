"""`worldbuild` and `mystery`: a book of a kind, from a few words."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from bookwright.cli.option_groups import RunOptions, takes_brief, takes_run
from bookwright.cli.writing.blueprints import go_on_with
from bookwright.cli.writing.write import resume_book, write_brief
from bookwright.models.errors import InvalidInput

Prompt = Annotated[
    str | None, typer.Argument(metavar="[PROMPT]", help="What it is about, in your own words; not needed with --book.")
]
BookOption = Annotated[str | None, typer.Option("--book", metavar="BOOK", help="Go on with a book that is there.")]


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
