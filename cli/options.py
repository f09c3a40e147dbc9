"""Options and arguments that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from bookwright.models.profile import ProfileName

BookArgument = Annotated[str, typer.Argument(metavar="BOOK", help="A book's id, or a beginning of it.")]
NodeArgument = Annotated[str, typer.Argument(metavar="NODE", help="A node's label, such as 1.2.3.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print facts as JSON.")]
Until = Annotated[str | None, typer.Option(help="Rest after so many units of a level: chapter:3.")]
WordsToday = Annotated[
    int | None, typer.Option(help="Rest once so much was written in 24 hours (characters for zh, ja, ko).")
]
Stream = Annotated[bool, typer.Option("--stream", help="Print the prose as it comes.")]
NoPrefect = Annotated[bool, typer.Option("--no-prefect", help="Run as plain functions, without Prefect.")]
JsonProgress = Annotated[
    bool, typer.Option("--json-progress", help="Tell how it goes as JSON, an event a line, for other programs.")
]
EditFile = Annotated[
    Path | None, typer.Option("--edit", metavar="FILE.toml", help="Change all keys that a file names.")
]
BriefFile = Annotated[
    Path | None, typer.Argument(metavar="[BRIEF.toml]", help="The brief as TOML.", show_default=False)
]

# What a brief may say, as options.
Premise = Annotated[str | None, typer.Option(help="What the book is about.")]
OutlineFile = Annotated[
    Path | None,
    typer.Option("--outline", metavar="OUTLINE.md", help="Your own outline: its chapters are written, in its order."),
]
Length = Annotated[int | None, typer.Option("--words", "--length", help="Words, or characters for zh, ja and ko.")]
More = Annotated[
    int | None,
    typer.Option(
        "--words", "--more", help="Write so much more, behind the end of what is there (characters for zh, ja, ko)."
    ),
]
LanguageName = Annotated[str | None, typer.Option(help="en, zh, ja or ko; told by the premise if not given.")]
BlueprintOption = Annotated[
    str | None,
    typer.Option("--blueprint", metavar="NAME", help="What kind of book: a blueprint's name, name:variant, or folder."),
]
Title = Annotated[str | None, typer.Option(help="The book finds its own if none is given.")]
ModelOption = Annotated[str | None, typer.Option(help="provider:model, for every role.")]
ProfileOption = Annotated[ProfileName | None, typer.Option(help="How much the book thinks about itself.")]
Genre = Annotated[str | None, typer.Option(help="Such as mystery.")]
Style = Annotated[str | None, typer.Option(help="How it is to sound.")]
Audience = Annotated[str | None, typer.Option(help="Who is to read it.")]
Ending = Annotated[str | None, typer.Option(help="How it is to end.")]
PenName = Annotated[str | None, typer.Option(help="The author named on the cover.")]
BudgetUsd = Annotated[float | None, typer.Option(help="Cap in US dollars, over the whole book.")]
BudgetTokens = Annotated[int | None, typer.Option(help="Cap in tokens, prompt and output together.")]
GateOption = Annotated[
    list[str] | None,
    typer.Option("--gate", metavar="GATE", help="Rest for a decision: outline, book_design, volume_design, chapter."),
]
New = Annotated[bool, typer.Option("--new", help="Begin another book although this one is there.")]
Export = Annotated[str, typer.Option(help="Formats to export to at the end: md,txt,html,epub,docx,json.")]
Seed = Annotated[int | None, typer.Option(help="Another number makes another book of the same brief.")]
