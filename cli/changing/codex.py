"""`codex`: the characters and the world of a book, as the author keeps them."""

from collections.abc import Iterable
from typing import Annotated

import typer

from bookwright.agents.relay.threads.instructions import ForeshadowAction
from bookwright.app.records.codex_view import CodexView, look
from bookwright.app.records.edits import Change, unite
from bookwright.cli.access import open_book
from bookwright.cli.changing import records
from bookwright.cli.changing.records import RecordArgument, facts_of
from bookwright.cli.options import AsJson, Assignments, BookArgument, NodeArgument, takes
from bookwright.cli.output import emit, note, print_json, print_table, print_text
from bookwright.models.codex.entries import CodexEntry, EntryKind, slug
from bookwright.models.codex.merging import Keyed, section_key
from bookwright.models.codex.record import Record, RecordKind, Stored
from bookwright.models.errors import InvalidEntry
from bookwright.models.story_time.times import asked_time

app = typer.Typer(help="Keep the characters and the world of a book.", cls=records.ListsByDefault, no_args_is_help=True)
KIND = RecordKind.ENTRY

Kind = Annotated[EntryKind | None, typer.Option(help="character or world.")]
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="As `suggestions` lists it.")]
StoryNow = Annotated[
    str | None,
    typer.Option(metavar="TIME", help='Look as if the unit were set then: "day 3", a date, or the order of a time.'),
]

OPTIONS = {
    "kind": Kind,
    "alias": Annotated[list[str] | None, typer.Option(help="Another name; may be repeated.")],
    "add_phase": Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=PLACE]", help="A stretch of its life, and where it begins; repeatable."),
    ],
    "section": Annotated[list[str] | None, typer.Option(metavar="NAME=TEXT", help="One aspect; may be repeated.")],
    "visibility": Annotated[str | None, typer.Option(help="Of those sections: hidden, aware, know or use, or 0 to 3.")],
    "known_from": Annotated[
        str | None, typer.Option(metavar="PLACE", help="Readers may know those sections from this chapter or node on.")
    ],
    "happens_at": Annotated[
        str | None, typer.Option(metavar="TIME", help="When those sections happen in the story, such as day 3.")
    ],
    "phase": Annotated[str | None, typer.Option(help="The phase that those sections tell of.")],
}

_OF_SECTIONS = ("visibility", "known_from", "phase", "happens_at")
"""Options that say something of the sections that are given beside them."""


def _given(values: Keyed) -> Keyed:
    """Return what options say of an entry, by its keys."""
    return {
        "kind": values["kind"] and values["kind"].value,
        "aliases": values["alias"] or [],
        "phases": _phases(values["add_phase"] or []),
        "sections": _sections(values["section"] or [], {name: values[name] for name in _OF_SECTIONS}),
    }


def _sections(texts: list[str], common: Keyed) -> list[Keyed]:
    """The sections that options describe; what goes with them goes with all of them."""
    shared = {key: value for key, value in common.items() if value is not None}
    if shared and not texts:
        raise InvalidEntry(f"--{next(iter(shared)).replace('_', '-')} goes with a --section NAME=TEXT")
    return [dict(zip(("name", "text"), _pair(text), strict=True)) | shared for text in texts]


def _phases(texts: list[str]) -> list[Keyed]:
    pairs = [text.partition("=") for text in texts]
    return [{"name": name} | ({"begins": place} if place else {}) for name, _, place in pairs]


def _pair(text: str) -> tuple[str, str]:
    name, equals, body = text.partition("=")
    if not equals or not name.strip():
        raise InvalidEntry(f'--section takes NAME=TEXT, such as past="She grew up at sea.", not {text!r}')
    return name.strip(), body


@app.command("list")
def list_entries(book: BookArgument, kind: Kind = None, as_json: AsJson = False) -> None:
    """List the entries in the order in which they came."""
    with open_book(book) as opened, opened.storage.read() as stores:
        found = stores.codex.current(KIND)
        waiting = [wish.slug for wish in stores.codex.suggestions.waiting(KIND)]
    kept = [stored for stored in found if kind in (None, _entry(stored.record).kind)]
    facts = [facts_of(stored) | {"suggestions": waiting.count(stored.record.id)} for stored in kept]
    columns = ("id", "kind", "name", "also", "sections", "version", "by")
    rows = [_row(stored, waiting.count(stored.record.id)) for stored in kept]
    emit(lambda: facts, lambda: print_table(columns, rows, right=("version",), folds=("sections",)), as_json=as_json)


@app.command()
@takes(OPTIONS, "given", _given)
def add(
    book: BookArgument,
    given: Keyed,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="What it is called.")] = None,
    identity: Annotated[str | None, typer.Option("--id", help="Made of the name if none is given.")] = None,
    file: records.FromFile = None,
    as_json: AsJson = False,
) -> None:
    """Add an entry from options or from a file; a file may hold many, as [[codex]] tables."""
    given |= {"name": name, "id": identity or (slug(name) if name else None)}
    if not file:
        given["kind"] = given["kind"] or EntryKind.CHARACTER.value
    records.add_records(book, KIND, given, file, as_json=as_json)


@app.command()
@takes(OPTIONS, "given", _given)
def edit(
    book: BookArgument,
    entry: RecordArgument,
    given: Keyed,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    drop_section: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Take a section out; may be repeated.")
    ] = None,
    assignments: Assignments = None,
    file: records.FromFile = None,
    version: records.SeenVersion = None,
    as_json: AsJson = False,
) -> None:
    """Change an entry by options, a file, or in $EDITOR; what is not named stays as it is."""
    aliases = given.pop("aliases")
    how = _changing(aliases, drop_section or []) if aliases or drop_section else None
    given |= {"name": name}
    records.edit_record(book, KIND, entry, given, assignments, file, version, as_json=as_json, how=how)


records.add_common_verbs(app, KIND)


@app.command()
def merge(
    book: BookArgument,
    entry: Annotated[str, typer.Argument(metavar="ID", help="The one that stays; its name stays, too.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The one that goes into it.")],
    as_json: AsJson = False,
) -> None:
    """Put two entries together that mean one: names, phases and sections of both, nothing lost."""
    with open_book(book) as opened:
        stands, removed, *others = unite(opened, entry, other)
        if as_json:
            renamed = [stored.record.id for stored in others]
            print_json({"stands": facts_of(stands), "removed": removed.record.id, "renamed_in": renamed})
        else:
            records.print_standing([stands, *others])
            note(
                f"{removed.record.id} is taken out; `bookwright codex restore {opened.book.id} {stands.record.id} "
                f"{stands.version - 1}` and then `... {removed.record.id} {removed.version - 1}` undo it"
            )
        records.tell_stale(opened)


@app.command()
def seen(book: BookArgument, node: NodeArgument, story_now: StoryNow = None, as_json: AsJson = False) -> None:
    """Show what the writer of a unit may know by the rules, and what is kept from them."""
    with open_book(book) as opened, opened.storage.read() as stores:
        found = look(stores, opened.book.brief, node, asked_time(story_now) if story_now else None)
    emit(lambda: found.facts(), lambda: _print_view(found), as_json=as_json)


@app.command()
def suggestions(book: BookArgument, as_json: AsJson = False) -> None:
    """List what extractions would change of what an author said, in all three registers."""
    with open_book(book) as opened, opened.storage.read() as stores:
        waiting = [wish for kind in RecordKind for wish in stores.codex.suggestions.waiting(kind)]
    if as_json:
        print_json([wish.model_dump(mode="json", exclude={"status"}) for wish in waiting])
        return
    if not waiting:
        note("no suggestion waits")
    for wish in waiting:
        print_text(f"{wish.id:>5}  {wish.kind.noun} {wish.slug}: {records.wanted_change(wish)}")


@app.command()
def take(book: BookArgument, number: Number, as_json: AsJson = False) -> None:
    """Take a suggestion: it becomes the author's own next version."""
    records.settle_suggestion(book, number, is_taken=True, as_json=as_json)


@app.command()
def drop(book: BookArgument, number: Number, as_json: AsJson = False) -> None:
    """Drop a suggestion; the same one is not made again."""
    records.settle_suggestion(book, number, is_taken=False, as_json=as_json)


def _changing(aliases: list[str], dropped: list[str]) -> Change:
    """A change that adds aliases and takes sections out."""

    def change(record: Record) -> Record:
        entry = _entry(record)
        gone = {section_key({"name": name}) for name in dropped}
        kept = tuple(section for section in entry.sections if section_key({"name": section.name}) not in gone)
        if dropped and len(kept) == len(entry.sections):
            raise InvalidEntry(f"{entry.id!r} has no section {dropped[0]!r}")
        return entry.model_copy(update={"aliases": (*entry.aliases, *aliases), "sections": kept})

    return change


def _entry(record: Record) -> CodexEntry:
    assert isinstance(record, CodexEntry)  # the register holds nothing else
    return record


def _row(stored: Stored[Record], waiting: int) -> list[str]:
    entry = _entry(stored.record)
    sections = "; ".join(f"{section.name} ({section.visibility.name.lower()})" for section in entry.sections)
    by = f"{stored.origin}" + (f", {waiting} suggested" if waiting else "")
    return [entry.id, entry.kind, entry.name, ", ".join(entry.aliases), sections, str(stored.version), by]


def _print_view(view: CodexView) -> None:
    """Print what the writer gets, then what only the reviewer does."""
    print_text(f"{view.scene}, {view.phase} of the book" if view.phase else view.scene)
    for entry in view.codex.entries:
        print_text(f"{entry.kind} {entry.name}" + (f" ({entry.phase})" if entry.phase else ""))
        for section in entry.sections:
            print_text(f"  {section.name}{' (before)' if section.is_history else ''}: {section.text}")
    _group("to come out here", [reveal.content for reveal in view.reveals])
    _group("told by now", [fact.text for fact in view.codex.facts])
    _group("only to hint at", [f"{known.id}: {known.content} ({known.band.name})" for known in view.codex.restricted])
    _group("something is left out of", [notice.about or notice.source for notice in view.codex.notices])
    orders = [order for order in view.instructions if order.action is not ForeshadowAction.NONE]
    _group("to be done", [f"{own.action} {own.foreshadowing_id}: {own.payoff or own.note}" for own in orders])
    _group("not to be written", view.keywords.shown)
    _group("kept from the writer", view.codex.excluded_sections)
    _group("not there yet", view.missing)
    _group("looked for by the reviewer", view.keywords.all)


def _group(title: str, lines: Iterable[str]) -> None:
    if lines:
        print_text(f"{title}:")
        for line in lines:
            print_text(f"  {line}")
