"""Options and arguments that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

BookArgument = Annotated[str, typer.Argument(metavar="BOOK", help="A book's id, or a beginning of it.")]
NodeArgument = Annotated[
    str, typer.Argument(metavar="NODE", help="A chapter (chapter 9, or 9), a label (1.16) or a title.")
]
OptionalNode = Annotated[
    str | None,
    typer.Argument(metavar="[NODE]", help="A chapter (chapter 9, or 9), a label (1.16) or a title; all if not given."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print facts as JSON.")]
Until = Annotated[
    str | None, typer.Option(help="Rest after a chapter, or so many units of a level: 3, chapter 3, scene:12.")
]
WordsToday = Annotated[
    int | None, typer.Option(help="Rest once so much was written in 24 hours (characters for zh, ja, ko).")
]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one key; may be repeated.")
]
EditFile = Annotated[
    Path | None, typer.Option("--edit", metavar="FILE.toml", help="Change all keys that a file names.")
]
BriefFile = Annotated[
    Path | None, typer.Argument(metavar="[BRIEF.toml]", help="The brief as TOML.", show_default=False)
]

More = Annotated[
    int | None,
    typer.Option(
        "--words", "--more", help="Write so much more, behind the end of what is there (characters for zh, ja, ko)."
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Output = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="A file, or a folder: one that is there, ends in / or has no ending. `exports` of the data folder if not "
        "given.",
    ),
]
Example = Annotated[
    str | None, typer.Option("--example", metavar="NAME", help="Take the brief of an example, such as lighthouse.")
]
