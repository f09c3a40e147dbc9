"""Forking: a book's small rows are copied under keys of their own, what is large is read where it stands.

Each table takes one statement. The tables are those that a book consists of (`transfer.portable`), so that a new one
is copied with the others; a row whose node or document the branch has not is left out.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    and_,
    case,
    func,
    insert,
    literal,
    not_,
    null,
    or_,
    select,
)

from bookwright.models.codex.record import Origin
from bookwright.models.step import Activity
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.branches.cut import Cut, Part
from bookwright.storage.branches.lineage import SHARED_WORDS, first_of, uses, words_of
from bookwright.storage.engine.prepared import batches
from bookwright.storage.tables import ONE, codex, documents, gates, maintenance, nodes, steps
from bookwright.storage.transfer.portable import BookTable, parts

_SHARED = frozenset({"books", "texts", "document_inputs", "sessions", "session_messages", "edits"})
"""Tables of which nothing is copied: the row of a book is made, texts and what documents rest on are read where they
are, talks are not forked."""

_OPTIONAL = frozenset({("documents", "step"), ("codex", "step"), ("codex_suggestions", "step")})
"""References to steps, which a branch reads of its origin."""

_ALL = 2**62

fork_keys = Table(
    "fork_keys",
    MetaData(),
    Column("name", Text, primary_key=True),
    Column("old", BigInteger, primary_key=True, autoincrement=False),
    Column("new", BigInteger),
    Column("part", Integer, nullable=False),
    prefixes=["TEMPORARY"],
    sqlite_with_rowid=False,
)
"""Which key a row of the branch has instead of its origin's; for nodes that it has not, none."""


class Forking:
    """Copies the rows of one book into another, in a transaction of whoever asks."""

    def __init__(self, connection: Connection, origin: str, book: str, cut: Cut) -> None:
        self._connection = connection
        self._origin = origin
        self._book = book
        self._cut = cut
        self._first_step, self._moment = _ALL, float(_ALL)

    def copy(self) -> None:
        """Copy all that the branch has of its own from the first."""
        fork_keys.create(self._connection)
        self._number_nodes()
        self._find_moment()
        self._number(_QUEUE, [maintenance.c.book == self._origin])  # rounds of steps are places in it
        for part in parts():
            if part.name not in _SHARED:
                self._copy(part)
        if self._cut.is_partial:
            self._open_again()
        fork_keys.drop(self._connection)

    def _copy(self, part: BookTable) -> None:
        conditions = [part.of(self._origin), *self._conditions(part.table)]
        if part.key and part.table not in (nodes, maintenance):
            self._number(part, conditions)
        values = {column.name: self._value(part, column) for column in part.columns}
        if "book" in part.table.c:
            values["book"] = literal(self._book)
        if part.table is documents:
            values["shared"] = first_of(documents)
        if part.table is codex:
            values["shared"] = case((codex.c.is_current, None), else_=func.coalesce(codex.c.shared, codex.c.id))
        keys = {part.key, *part.references}
        needed = [name for name in values if name in keys and not part.table.c[name].nullable]
        chosen = select(*values.values()).where(*conditions, *(values[name].is_not(None) for name in needed))
        self._connection.execute(insert(part.table).from_select(list(values), chosen))

    def _value(self, part: BookTable, column: Column[Any]) -> ColumnElement[Any]:
        name = (part.name, column.name)
        if column.name == part.key:
            return _new(part.name, column)
        if name == ("codex_uses", "record"):
            return _newest_known(column)
        if name in _OPTIONAL:
            return func.coalesce(_new("steps", column), column)
        if column.name in part.references:
            return _new(part.references[column.name], column)
        return self._own_value(part.table, column)

    def _own_value(self, table: Table, column: Column[Any]) -> ColumnElement[Any]:
        if table is steps and column.name == "lease_token":
            return literal(0)
        if table is steps and column.name == "round":
            return case((steps.c.activity == Activity.MAINTAIN.value, _new("maintenance", column)), else_=column)
        if column.name in SHARED_WORDS.get(table, ()):
            left = null() if column.nullable else literal("")
            return case((codex.c.is_current, column), else_=left) if table is codex else left
        return column

    def _conditions(self, table: Table) -> list[ColumnElement[bool]]:
        """Which rows of a table belong into the branch, beside those that nodes and documents decide."""
        if table is steps:
            is_taken_in = and_(steps.c.activity == Activity.MAINTAIN.value, steps.c.has_move)
            return [steps.c.node.in_(self._open_nodes()), not_(is_taken_in), steps.c.id < self._first_step]
        if not self._cut.is_partial:
            return []
        is_without_step = and_(documents.c.step.is_(None), func.coalesce(documents.c.made_at, 0.0) < self._moment)
        is_early = {
            documents: or_(documents.c.step < self._first_step, is_without_step),
            gates: gates.c.created_at < self._moment,
        }
        if table in is_early:
            is_before, is_above = (table.c.node.in_(self._of_part(part)) for part in (Part.BEFORE, Part.ABOVE))
            return [or_(is_before, and_(is_above, is_early[table]))]
        return [self._is_early_record()] if table is codex else []

    def _is_early_record(self) -> ColumnElement[bool]:
        """A version of before the moment, or what the author said behind such versions alone."""
        earlier = codex.alias("earlier")
        late = select(earlier.c.id).where(
            earlier.c.book == codex.c.book, earlier.c.kind == codex.c.kind, earlier.c.slug == codex.c.slug,
            earlier.c.version <= codex.c.version, earlier.c.recorded_at >= self._moment,
            earlier.c.origin != Origin.AUTHOR.value,
        )  # fmt: skip
        return or_(codex.c.recorded_at < self._moment, ~late.correlate(codex).exists())

    def _open_nodes(self) -> Any:
        """The nodes of the origin that are still open in the branch: only what was done to them is asked for again."""
        is_open = nodes.c.status.not_in([NodeStatus.DONE.value, NodeStatus.VOID.value])
        found = select(fork_keys.c.old).join(nodes, nodes.c.key == fork_keys.c.old)
        chosen = or_(and_(fork_keys.c.part == Part.BEFORE.value, is_open), fork_keys.c.part == Part.ABOVE.value)
        return found.where(fork_keys.c.name == "nodes", chosen)

    def _of_part(self, part: Part) -> Any:
        return select(fork_keys.c.old).where(fork_keys.c.name == "nodes", fork_keys.c.part == part.value)

    def _number_nodes(self) -> None:
        """Give every node that the branch has a key, and note of the others that it has them not."""
        kept = nodes.c.key.not_in(self._cut.left_out) if self._cut.left_out else literal(True)
        self._number(_NODES, [nodes.c.book == self._origin, kept])
        changed = fork_keys.update().where(fork_keys.c.name == "nodes")
        for kind, keys in ((Part.ABOVE, self._cut.above), (Part.OPENED, self._cut.opened)):
            for some in batches(sorted(keys)):
                self._connection.execute(changed.where(fork_keys.c.old.in_(some)).values(part=kind.value))
        rows = [{"name": "nodes", "old": key, "new": None, "part": Part.LEFT_OUT.value} for key in self._cut.left_out]
        if rows:
            self._connection.execute(insert(fork_keys), rows)

    def _number(self, part: BookTable, conditions: Iterable[ColumnElement[bool]]) -> None:
        """Reserve keys of the branch's own for rows of a table, in their order."""
        key = part.table.c[str(part.key)]
        chosen = select(key.label("old")).where(*conditions).order_by(key).subquery()
        new: ColumnElement[Any]
        if self._connection.dialect.name == "postgresql":
            new = func.nextval(func.pg_get_serial_sequence(part.name, key.name))
        else:  # nobody else writes meanwhile
            last = self._connection.execute(select(func.coalesce(func.max(key), 0))).scalar_one()
            new = func.row_number().over(order_by=chosen.c.old) + last
        rows = select(literal(part.name), chosen.c.old, new, literal(Part.BEFORE.value)).order_by(chosen.c.old)
        self._connection.execute(insert(fork_keys).from_select(["name", "old", "new", "part"], rows))

    def _find_moment(self) -> None:
        """Find when the work on what is open again was begun: the state of the story is that of before."""
        if not self._cut.is_partial:
            return
        later = select(fork_keys.c.old).where(
            fork_keys.c.name == "nodes", fork_keys.c.part.in_([Part.OPENED.value, Part.LEFT_OUT.value])
        )
        first = select(func.min(steps.c.id), func.min(steps.c.recorded_at)).where(
            steps.c.book == self._origin, steps.c.node.in_(later)
        )
        found, moment = self._connection.execute(first).one()
        if found is not None:
            self._first_step, self._moment = found, moment

    def _open_again(self) -> None:
        """Set the nodes from the cut on, and those above, back to what they were before; what is newest is current."""
        connection = self._connection
        anew = {"revision": 1, "written": 0, "status": NodeStatus.OPEN.value, "planning_round": 0, "decided_round": 0,
                "verdict": None, "decision": None, "outline": "[]", "is_brought_in": False}  # fmt: skip
        self._change_nodes(self._cut.opened, anew)
        for key, less in self._cut.above.items():
            self._change_nodes([key], {"status": NodeStatus.OPEN.value, "written": nodes.c.written - less})
        for table, slot in ((documents, ("node", "kind")), (codex, ("book", "kind", "slug"))):
            newer = table.alias("newer")
            same = (newer.c[name] == table.c[name] for name in slot)
            later = select(newer.c.id).where(*same, newer.c.version > table.c.version).correlate(table).exists()
            connection.execute(table.update().where(table.c.book == self._book).values(is_current=~later))
        words = {name: words_of(codex.c[name]) for name in SHARED_WORDS[codex]}
        shared = codex.update().where(codex.c.book == self._book, codex.c.is_current, codex.c.shared.is_not(None))
        connection.execute(shared.values(words | {"shared": None}))
        self._owe_again()

    def _owe_again(self) -> None:
        """What the kept documents of the branch had not taken in by then is owed to their maintainers."""
        source, entry = documents.alias("source"), maintenance.alias("entry")
        taken_in = (
            select(func.max(entry.c.id))
            .join(uses, uses.c.input == entry.c.document)
            .join(source, and_(source.c.id == uses.c.document, source.c.kind == entry.c.kind))
            .where(entry.c.book == self._book, entry.c.kind == maintenance.c.kind)
            .correlate(maintenance)
            .scalar_subquery()
        )
        self._connection.execute(
            maintenance.update()
            .where(maintenance.c.book == self._book)
            .values(is_applied=maintenance.c.id <= func.coalesce(taken_in, 0))
        )

    def _change_nodes(self, keys: Iterable[int], values: dict[str, Any]) -> None:
        for some in batches(sorted(keys)):
            new = select(fork_keys.c.new).where(fork_keys.c.name == "nodes", fork_keys.c.old.in_(some))
            self._connection.execute(nodes.update().where(nodes.c.key.in_(new)).values(values))


_NODES, _QUEUE = (next(part for part in parts() if part.table is table) for table in (nodes, maintenance))


def _new(name: str, old: ColumnElement[Any]) -> ColumnElement[Any]:
    found = select(fork_keys.c.new).where(fork_keys.c.name == name, fork_keys.c.old == old)
    return found.correlate_except(fork_keys).scalar_subquery()


def _newest_known(record: ColumnElement[Any]) -> ColumnElement[Any]:
    """The row of the branch that stands for one of its origin's codex: itself, or the last before it."""
    found = select(fork_keys.c.new).where(fork_keys.c.name == "codex", fork_keys.c.old <= record)
    last = found.order_by(fork_keys.c.old.desc()).limit(ONE)  # max() would read all up to it
    return last.correlate_except(fork_keys).scalar_subquery()
