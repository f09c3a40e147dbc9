"""`secrets`: what readers are not to know before its place."""

from typing import Annotated

import typer

from bookwright.cli.access import open_book
from bookwright.cli.changing import records
from bookwright.cli.changing.records import RecordArgument, facts_of
from bookwright.cli.options import AsJson, Assignments, BookArgument, takes
from bookwright.cli.output import emit, print_table
from bookwright.models.codex.entries import Importance, Secret
from bookwright.models.codex.merging import Keyed
from bookwright.models.codex.record import Record, RecordKind, Stored, neutral_names

app = typer.Typer(help="Keep what readers are not to know yet.", cls=records.ListsByDefault, no_args_is_help=True)
KIND = RecordKind.SECRET
_EXCERPT = 60

OPTIONS = {
    "visibility": Annotated[str | None, typer.Option(help="hidden, aware, know or use, or 0 to 3.")],
    "importance": Annotated[Importance | None, typer.Option(help="How much is lost if it is out too early.")],
    "forbidden_keywords": records.Forbidden,
    "allowed_expressions": records.Allowed,
    "related_entity": Annotated[
        str | None, typer.Option("--about", metavar="ENTRY", help="The codex entry that it is about.")
    ],
    "notes": Annotated[str | None, typer.Option(help="For yourself and the reviewer.")],
    "revealed_at": Annotated[
        str | None, typer.Option(metavar="PLACE", help="The chapter or node in which it comes out.")
    ],
    "happens_at": Annotated[
        str | None,
        typer.Option(metavar="TIME", help='When it happens in the story: "day 5", "12 March 1923", "chapter 4".'),
    ],
    "known_by": Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=TIME]", help="Who in the story knows it, and since when; may be repeated."),
    ],
}
"""Options by the keys of a secret."""


def _given(values: Keyed) -> Keyed:
    return values | {"known_by": [_knower(text) for text in values["known_by"] or ()]}


def _knower(text: str) -> Keyed:
    name, equals, since = text.partition("=")
    return {"name": name} | ({"since": since} if equals else {})


@app.command("list")
def list_secrets(book: BookArgument, as_json: AsJson = False) -> None:
    """List the secrets; by its number each can be named in `ask`, whatever its id."""
    with open_book(book) as opened, opened.storage.read() as stores:
        found = stores.codex.current(KIND)
    names = neutral_names(stored.record for stored in found if isinstance(stored.record, Secret))
    columns = ("no.", "id", "visibility", "importance", "revealed", "content", "version", "by")
    rows = [(names[stored.record.id].rpartition("-")[2], *_row(stored)) for stored in found]
    facts = list(map(facts_of, found))
    emit(lambda: facts, lambda: print_table(columns, rows, folds=("content",)), as_json=as_json)


@app.command()
@takes(OPTIONS, "given", _given)
def add(
    book: BookArgument,
    given: Keyed,
    content: Annotated[str | None, typer.Argument(metavar="[CONTENT]", help="What is secret.")] = None,
    identity: Annotated[str | None, typer.Option("--id", help="The next free number if none is given.")] = None,
    file: records.FromFile = None,
    as_json: AsJson = False,
) -> None:
    """Add a secret from options or from a file; a file may hold many, as [[secrets]] tables."""
    records.add_records(book, KIND, given | {"content": content, "id": identity}, file, as_json=as_json)


@app.command()
@takes(OPTIONS, "given", _given)
def edit(
    book: BookArgument,
    secret: RecordArgument,
    given: Keyed,
    content: Annotated[str | None, typer.Option(help="What is secret.")] = None,
    assignments: Assignments = None,
    file: records.FromFile = None,
    version: records.SeenVersion = None,
    as_json: AsJson = False,
) -> None:
    """Change a secret by options, a file, or in $EDITOR; lists are replaced, the rest stays as it is."""
    given |= {"content": content}
    records.edit_record(book, KIND, secret, given, assignments, file, version, as_json=as_json)


records.add_common_verbs(app, KIND)


def _row(stored: Stored[Record]) -> list[str]:
    secret = stored.record
    assert isinstance(secret, Secret)  # the register holds nothing else
    content = secret.content if len(secret.content) <= _EXCERPT else secret.content[:_EXCERPT] + " …"
    level = secret.visibility.name.lower()
    place = str(secret.revealed_at or "never")
    return [secret.id, level, secret.importance, place, content, str(stored.version), stored.origin]
