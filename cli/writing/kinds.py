"""`worldbuild` and `mystery`: a book of a kind, from a few words."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from bookwright.cli.brief_options import takes_brief
from bookwright.cli.options import AsJson, Export, JsonProgress, New, NoPrefect, Stream, Until, WordsToday
from bookwright.cli.writing import write
from bookwright.cli.writing.blueprints import go_on_with
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
    def verb(
        options: dict[str, Any],
        prompt: Prompt = None,
        book: BookOption = None,
        is_new: New = False,
        stream: Stream = False,
        no_prefect: NoPrefect = False,
        export: Export = "md",
        until: Until = None,
        words_today: WordsToday = None,
        json_progress: JsonProgress = False,
        as_json: AsJson = False,
    ) -> None:
        if book is not None:
            model = options.get("models", {}).get("default")
            write.resume(
                go_on_with(book, kind, prompt, model), None, until, words_today, stream, no_prefect, json_progress,
                as_json,
            )  # fmt: skip
            return
        if prompt is None:
            raise InvalidInput(f'say what it is about: bookwright {kind} "...", or go on with --book BOOK')
        write.write_brief(
            options | {"premise": prompt, "blueprint": kind}, None, is_new, stream, no_prefect, export, until,
            words_today, json_progress, as_json,
        )  # fmt: skip

    verb.__doc__ = said
    return verb


worldbuild = _verb("worldbuild", "Build a world to set stories in: pages that refer to one another, and no prose.")
mystery = _verb(
    "mystery", "Write a fair-play mystery, planned from the crime outward.", "world", "candidates", "candidates_for"
)
