"""What a book's folder is made of, without its texts: documents with their places, units, times, marks."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Row, bindparam, func, or_, select

from bookwright.models.document import DocumentKind
from bookwright.models.step import AMENDING_ROUNDS, Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.branches.lineage import words_of
from bookwright.storage.engine.prepared import Prepared, Rows
from bookwright.storage.repositories import Repository
from bookwright.storage.tables import IS_CURRENT, IS_LIVING, IS_UNIT, ONE, codex, documents, nodes, steps

_unit = nodes.alias("unit_of_task")
_parent = nodes.alias("parent_of_unit")
_OF_BOOK = documents.c.book == bindparam("book")
_ALL_DOCUMENTS = (
    select(
        *(words_of(documents.c[name]) for name in ("id", "node", "kind", "version", "text_hash")),
        *(nodes.c[name] for name in ("label", "title", "goal", "task_type", "level", "folder", "stage", "stage_title")),
        _unit.c.label.label("unit"),
    )
    .join(nodes, nodes.c.key == documents.c.node)
    .outerjoin(_unit, _unit.c.key == nodes.c.unit)
    .where(_OF_BOOK, IS_CURRENT, IS_LIVING, documents.c.kind.in_(bindparam("kinds", expanding=True)))
    .order_by(documents.c.id)
)  # fmt: skip
_below = select(nodes.c.key).where(nodes.c.key == bindparam("node")).cte("below", recursive=True)
_BELOW = select(_below.union_all(select(nodes.c.key).join(_below, nodes.c.parent == _below.c.key)).c.key)
"""The keys of a node and of all below it."""
_DOCUMENTS = Prepared(_ALL_DOCUMENTS)
_DOCUMENTS_AFTER = Prepared(_ALL_DOCUMENTS.where(documents.c.id > bindparam("after")))
_DOCUMENTS_BELOW = Prepared(_ALL_DOCUMENTS.where(documents.c.node.in_(_BELOW)))
_COARSE = [level.value for level in Level if level.is_at_least(Level.ACT)]
_UNITS = Prepared(
    select(*(nodes.c[name] for name in (
        "key", "parent", "label", "level", "title", "goal", "written", "length", "unit_index", "status",
        "is_brought_in",
    )))
    .outerjoin(_parent, _parent.c.key == nodes.c.parent)
    .where(
        nodes.c.book == bindparam("book"), IS_LIVING, IS_UNIT,
        or_(nodes.c.parent.is_(None), _parent.c.level.in_(_COARSE)),
    )
)  # fmt: skip
_MARK = Prepared(
    select(
        select(documents.c.id).where(_OF_BOOK).order_by(documents.c.id.desc()).limit(ONE).scalar_subquery(),
        select(func.max(codex.c.id)).where(codex.c.book == bindparam("book")).scalar_subquery(),
    )
)
_SHELVES = Prepared(
    select(documents.c.kind, nodes.c.folder)
    .join(nodes, nodes.c.key == documents.c.node)
    .where(_OF_BOOK, IS_CURRENT, IS_LIVING, documents.c.kind.in_(bindparam("kinds", expanding=True)))
    .distinct()
)
_ANY_RECORD = Prepared(
    select(codex.c.id)
    .where(codex.c.book == bindparam("book"), codex.c.is_current.is_(True), codex.c.is_removed.is_(False))
    .limit(ONE)
)
_MADE = Prepared(
    select(documents.c.node, func.min(documents.c.made_at), func.max(documents.c.made_at))
    .where(
        _OF_BOOK, documents.c.node.in_(bindparam("nodes", expanding=True)), documents.c.version == 1,
        documents.c.made_at.is_not(None),
    )
    .group_by(documents.c.node)
)  # fmt: skip
_TIMES = Prepared(
    select(steps.c.node, steps.c.activity, func.min(steps.c.recorded_at), func.max(steps.c.recorded_at))
    .where(
        steps.c.book == bindparam("book"), steps.c.node.in_(bindparam("nodes", expanding=True)),
        steps.c.round < AMENDING_ROUNDS,
    )
    .group_by(steps.c.node, steps.c.activity)
)  # fmt: skip
_TASKS = Prepared(
    select(nodes.c.key, nodes.c.label, nodes.c.stage, nodes.c.stage_title, nodes.c.status)
    .where(nodes.c.unit == bindparam("unit"), IS_LIVING)
)  # fmt: skip


class VaultMark(NamedTuple):
    """How far a folder has followed its book: the newest document and the newest version of a record in it."""

    documents: int = 0
    records: int = 0


class _Ordered:
    """What stands somewhere in the tree."""

    label: str

    @property
    def order(self) -> tuple[int, ...]:
        """Sort key for reading order."""
        return order_of(self.label)


@dataclass(frozen=True)
class DocumentRow(_Ordered):
    """A current document, without its text, and the node that it belongs to."""

    id: int
    node: int
    kind: DocumentKind
    version: int
    text_hash: str
    label: str
    title: str
    goal: str
    task_type: TaskType
    level: Level
    unit: str | None
    """The label of the unit that a task serves; None for a unit's own document."""
    folder: str = ""
    """Where a blueprint wants its page; empty for the usual place."""
    stage: str = ""
    """The blueprint's stage and member, and what part of it the task is; empty for what is no task of one."""
    stage_title: str = ""

    @property
    def member(self) -> str:
        """The blueprint's member that it belongs to; empty where there is none."""
        return self.stage.split("/")[1] if "/" in self.stage else ""


@dataclass(frozen=True)
class UnitRow(_Ordered):
    """A unit down to chapters, or to what stands in a chapter's place."""

    key: int
    parent: int | None
    label: str
    level: Level
    title: str
    goal: str
    written: int
    length: int | None
    unit_index: int
    status: NodeStatus
    is_brought_in: bool = False
    """An author wrote it before the book came here; its title is their own heading."""


@dataclass(frozen=True)
class TaskRow(_Ordered):
    """A task of the book itself."""

    key: int
    label: str
    stage: str
    """The blueprint's stage and member; empty for what a planner thought of."""
    stage_title: str
    status: NodeStatus


@dataclass(frozen=True)
class TimeSpan:
    """When something at a node began and ended, by what was recorded of it, in seconds since 1970."""

    first: float
    last: float


class VaultRows(Repository):
    """Looks at one book in one transaction."""

    def mark(self) -> VaultMark:
        """Return how far the book is."""
        newest, record = self._rows(_MARK).one()
        return VaultMark(newest or 0, record or 0)

    def documents(self, *kinds: DocumentKind) -> list[DocumentRow]:
        """Return the current documents of some kinds, oldest first."""
        return self._documents(_DOCUMENTS, kinds)

    def documents_after(self, identity: int, *kinds: DocumentKind) -> list[DocumentRow]:
        """Return those that came after one."""
        return self._documents(_DOCUMENTS_AFTER, kinds, after=identity)

    def documents_under(self, key: int, *kinds: DocumentKind) -> list[DocumentRow]:
        """Return those of a node and of what is below it."""
        return self._documents(_DOCUMENTS_BELOW, kinds, node=key)

    def units(self) -> list[UnitRow]:
        """Return the book, its parts and its chapters in reading order; what is below a chapter is left out."""
        rows = (
            row._asdict() | {"level": Level(row.level), "status": NodeStatus(row.status)} for row in self._rows(_UNITS)
        )
        return sorted((UnitRow(**row) for row in rows), key=lambda unit: unit.order)

    def times(self, keys: list[int]) -> dict[tuple[int, Activity], TimeSpan]:
        """Return when each activity at some nodes went on; what was mended afterwards is no part of it."""
        rows = self._rows(_TIMES, nodes=keys)
        return {(node, Activity(activity)): TimeSpan(first, last) for node, activity, first, last in rows}

    def made(self, keys: list[int]) -> dict[int, TimeSpan]:
        """Return when nodes had their first documents of those that no step made, but code or an author."""
        return {node: TimeSpan(first, last) for node, first, last in self._rows(_MADE, nodes=keys)}

    def shelves(self, *kinds: DocumentKind) -> set[tuple[DocumentKind, str]]:
        """Return which of some kinds there are, each with the folders that a blueprint wants for it."""
        rows = self._rows(_SHELVES, kinds=[kind.value for kind in kinds])
        return {(DocumentKind(kind), folder) for kind, folder in rows}

    def has_records(self) -> bool:
        """Tell whether anything stands in the codex."""
        return bool(self._rows(_ANY_RECORD))

    def tasks_of(self, unit: int) -> list[TaskRow]:
        """Return the living tasks that serve a unit, in reading order."""
        rows = self._rows(_TASKS, unit=unit)
        found = (TaskRow(key, label, stage, title, NodeStatus(status)) for key, label, stage, title, status in rows)
        return sorted(found, key=lambda task: task.order)

    def _documents(self, statement: Prepared, kinds: tuple[DocumentKind, ...], **values: int) -> list[DocumentRow]:
        rows = self._rows(statement, kinds=[kind.value for kind in kinds], **values)
        return [_document_row(row) for row in rows]

    def _rows(self, statement: Prepared, **values: Any) -> Rows:
        return statement.execute(self._connection, {"book": self._book, **values})


def _document_row(row: Row[*tuple[Any, ...]]) -> DocumentRow:
    words = {"kind": DocumentKind(row.kind), "task_type": TaskType(row.task_type), "level": Level(row.level)}
    return DocumentRow(**row._asdict() | words)
