"""Changing the codex: while its book rests, all of what was asked for or nothing; a record as a form, and back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bookwright.app.access import OpenBook, at_rest
from bookwright.app.orders.briefs import nested, update_nested
from bookwright.flows.revision.edits import add_records, check_change, check_places, settled
from bookwright.flows.revision.revise import void_unfinished
from bookwright.models.codex.entries import CodexEntry, Visibility, slug
from bookwright.models.codex.merging import Keyed, keyed, pointing_at, section_key, united, unkeyed, with_value
from bookwright.models.codex.record import Origin, Record, RecordKind, Stored, kind_of, make_record, neutral_ids
from bookwright.models.edit import NewRecordEdit, RecordEdit, SuggestionEdit
from bookwright.models.errors import InvalidEntry, InvalidInput
from bookwright.storage.repositories.codex import CodexRepository
from bookwright.storage.stores import Stores

Change = Callable[[Record], Record]

_LONG = ("text", "content", "description", "notes", "expression")
_NO_FIELDS = ("id", "status", "kind", "type", "happens_at", "phases", "events", "timeline", "prerequisite", "phase")
"""What is no text of the author's, or has a page of its own."""
_SHORT_LISTS = ("aliases", "forbidden_keywords", "allowed_expressions", "characters", "locations", "plot_threads")


def unknown_records(records: Iterable[Record], codex: CodexRepository) -> list[Record]:
    """Return the records whose ids the codex never knew."""
    return [record for record in records if not codex.was_there(kind_of(record), record.id)]


def put_records(records: Iterable[Record], stores: Stores) -> list[Stored[Record]]:
    """Add records, or make them the next versions of those with their ids."""
    return [_put_record(record, stores) for record in records]


def make_records(
    kind: RecordKind, tables: Iterable[dict[str, Any]], default: Visibility, codex: CodexRepository,
    taken: Iterable[str] = (),
) -> list[Record]:  # fmt: skip
    """Make records of tables; a secret without an id gets the next free number, which tells nothing of it.

    `taken` are ids that are not free although the codex has no record of them yet.

    Raises:
        InvalidEntry: One cannot be kept, or two have one id.
    """
    tables = _numbered(tables, codex, taken) if kind is RecordKind.SECRET else tables
    records = [settled(make_record(kind, table), default) for table in tables]
    ids = [record.id for record in records]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise InvalidEntry(f"the id {twice!r} is given twice; give each {kind.noun} its own")
    return records


def add(opened: OpenBook, kind: RecordKind, tables: list[dict[str, Any]]) -> list[Stored[Record]]:
    """Add records to the codex of a book that rests."""
    with at_rest(opened.storage) as stores:
        records = make_records(kind, tables, opened.book.brief.default_visibility, stores.codex)
        return add_records(stores, records)


def change(opened: OpenBook, kind: RecordKind, name: str, how: Change, version: int | None = None) -> Stored[Record]:
    """Change one record of a book that rests; `version` is the one that the author has seen, if that is told.

    Raises:
        EditConflict: It has another version by now.
    """
    with at_rest(opened.storage) as stores:
        found = stores.codex.get(kind, name)
        stores.codex.at_version(kind, found.record.id, found.version if version is None else version)
        after = settled(how(found.record), opened.book.brief.default_visibility)
        check_change(found.record, after)
        check_places(after, stores, found.record)
        void_unfinished(stores)
        return stores.codex.edit(after, found.version, Origin.AUTHOR)


def changed_record(record: Record, changes: Keyed) -> Record:
    """Return a record with nested values laid over it; what is None is as if never said.

    Raises:
        InvalidEntry: They fit no record.
    """
    values = keyed(record)
    update_nested(values, {**changes, **_by_name(changes)})
    return unkeyed(record, _without_none(values))


def decision(stores: Stores, number: int, *, is_taken: bool) -> SuggestionEdit:
    """Return what an author says of a suggestion, as an edit.

    Raises:
        EntryNotFound: None of that number waits.
    """
    return SuggestionEdit(number=number, slug=stores.codex.suggestions.get(number).slug, is_taken=is_taken)


def _numbered(tables: Iterable[dict[str, Any]], codex: CodexRepository, taken: Iterable[str]) -> list[dict[str, Any]]:
    """Give each table of a secret an id that has none."""
    tables = list(tables)
    there = {stored.record.id for stored in codex.every_version() if kind_of(stored.record) is RecordKind.SECRET}
    free = neutral_ids({*there, *taken, *(str(table.get("id")) for table in tables)})
    return [table if table.get("id") else {**table, "id": next(free)} for table in tables]


def _put_record(record: Record, stores: Stores) -> Stored[Record]:
    codex = stores.codex
    known = next((found for found in codex.current(kind_of(record)) if found.record.id == record.id), None)
    check_places(record, stores, known.record if known else None)
    if known is None:
        return codex.add(record, Origin.AUTHOR)
    check_change(known.record, record)
    return codex.edit(record, known.version, Origin.AUTHOR)


def _by_name(changes: Keyed) -> Keyed:
    """Sections and phases of a table by their names, as they are laid over those that are there."""
    lists = {name: changes[name] for name in ("sections", "phases") if isinstance(changes.get(name), list)}
    return {name: {section_key(item): item for item in items} for name, items in lists.items()}


def _without_none(values: Keyed) -> Keyed:
    return {
        key: _without_none(value) if isinstance(value, dict) else value
        for key, value in values.items()
        if value is not None
    }


def unite(opened: OpenBook, kept: str, other: str) -> list[Stored[Record]]:
    """Put one entry into another while the book rests; returns the next versions of both, and of what named it.

    Raises:
        EntryNotFound: One of them is not there.
        InvalidEntry: They are of two kinds, or the same one.
    """
    with at_rest(opened.storage) as stores:
        codex = stores.codex
        into, gone = codex.get(RecordKind.ENTRY, kept), codex.get(RecordKind.ENTRY, other)
        assert isinstance(into.record, CodexEntry)  # the register holds nothing else
        assert isinstance(gone.record, CodexEntry)
        whole = united(into.record, gone.record, codex.reading_order())
        void_unfinished(stores)
        removed = codex.remove(RecordKind.ENTRY, gone.record.id, gone.version, Origin.AUTHOR)
        stands = codex.edit(whole, into.version, Origin.AUTHOR)
        codex.suggestions.move(RecordKind.ENTRY, gone.record.id, whole.id)
        return [stands, removed, *_renamed(stores, gone.record, whole)]


def take_up(opened: OpenBook, kind: RecordKind, name: str, version: int) -> Stored[Record]:
    """Make an earlier version of a record its newest while the book rests; one that was taken out is there again.

    Raises:
        InvalidInput: There is no such version, or it stands already.
        EntryNotFound: There never was such a record.
        NameTaken: Another entry has one of its names by now.
    """
    with at_rest(opened.storage) as stores:
        versions = stores.codex.history(kind, name)
        newest = versions[-1]
        old = next((stored for stored in versions if stored.version == version), None)
        if old is None:
            raise InvalidInput(f"the {kind.noun} {name!r} has no version {version}; it has 1 to {newest.version}")
        if not newest.is_removed and old.record == newest.record:
            raise InvalidInput(f"the {kind.noun} {name!r} reads as in version {version} already")
        void_unfinished(stores)
        if newest.is_removed:
            return stores.codex.add(old.record, Origin.AUTHOR)
        check_change(newest.record, old.record)
        return stores.codex.edit(old.record, newest.version, Origin.AUTHOR)


def _renamed(stores: Stores, gone: CodexEntry, kept: CodexEntry) -> Iterator[Stored[Record]]:
    for kind in (RecordKind.SECRET, RecordKind.FORESHADOWING):
        for stored in stores.codex.current(kind):
            after = pointing_at(stored.record, gone, kept)
            if after != stored.record:
                yield stores.codex.edit(after, stored.version, Origin.AUTHOR)


@dataclass(frozen=True)
class RecordField:
    """One field of a record."""

    path: str
    """`sections/appearance/text`."""
    label: str
    section: str
    """The section that it lies in; empty outside of any."""
    value: str
    is_long: bool
    is_list: bool


def fields_of(record: Record) -> list[RecordField]:
    """Return what of a record is text, in its order."""
    return list(_fields(keyed(record), (), ""))


def _fields(values: Mapping[str, Any], path: tuple[str, ...], section: str) -> Iterator[RecordField]:
    for name, value in values.items():
        here = (*path, name)
        if name in _NO_FIELDS:
            continue
        if isinstance(value, dict):
            inner = str(value.get("name") or name) if path == ("sections",) else section
            yield from _fields(value, here, inner)
        elif isinstance(value, str):
            yield RecordField("/".join(here), name, section, value, name in _LONG, is_list=False)
        elif name in _SHORT_LISTS:
            yield RecordField("/".join(here), name, section, ", ".join(value), is_long=False, is_list=True)


def record_edit(stores: Stores, kind: RecordKind, name: str, given: Mapping[str, str], seen: int) -> RecordEdit:
    """Return what a form's fields make of a record, as an edit of the version that the author has seen.

    Raises:
        EntryNotFound: There is no such record.
        InvalidEntry: A field cannot be so.
    """
    found = stores.codex.get(kind, name).record
    after = filled_in(found, given)
    return RecordEdit(kind=kind, slug=found.id, record=after.model_dump(mode="json"), seen=seen)


def filled_in(record: Record, given: Mapping[str, str]) -> Record:
    """Return a record with the fields of a form laid over it; what it has no field for is ignored."""
    for field in fields_of(record):
        told = given.get(field.path)
        if told is not None and told.strip() != field.value.strip():
            record = _with(record, field, told.strip())
    return record


def _with(record: Record, field: RecordField, told: str) -> Record:
    if not field.is_list:
        return with_value(record, field.path, told)
    names = [name.strip() for name in told.replace("，", ",").replace("、", ",").split(",") if name.strip()]
    return changed_record(record, nested(field.path.split("/"), names))


def new_record(opened: OpenBook, kind: RecordKind, given: Mapping[str, str]) -> NewRecordEdit:
    """Return what a short form adds: a record with a name and what there is to say.

    A secret of the name or the words of one that waits is that one, whose place it is to take.

    Raises:
        InvalidEntry: It has no name, or cannot be kept.
    """
    name, text = given.get("name", "").strip(), given.get("text", "").strip()
    if not name:
        raise InvalidEntry("It needs a name.")
    tables: dict[RecordKind, dict[str, Any]] = {
        RecordKind.ENTRY: {
            "name": name, "kind": given.get("kind") or "character",
            "sections": [{"name": "About", "text": text}] if text else [],
        },
        RecordKind.SECRET: {"content": text or name, "notes": name if text else ""},
        RecordKind.FORESHADOWING: {"title": name, "seed": {"content": text}},
    }  # fmt: skip
    with opened.storage.read() as stores:
        waiting = [one.edit for one in stores.edits.waiting() if isinstance(one.edit, NewRecordEdit)]
        secrets = [edit for edit in waiting if edit.kind is kind is RecordKind.SECRET]
        same = (edit.slug for edit in secrets if {name, text or name} & {edit.record["content"], edit.record["notes"]})
        table = {"id": next(same, "") if kind is RecordKind.SECRET else slug(name)} | tables[kind]
        taken = [edit.slug for edit in waiting]
        [added] = make_records(kind, [table], opened.book.brief.default_visibility, stores.codex, taken)
    return NewRecordEdit(kind=kind, slug=added.id, record=added.model_dump(mode="json"))
