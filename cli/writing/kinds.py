"""`worldbuild` and `mystery`: a book of a kind, from a few words."""

from collections.abc import Callable
from typing import Annotated

import typer

from bookwright.cli.options import (
    AsJson,
    Audience,
    BudgetTokens,
    BudgetUsd,
    Export,
    GateOption,
    Genre,
    JsonProgress,
    LanguageName,
    Length,
    ModelOption,
    New,
    NoPrefect,
    PenName,
    ProfileOption,
    Seed,
    Stream,
    Style,
    Title,
    Until,
    WordsToday,
)
from bookwright.cli.writing import write
from bookwright.cli.writing.blueprints import go_on_with
from bookwright.models.errors import InvalidInput

Prompt = Annotated[
    str | None, typer.Argument(metavar="[PROMPT]", help="What it is about, in your own words; not needed with --book.")
]
BookOption = Annotated[str | None, typer.Option("--book", metavar="BOOK", help="Go on with a book that is there.")]


def _verb(kind: str, said: str) -> Callable[..., None]:
    def verb(
        prompt: Prompt = None,
        book: BookOption = None,
        length: Length = None,
        language: LanguageName = None,
        title: Title = None,
        model: ModelOption = None,
        profile: ProfileOption = None,
        genre: Genre = None,
        style: Style = None,
        audience: Audience = None,
        pen_name: PenName = None,
        budget_usd: BudgetUsd = None,
        budget_tokens: BudgetTokens = None,
        seed: Seed = None,
        gate: GateOption = None,
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
            write.resume(
                go_on_with(book, kind, prompt, model), None, until, words_today, stream, no_prefect, json_progress,
                as_json,
            )  # fmt: skip
            return
        if prompt is None:
            raise InvalidInput(f'say what it is about: bookwright {kind} "...", or go on with --book BOOK')
        write.write(
            premise=prompt, blueprint=kind, length=length, language=language, title=title, model=model,
            profile=profile, genre=genre, style=style, audience=audience, pen_name=pen_name, budget_usd=budget_usd,
            budget_tokens=budget_tokens, seed=seed, gate=gate, is_new=is_new, stream=stream, no_prefect=no_prefect,
            export=export, until=until, words_today=words_today, json_progress=json_progress, as_json=as_json,
        )  # fmt: skip

    verb.__doc__ = said
    return verb


worldbuild = _verb("worldbuild", "Build a world to set stories in: pages that refer to one another, and no prose.")
mystery = _verb("mystery", "Write a fair-play mystery, planned from the crime outward.")
