"""`import`: a book that was exported as JSON, or a manuscript that somebody wrote elsewhere."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bookwright.app.access import library
from bookwright.cli.brief_options import takes_brief
from bookwright.cli.options import AsJson, JsonProgress, More, NoPrefect, Stream, Until
from bookwright.cli.output import emit, print_text
from bookwright.cli.writing.write import check_one_voice
from bookwright.exports.json_file import import_book
from bookwright.flows.limits import Limits, may_be_title
from bookwright.models.errors import InvalidInput, InvalidSetting
from bookwright.models.settings import load_settings

_HEAD = b'{\n"format"'


@takes_brief(
    "language", "title", "premise", "models", "profile", "genre", "style", "audience", "ending", "pen_name",
    "budget_usd", "budget_tokens",
    told={
        "language": "en, zh, ja or ko; told by the text if not given.",
        "title": "As the text or its file is called if not given.",
        "premise": "What the book is about; the text tells if not given.",
    },
)  # fmt: skip
def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A manuscript (txt, md, epub, docx), or an exported JSON.")
    ],
    options: dict[str, Any],
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="The id that a book exported as JSON is to have here.")
    ] = None,
    more: More = None,
    encoding: Annotated[
        str, typer.Option(help="Of a text file, such as gb18030 or shift_jis; told if not given.")
    ] = "",
    pattern: Annotated[
        str, typer.Option("--chapter-pattern", metavar="REGEX", help="What a chapter's heading looks like.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what was found, and do nothing.")] = False,
    rest: Annotated[bool, typer.Option("--rest", help="Take it in and stop; `resume` looks at it.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Make another book of a file that was imported.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    stream: Stream = False,
    no_prefect: NoPrefect = False,
    until: Until = None,
    json_progress: JsonProgress = False,
    as_json: AsJson = False,
) -> None:
    """Make a book of a manuscript, or take in one with its tree, versions, journal and codex from its JSON."""
    is_json = _is_json(file)
    _check_run(json_progress, is_run=not (is_json or dry_run or rest))
    if is_json:
        _take_in(file, name, as_json)
        return
    _check_no_name(name)
    check_one_voice(json_progress, as_json)
    from bookwright.cli.writing.manuscripts import ImportWishes, import_manuscript  # only an import reads manuscripts

    wishes = ImportWishes(
        options, encoding, pattern, more, dry_run=dry_run, rests=rest, again=again, yes=yes,
        limits=_limits(until), streams=stream, uses_prefect=not no_prefect, json_progress=json_progress,
        as_json=as_json,
    )  # fmt: skip
    import_manuscript(file, wishes)


def _check_run(json_progress: bool, *, is_run: bool) -> None:
    if json_progress and not is_run:
        raise InvalidInput("--json-progress tells how a run goes, and this import is none; --json gives its facts")


def _limits(until: str | None) -> Limits:
    """Return where the run is to rest.

    Raises:
        InvalidSetting: It is named by a title: nothing of the book is there yet.
    """
    if until is not None and may_be_title(until):
        raise InvalidSetting(
            f"--until is {until!r}: the book is not there yet, so none of its titles is; name a chapter (chapter 9, "
            "or 9) or scene:12, or import with --rest and give the title to `bookwright resume`"
        )
    return Limits.parse(until, None)


def _check_no_name(name: str | None) -> None:
    if name is not None:
        raise InvalidInput("--as names a book that was exported as JSON; a manuscript's is named after its title")


def _take_in(file: Path, name: str | None, as_json: bool) -> None:
    with library(load_settings()) as database:
        book = import_book(file, database, name)
    emit(
        lambda: {"book": book, "file": str(file)},
        lambda: print_text(
            f"{book} is here; `bookwright status {book}` shows it, `bookwright resume {book}` goes on with it"
        ),
        as_json=as_json,
    )


def _is_json(file: Path) -> bool:
    if file.suffix.lower() == ".json":
        return True
    try:
        with file.open("rb") as opened:
            return opened.read(len(_HEAD)) == _HEAD
    except OSError:
        return False
