"""The statements on documents that the walk asks for again and again, built once."""

from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Float, Select, bindparam, func, insert, select, true, update

from bookwright.models.document import CodexUse
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.branches.lineage import ancestors_of, words_of
from bookwright.storage.engine.database import database_now
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.tables import IS_CURRENT, IS_LIVING, ONE, codex_uses, documents, first_rows, nodes, texts

_text = select(texts.c.body).where(texts.c.hash == words_of(documents.c.text_hash)).correlate(documents)
_own = _text.where(texts.c.book == documents.c.book).scalar_subquery()
_shared = _text.where(texts.c.book.in_(ancestors_of(documents.c.book))).limit(ONE).scalar_subquery()
COLUMNS: tuple[ColumnElement[Any], ...] = tuple(map(words_of, documents.c))
WITH_TEXT: Select[Any] = select(*COLUMNS, func.coalesce(_own, _shared).label("body"))
_ONE_OF_NODE = (documents.c.node == bindparam("node"), documents.c.kind == bindparam("kind"))
_OF_BOOK = documents.c.book == bindparam("book")
_OF_KINDS = documents.c.kind.in_(bindparam("kinds", expanding=True))

GET = Prepared(WITH_TEXT.where(documents.c.id == bindparam("id")))
CURRENT = Prepared(WITH_TEXT.where(*_ONE_OF_NODE, IS_CURRENT))
CURRENT_WITHOUT_TEXT = Prepared(select(*COLUMNS).where(*_ONE_OF_NODE, IS_CURRENT))
LATEST = Prepared(
    WITH_TEXT.where(_OF_BOOK, documents.c.kind == bindparam("kind"), IS_CURRENT)
    .order_by(documents.c.id.desc())
    .limit(ONE)
)
_OF_NODES = documents.c.node.in_(bindparam("nodes", expanding=True))
OF_NODES = Prepared(WITH_TEXT.where(_OF_NODES, _OF_KINDS, IS_CURRENT).order_by(documents.c.id))
VERSIONS = select(*COLUMNS).where(*_ONE_OF_NODE).order_by(documents.c.version)
_AFTER = WITH_TEXT.where(_OF_BOOK, documents.c.id > bindparam("after"), _OF_KINDS).order_by(documents.c.id)

LABELLED: Select[Any] = (
    select(*COLUMNS, nodes.c.label)
    .join(nodes, nodes.c.key == documents.c.node)
    .where(_OF_BOOK, documents.c.kind == bindparam("kind"), IS_CURRENT, IS_LIVING)
)

_void = nodes.alias("void_nodes")
_is_replaced = select(_void.c.key).where(_void.c.key == documents.c.node, _void.c.status == NodeStatus.VOID.value)
_id = select(documents.c.id).where(_OF_BOOK, IS_CURRENT, ~_is_replaced.exists()).limit(ONE)

_ADD = (
    insert(documents)
    .values(
        version=select(func.coalesce(func.max(documents.c.version), 0) + 1)
        .where(documents.c.node == bindparam("of_node"), documents.c.kind == bindparam("of_kind"))
        .scalar_subquery()
    )
    .returning(documents.c.id, documents.c.version, documents.c.made_at)
)
_GIVEN = tuple(column.name for column in documents.c if column.name not in ("id", "version", "made_at", "shared"))
ADD = Prepared(_ADD, *_GIVEN)
ADD_NOW = Prepared(_ADD.values(made_at=database_now()), *_GIVEN)
"""For what no step made, which would tell when."""

REPLACE = Prepared(
    update(documents)
    .where(
        documents.c.node == bindparam("of_node"), documents.c.kind == bindparam("of_kind"),
        documents.c.version == bindparam("old"),
    )
    .values(is_current=False)
)  # fmt: skip


@lru_cache(maxsize=8)
def after(limit: int) -> Prepared:
    """The first documents of a book, up to a limit, that came `after` one and are of some `kinds`."""
    return Prepared(_AFTER.limit(first_rows(limit)))


HALF = 0.5
"""A place between two ids counts as the nearer one."""


@lru_cache(maxsize=8)
def drawn(count: int, kinds: int) -> Prepared:
    """The documents at or next after so many places in the range of ids; one that is met twice comes once.

    The places are `draw_0` and on, 0 to 1; the kinds are `kind_0` and on.
    """
    of_kinds = _id.where(documents.c.kind.in_([bindparam(f"kind_{i}") for i in range(kinds)]))
    ends = select(  # ordered, each end is one look at the index; min() and max() would read all ids
        of_kinds.order_by(documents.c.id).scalar_subquery().label("first"),
        of_kinds.order_by(documents.c.id.desc()).scalar_subquery().label("last"),
    ).cte("ends")
    first, last = (select(end).scalar_subquery() for end in (ends.c.first, ends.c.last))
    hits = [
        of_kinds.where(documents.c.id >= first + bindparam(f"draw_{i}", type_=Float) * (last - first) - HALF)
        .order_by(documents.c.id)
        .scalar_subquery()
        for i in range(count)
    ]
    labelled = WITH_TEXT.add_columns(nodes.c.label, ends).join(nodes, nodes.c.key == documents.c.node)
    return Prepared(labelled.join(ends, true()).where(documents.c.id.in_(hits)))


KNOWN, CUT = "known", "cut"
"""What a codex use says of a record."""


def keep_use(connection: Connection, document: int, use: CodexUse) -> None:
    """Store the codex use of a document, in one statement."""
    rows: list[dict[str, Any]] = [{"effect": KNOWN, "record": use.known}]
    rows += [{"effect": CUT, "record": record} for record in dict.fromkeys(use.cut_by)]
    connection.execute(insert(codex_uses), [row | {"document": document} for row in rows])
