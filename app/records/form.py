"""A record of the codex as fields that a person fills in, and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bookwright.app.access import OpenBook
from bookwright.app.orders.briefs import nested
from bookwright.app.records import edits
from bookwright.models.codex.entries import slug
from bookwright.models.codex.merging import keyed, with_value
from bookwright.models.codex.record import Record, RecordKind
from bookwright.models.edit import NewRecordEdit, RecordEdit
from bookwright.models.errors import InvalidEntry
from bookwright.storage.stores import Stores

_LONG = ("text", "content", "description", "notes", "expression")
_KEPT = ("id", "status", "kind", "type", "happens_at", "phases", "events", "timeline", "prerequisite", "phase")
"""What is no text of the author's, or has a page of its own."""
_SHORT_LISTS = ("aliases", "forbidden_keywords", "allowed_expressions", "characters", "locations", "plot_threads")


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


def _fields(values: Mapping[str, Any], path: tuple[str, ...], section: str) -> "list[RecordField]":
    found: list[RecordField] = []
    for name, value in values.items():
        here = (*path, name)
        if name in _KEPT:
            continue
        if isinstance(value, dict):
            inner = str(value.get("name") or name) if path == ("sections",) else section
            found += _fields(value, here, inner)
        elif isinstance(value, str):
            found.append(RecordField("/".join(here), name, section, value, name in _LONG, is_list=False))
        elif name in _SHORT_LISTS:
            found.append(RecordField("/".join(here), name, section, ", ".join(value), is_long=False, is_list=True))
    return found


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
    return edits.changed_record(record, nested(field.path.split("/"), names))


def new_record(opened: OpenBook, kind: RecordKind, given: Mapping[str, str]) -> NewRecordEdit:
    """Return what a short form adds: a record with a name and what there is to say.

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
        RecordKind.SECRET: {"content": text or name},
        RecordKind.FORESHADOWING: {"title": name, "seed": {"content": text}},
    }  # fmt: skip
    table = tables[kind] if kind is RecordKind.SECRET else {"id": slug(name)} | tables[kind]
    with opened.storage.read() as stores:
        waiting = [one.edit.slug for one in stores.edits.waiting() if isinstance(one.edit, NewRecordEdit)]
        [added] = edits.make_records(kind, [table], opened.book.brief.default_visibility, stores.codex, waiting)
    return NewRecordEdit(kind=kind, slug=added.id, record=added.model_dump(mode="json"))
