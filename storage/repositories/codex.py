"""The codex of one book: entries, secrets and threads in versions, and what an extraction may do to them."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from bookwright.models.codex.entries import CodexEntry, Secret, folded
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.codex.merging import merged, origins_after
from bookwright.models.codex.record import (
    Origin,
    Record,
    RecordKind,
    Stored,
    kind_of,
    named,
    names_of,
    nearest,
    taken_names,
    without_clashes,
)
from bookwright.models.codex.sight import SeenEntry, Sight
from bookwright.models.errors import EditConflict, EntryNotFound, InvalidEntry, NameTaken
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.place import Place, ReadingOrder
from bookwright.storage.branches.lineage import words_of
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.repositories import Repository
from bookwright.storage.repositories.suggestions import SuggestionRepository
from bookwright.storage.tables import codex
from bookwright.storage.tree.held_view import HeldView, Shelves
from bookwright.storage.tree.reading_order import UnitTable, read_order, read_units

_OF_KIND = (codex.c.book == bindparam("book"), codex.c.kind == bindparam("kind"))
_IS_CURRENT = codex.c.is_current.is_(True)
_FIRST = codex.alias("first")
_CURRENT = Prepared(
    select(codex)
    .join(_FIRST, (_FIRST.c.book == codex.c.book) & (_FIRST.c.kind == codex.c.kind) & (_FIRST.c.slug == codex.c.slug))
    .where(codex.c.book == bindparam("book"), _IS_CURRENT, _FIRST.c.version == 1)
    .order_by(_FIRST.c.id)
)
_WHOLE = select(*map(words_of, codex.c))
_HISTORY = _WHOLE.where(*_OF_KIND, codex.c.slug == bindparam("slug")).order_by(codex.c.version)
_EVERY = _WHOLE.where(codex.c.book == bindparam("book")).order_by(codex.c.id)
_ADD = Prepared(
    insert(codex).values(recorded_at=database_now()).returning(codex.c.id, codex.c.recorded_at),
    *(column.name for column in codex.c if column.name not in ("id", "recorded_at", "shared")),
)
_RETIRE = Prepared(
    update(codex)
    .where(
        codex.c.book == bindparam("of_book"), codex.c.kind == bindparam("of_kind"),
        codex.c.slug == bindparam("of_slug"), codex.c.version == bindparam("old"),
    )
    .values(is_current=False)
)  # fmt: skip


class CodexRepository(Repository):
    """The codex of one book in one transaction. Whoever writes to it holds the book's lease.

    Raises:
        EntryNotFound: There is no record, or never was one, that is asked for or to be changed; it names what is near.
        EditConflict: A record that is to be changed does not stand at that version any more.
        NameTaken: The id of a record, or one of its names, is another's.
    """

    def __init__(
        self, connection: Connection, book: str, view: HeldView | None = None,
        units_now: Callable[[], UnitTable | None] = lambda: None,
    ) -> None:  # fmt: skip
        """Take the holder's view to read from, or what knows the units as a transaction that writes has left them."""
        super().__init__(connection, book)
        self._view = view or HeldView()
        self._is_held = view is not None
        self._units_now = units_now
        self.has_changed = False
        self.suggestions = SuggestionRepository(connection, book)

    def entries(self) -> list[CodexEntry]:
        """Return the characters and the pieces of the world, in the order in which they came."""
        return [stored.record for stored in self.current(RecordKind.ENTRY) if isinstance(stored.record, CodexEntry)]

    def secrets(self) -> list[Secret]:
        """Return the secrets."""
        return [stored.record for stored in self.current(RecordKind.SECRET) if isinstance(stored.record, Secret)]

    def threads(self) -> list[Foreshadowing]:
        """Return the threads of foreshadowing, closed ones too."""
        found = self.current(RecordKind.FORESHADOWING)
        return [stored.record for stored in found if isinstance(stored.record, Foreshadowing)]

    def current(self, kind: RecordKind) -> list[Stored[Record]]:
        """Return the newest version of every record that was not removed, in the order in which they came."""
        return [stored for stored in self._shelves()[kind] if not stored.is_removed]

    def newest(self) -> int:
        """Return the row of the newest change to the codex; 0 where there never was one."""
        return max((stored.id for shelf in self._shelves().values() for stored in shelf), default=0)

    def last_row(self) -> int:
        """Return the same without reading the codex."""
        query = select(func.max(codex.c.id)).where(codex.c.book == self._book)
        return int(self._connection.execute(query).scalar_one() or 0)

    def author_changed_at(self) -> float:
        """Return when an author last changed the codex, in seconds since 1970; 0 where none ever did."""
        own = (codex.c.book == self._book, codex.c.origin == Origin.AUTHOR.value)
        query = select(func.max(codex.c.recorded_at)).where(*own)
        return float(self._connection.execute(query).scalar_one() or 0.0)

    def every_version(self) -> list[Stored[Record]]:
        """Return all versions of all records, of those that were removed too, in the order in which they came."""
        return [_stored(row) for row in self._connection.execute(_EVERY, {"book": self._book})]

    def find(self, kind: RecordKind, name: str) -> Stored[Record] | None:
        """Return the record with an id, or else with a name, alias or title, whatever its width and case."""
        known = {stored.record.id: stored for stored in self.current(kind)}
        return known[found.id] if (found := named((stored.record for stored in known.values()), name)) else None

    def get(self, kind: RecordKind, name: str) -> Stored[Record]:
        """Return the record with an id, name, alias or title."""
        found = self.find(kind, name)
        if found is None:
            raise EntryNotFound(f"book {self._book!r} has no {kind.noun} {name!r}{self._near(kind, name)}")
        return found

    def at_version(self, kind: RecordKind, slug: str, version: int) -> Stored[Record]:
        """Return the record with an id; raise `EditConflict` if it stands at another version than its author saw."""
        before = self._newest(kind, slug)
        if before is None or before.is_removed:
            raise EntryNotFound(f"book {self._book!r} has no {kind.noun} {slug!r}{self._near(kind, slug)}")
        if before.version != version:
            raise EditConflict(
                f"the {kind.noun} {slug!r} stands at version {before.version} by now, not at {version}; "
                "look at it again and repeat what you want of it"
            )
        return before

    def was_there(self, kind: RecordKind, slug: str) -> bool:
        """Whether a record has that id or ever had."""
        return self._newest(kind, slug) is not None

    def history(self, kind: RecordKind, name: str) -> list[Stored[Record]]:
        """Return every version of a record, oldest first, of one that was removed too."""
        found = self.find(kind, name)
        at = self._at(kind, found.record.id if found else name)
        versions = [_stored(row) for row in self._connection.execute(_HISTORY, at)]
        if not versions:
            raise EntryNotFound(f"book {self._book!r} never had a {kind.noun} {name!r}{self._near(kind, name)}")
        return versions

    def add(
        self, record: Record, origin: Origin, *, document: int | None = None, step: int | None = None
    ) -> Stored[Record]:
        """Add a record; one that was removed begins again with its next version."""
        self.check_free(record)
        before = self._newest(kind_of(record), record.id)
        version = before.version + 1 if before else 1
        return self._put(record, version, origin, origins_after(None, record, {}, origin), document, step)

    def check_free(self, record: Record) -> None:
        """Raise `NameTaken` if a record could not be added."""
        kind = kind_of(record)
        same = [stored for stored in self.current(kind) if folded(stored.record.id) == folded(record.id)]
        if same:
            raise NameTaken(
                f"there is a {kind.noun} {same[0].record.id!r} already; edit it, or give this one another --id"
            )
        self._check_names(record)

    def edit(
        self, record: Record, version: int, origin: Origin, *, document: int | None = None, step: int | None = None
    ) -> Stored[Record]:
        """Make `record` the next version of the one with its id, if that still stands at `version`."""
        before = self.at_version(kind_of(record), record.id, version)
        self._check_names(record)
        if before.record == record:
            return before
        origins = origins_after(before.record, record, before.origins, origin)
        return self._put(record, version + 1, origin, origins, document, step)

    def remove(self, kind: RecordKind, slug: str, version: int, origin: Origin) -> Stored[Record]:
        """Take a record out; its history stays."""
        before = self.at_version(kind, slug, version)
        return self._put(before.record, version + 1, origin, before.origins, None, None, is_removed=True)

    def merge(
        self, record: Record, origin: Origin, *, document: int | None = None, step: int | None = None
    ) -> Stored[Record] | None:
        """Take in what an extraction found: a new record, or more of one that goes by the same id or name.

        What it would change of an author's fields, or of what holds something back, is kept as a
        suggestion. None where the author took the record out.

        Raises:
            InvalidEntry: Old and new fit no record together, or `origin` is the author's.
        """
        if origin is Origin.AUTHOR:
            raise InvalidEntry("what an author says is an edit, not an extraction")
        kind = kind_of(record)
        found = self._same(kind, record)
        if found is None:
            removed = self._newest(kind, record.id)
            if removed is not None and removed.origin is Origin.AUTHOR:
                return None
            return self.add(without_clashes(record, self.entries())[0], origin, document=document, step=step)
        result, wishes = merged(found.record, record, found.origins)
        result, clashes = without_clashes(result, self.entries())
        for wish in (*wishes, *clashes):
            self.suggestions.add(kind, found.record.id, found.version, wish, document, step)
        return self.edit(result, found.version, origin, document=document, step=step)

    def reading_order(self) -> ReadingOrder:
        """Return the chapters as far as they are there, or the highest units of a book without chapters."""
        if not self._is_held or self._view.reading is None:
            if not self._is_held or self._view.units is None:
                self._view.units = self._units_now() or read_units(self._connection, self._book)
            self._view.reading = read_order(self._connection, self._book, self._view.units, self._places())
        return self._view.reading

    def _shelves(self) -> Shelves:
        """The newest version of every record, removed ones too."""
        if self._view.shelves is None:
            shelves: Shelves = {each: [] for each in RecordKind}
            for row in _CURRENT.execute(self._connection, {"book": self._book}):
                shelves[RecordKind(row.kind)].append(_stored(row))
            self._view.shelves = shelves
        return self._view.shelves

    def _places(self) -> Iterator[Place]:
        """Where something is to be done for a secret or a thread."""
        yield from (secret.revealed_at for secret in self.secrets() if secret.revealed_at is not None)
        yield from (place for thread in self.threads() for place in thread.places)

    def seen_at(self, label: str, story_now: StoryTime | None = None) -> list[SeenEntry]:
        """Return every entry as it stands at a unit, by both clocks; `story_now` is another time than its own."""
        return list(map(Sight(label, self.reading_order(), story_now).see, self.entries()))

    def _same(self, kind: RecordKind, record: Record) -> Stored[Record] | None:
        """The record that an extracted one means: by id, then by name, then by alias."""
        return next(filter(None, (self.find(kind, name) for name in (record.id, *names_of(record)))), None)

    def _check_names(self, record: Record) -> None:
        if not isinstance(record, CodexEntry):
            return
        taken = taken_names(self.entries(), record.id)
        for name in record.names:
            if owner := taken.get(folded(name)):
                advice = "edit that one, or tell the two apart by their names"
                raise NameTaken(f"{name!r} is a name of {owner!r} already; {advice}")

    def _newest(self, kind: RecordKind, slug: str) -> Stored[Record] | None:
        return next((stored for stored in self._shelves()[kind] if stored.record.id == slug), None)

    def _put(
        self, record: Record, version: int, origin: Origin, origins: dict[str, Origin], document: int | None,
        step: int | None, *, is_removed: bool = False,
    ) -> Stored[Record]:  # fmt: skip
        kind = kind_of(record)
        values = self._at(kind, record.id) | {
            "version": version, "data": record.model_dump_json(), "origin": origin.value, "is_current": True,
            "origins": json.dumps(origins, ensure_ascii=False), "document": document, "step": step,
            "is_removed": is_removed,
        }  # fmt: skip
        place = {"of_book": self._book, "of_kind": kind.value, "of_slug": record.id, "old": version - 1}
        shelf, self.has_changed = self._shelves()[kind], True
        if version > 1:
            _RETIRE.execute(self._connection, place)
        identity, moment = _ADD.execute(self._connection, values).one()
        stored = Stored(
            id=identity, record=kind.model.model_validate_json(values["data"]), version=version, origin=origin,
            origins=origins, is_removed=is_removed, document=document, step=step, recorded_at=moment,
        )  # fmt: skip
        at = next((place for place, old in enumerate(shelf) if old.record.id == record.id), len(shelf))
        shelf[at : at + 1] = [stored]
        return stored

    def _near(self, kind: RecordKind, name: str) -> str:
        return nearest((stored.record for stored in self.current(kind)), name)

    def _at(self, kind: RecordKind, slug: str) -> dict[str, Any]:
        return {"book": self._book, "kind": kind.value, "slug": slug}


def _stored(row: Row[Any]) -> Stored[Record]:
    record = RecordKind(row.kind).model.model_validate_json(row.data)
    origins = {path: Origin(name) for path, name in json.loads(row.origins).items()}
    return Stored(
        id=row.id, record=record, version=row.version, origin=Origin(row.origin), origins=origins,
        is_removed=row.is_removed, document=row.document, step=row.step, recorded_at=row.recorded_at,
    )  # fmt: skip
