"""What `codex`, `secrets` and `foreshadowing` have in common: show, change, history, files, and how records look."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bookwright.app.access import OpenBook, at_rest
from bookwright.app.node_lookup import with_places
from bookwright.app.orders.briefs import parse_assignment, update_nested
from bookwright.app.records import edits as record_edits
from bookwright.app.records import files as record_files
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument, Verb, takes
from bookwright.cli.output import emit, note, print_json, print_text
from bookwright.exports.record_toml import as_toml
from bookwright.flows.revision.edits import take_or_drop
from bookwright.flows.revision.revise import void_unfinished
from bookwright.models.brief import toml_values
from bookwright.models.codex.merging import Keyed
from bookwright.models.codex.record import Origin, Record, RecordKind, Stored, Suggestion, make_record
from bookwright.models.errors import InvalidEntry, InvalidInput
from bookwright.models.text.diff import changed_lines
from bookwright.models.wording import counted, moment, stale_count

RecordArgument = Annotated[str, typer.Argument(metavar="ID", help="Its id, a name or a title.")]
FromFile = Annotated[
    Path | None, typer.Option("--file", metavar="FILE.toml", help="Take it from a TOML file; options win.")
]
Forbidden = Annotated[list[str] | None, typer.Option("--forbid", metavar="WORD", help="A word that would tell it.")]
Allowed = Annotated[list[str] | None, typer.Option("--allow", metavar="WORDS", help="Words that may hint at it.")]
SeenVersion = Annotated[
    int | None, typer.Option("--version", min=1, help="Change it only if it still stands at this version.")
]


class ListsByDefault(TyperGroup):
    """A group whose first word may be a book: `secrets BOOK` is `secrets list BOOK`."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:
        """Put `list` in front of what is no verb of the group and no option."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["list", *args]
        return super().parse_args(context, args)


def facts_of(stored: Stored[Record]) -> dict[str, Any]:
    """Return a record's current version for `--json`."""
    return stored.record.model_dump(mode="json") | {"version": stored.version, "origin": stored.origin.value}


def add_common_verbs(app: typer.Typer, kind: RecordKind) -> None:
    """Give a register's group the verbs that all three have."""
    table = f"[[{record_files.TABLES[kind]}]]"
    verbs: dict[str, tuple[Verb, str]] = {
        "show": (_show, "Show one as TOML, with what an extraction would change of it."),
        "history": (_history, "Show every version of one with what it changed."),
        "remove": (_remove, "Take one out; its history stays."),
        "restore": (_restore, "Take an earlier version up again, also of one that was taken out."),
        "import": (_import, f"Take in the {table} tables of a file, all or none; known ids are changed."),
        "export": (_export, f"Write all of them as {table} tables, to a file if one is named."),
    }
    for name, (verb, told) in verbs.items():
        app.command(name, help=told)(takes({}, "kind", lambda _: kind)(verb))


def add_records(book: str, kind: RecordKind, given: Keyed, file: Path | None, *, as_json: bool) -> None:
    """Add the record that options describe, or those of a file with the options laid over a single one."""
    given = _with_assignments(given, [])
    tables = record_files.tables_in(file, kind) if file else [{}]
    if given and len(tables) > 1:
        raise InvalidInput("options can only be laid over a file that holds one; leave them out")
    with open_book(book) as opened:
        with opened.storage.read() as stores:
            update_nested(tables[0], with_places(given, stores))
        _tell(opened, record_edits.add(opened, kind, tables), as_json=as_json, what="added")


def edit_record(
    book: str, kind: RecordKind, name: str, given: Keyed, assignments: list[str] | None, file: Path | None,
    version: int | None, *, as_json: bool, how: record_edits.Change | None = None,
) -> None:  # fmt: skip
    """Lay a file and then options over a record, or open it in the author's editor if neither is given."""
    laid: Keyed = {}
    if file is not None:
        tables = record_files.tables_in(file, kind)
        if len(tables) > 1:
            raise InvalidInput("a file that changes one record holds one; `import` takes in many")
        laid = {key: value for key, value in tables[0].items() if key != "id"}
    changes = _with_assignments(given, assignments or [])
    with open_book(book) as opened:
        with opened.storage.read() as stores:
            update_nested(laid, with_places(changes, stores))
        if not laid and how is None:
            stored = _edited_by_hand(opened, kind, name)
        else:
            first = how or (lambda record: record)
            stored = record_edits.change(
                opened, kind, name, lambda record: record_edits.changed_record(first(record), laid), version
            )
        _tell(opened, [stored], as_json=as_json)


def settle_suggestion(book: str, number: int, *, is_taken: bool, as_json: bool) -> None:
    """Take or drop what an extraction suggests."""
    with open_book(book) as opened:
        with at_rest(opened.storage) as stores:
            stored = take_or_drop(stores, number, is_taken=is_taken)
        _tell(opened, [stored], as_json=as_json)


def wanted_change(wish: Suggestion) -> str:
    """Return what an extraction would change, and what stands there."""
    return f"{wish.path} = {wish.wanted!r} (it is {wish.present!r})"


def print_standing(records: list[Stored[Record]], what: str = "stands") -> None:
    """Say how records stand now."""
    for stored in records:
        note(f"{stored.record.id} " + ("is taken out" if stored.is_removed else f"{what} at version {stored.version}"))


def tell_stale(opened: OpenBook) -> None:
    """Say what of the book was made under another codex."""
    from bookwright.flows.revision.staleness import Staleness  # brings the engine

    looking = Staleness(opened.book.brief)
    with opened.storage.read() as stores:
        stale, told = len(looking.direct(stores)), len(looking.giveaways(stores))
    parts = [
        stale_count(stale) if stale else "",
        f"{counted(told, 'finished chapter')} tell{'s' * (told == 1)} it already" if told else "",
    ]
    if any(parts):
        them = "it" if stale + told == 1 else "them"
        note(f"{' and '.join(filter(None, parts))}; `bookwright stale {opened.book.id}` lists {them}")


def _show(book: BookArgument, kind: RecordKind, record: RecordArgument, as_json: AsJson = False) -> None:
    with open_book(book) as opened, opened.storage.read() as stores:
        stored = stores.codex.get(kind, record)
        wishes = stores.codex.suggestions.waiting(kind, stored.record.id)
    if as_json:
        origins = {path: origin.value for path, origin in stored.origins.items()}
        told = [wish.model_dump(mode="json", exclude={"kind", "slug", "status"}) for wish in wishes]
        print_json(facts_of(stored) | {"origins": origins, "suggestions": told})
        return
    print_text(f"# version {stored.version}, by {stored.origin}, {moment(stored.recorded_at)}")
    print_text(as_toml(stored.record).rstrip())
    for wish in wishes:
        print_text(f"# suggestion {wish.id}: {wanted_change(wish)}")


def _history(book: BookArgument, kind: RecordKind, record: RecordArgument, as_json: AsJson = False) -> None:
    with open_book(book) as opened, opened.storage.read() as stores:
        versions = stores.codex.history(kind, record)
    texts = ["", *("" if stored.is_removed else as_toml(stored.record) for stored in versions)]
    changes = list(zip(versions, (changed_lines(old, new) for old, new in pairwise(texts)), strict=True))
    if as_json:
        keys = ("version", "origin", "is_removed", "document", "step", "recorded_at")
        print_json([{key: getattr(stored, key) for key in keys} | {"diff": diff} for stored, diff in changes])
        return
    for stored, diff in changes:
        print_text(f"version {stored.version}, by {stored.origin}, {moment(stored.recorded_at)}{_source(stored)}")
        print_text("\n".join(f"  {line}" for line in diff) + "\n")


def _remove(book: BookArgument, kind: RecordKind, record: RecordArgument, as_json: AsJson = False) -> None:
    with open_book(book) as opened:
        with at_rest(opened.storage) as stores:
            found = stores.codex.get(kind, record)
            void_unfinished(stores)
            removed = stores.codex.remove(kind, found.record.id, found.version, Origin.AUTHOR)
        _tell(opened, [removed], as_json=as_json)


def _restore(
    book: BookArgument,
    kind: RecordKind,
    record: RecordArgument,
    version: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="As `history` numbers them.")],
    as_json: AsJson = False,
) -> None:
    with open_book(book) as opened:
        _tell(opened, [record_edits.take_up(opened, kind, record, version)], as_json=as_json)


def _import(
    book: BookArgument,
    kind: RecordKind,
    file: Annotated[Path, typer.Argument(metavar="FILE.toml")],
    as_json: AsJson = False,
) -> None:
    tables = record_files.tables_in(file, kind)
    with open_book(book) as opened:
        with at_rest(opened.storage) as stores:
            records = record_edits.make_records(kind, tables, opened.book.brief.default_visibility, stores.codex)
            void_unfinished(stores)
            taken = record_edits.put_records(records, stores)
        _tell(opened, taken, as_json=as_json)


def _export(
    book: BookArgument, kind: RecordKind, file: Annotated[Path | None, typer.Argument(metavar="[FILE.toml]")] = None
) -> None:
    with open_book(book) as opened, opened.storage.read() as stores:
        text = record_files.file_of([stored.record for stored in stores.codex.current(kind)], kind)
    if file is None:
        print_text(text.rstrip())
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{str(file)!r} cannot be written: {error.strerror}") from None
    note(f"written to {file}")


def _source(stored: Stored[Record]) -> str:
    parts = (f"document {stored.document}" if stored.document else "", f"step {stored.step}" if stored.step else "")
    told = ", ".join(filter(None, (*parts, "taken out" if stored.is_removed else "")))
    return f" ({told})" if told else ""


def _with_assignments(given: Keyed, assignments: list[str]) -> Keyed:
    """Return nested values with `key=value` texts laid over them, leaving out options that were not given."""
    values = {key: value for key, value in given.items() if value not in (None, [], {})}
    for assignment in assignments:
        update_nested(values, parse_assignment(assignment))
    return values


def _edited_by_hand(opened: OpenBook, kind: RecordKind, name: str) -> Stored[Record]:
    with opened.storage.read() as stores:
        found = stores.codex.get(kind, name)
    text = record_files.edited(as_toml(found.record))
    if text is None:
        return found
    try:
        wanted = make_record(kind, toml_values(text.encode()))
        return record_edits.change(opened, kind, found.record.id, lambda _: wanted, found.version)
    except InvalidInput as error:
        kept = record_files.keep_draft(text)
        raise InvalidEntry(f"{error}; what was typed is in {str(kept)!r}, for --file") from None


def _tell(opened: OpenBook, records: list[Stored[Record]], *, as_json: bool, what: str = "stands") -> None:
    """Say how records stand, as JSON too, and what of the book was made under another codex."""
    told = [facts_of(stored) | ({"removed": True} if stored.is_removed else {}) for stored in records]
    emit(lambda: told[0] if len(told) == 1 else told, lambda: print_standing(records, what), as_json=as_json)
    tell_stale(opened)
