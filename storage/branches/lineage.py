"""What a branch reads from its origins: texts and vectors by hash, earlier steps, and what documents rest on."""

from typing import Any

from sqlalchemy import Column, ColumnElement, Table, bindparam, case, func, insert, literal_column, select, type_coerce

from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.tables import codex, document_inputs, documents, lineages, steps

SHARED_WORDS = {codex: frozenset({"data", "origins"}), documents: frozenset({"text_hash", "data_hash"})}
"""Columns that a row of a branch leaves to the row of an origin that it shares: they never change."""


def of_lineage(column: ColumnElement[Any], book: Any) -> ColumnElement[bool]:
    """The condition that a row is a book's own or one of its origins': one list, for an index to go on behind."""
    return column.in_(select(type_coerce(book, column.type)).union_all(ancestors_of(book)))


def ancestors_of(book: Any) -> Any:
    """The query of all origins of a book; none for a book that is no branch."""
    return select(lineages.c.ancestor).where(lineages.c.book == book).correlate_except(lineages)


def of_heirs(column: ColumnElement[Any], book: str) -> ColumnElement[bool]:
    """The condition that a row is a book's own or of one that reads of it."""
    return (column == book) | column.in_(select(lineages.c.book).where(lineages.c.ancestor == book))


def words_of(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column of a version that holds its words: its own, or those of the row that it shares."""
    table = column.table if isinstance(column, Column) else None
    if not isinstance(table, Table) or column.name not in SHARED_WORDS.get(table, ()):
        return column
    source = table.alias("shares")
    shared = select(source.c[column.name]).where(source.c.id == table.c.shared).correlate(table).scalar_subquery()
    return case((table.c.shared.is_(None), column), else_=shared).label(column.name)


def steps_of_lineage(book: str) -> ColumnElement[bool]:
    """The condition that a step is a book's own, or was on record of an origin when the book was forked."""
    shared = select(lineages.c.book).where(
        lineages.c.book == book, lineages.c.ancestor == steps.c.book, lineages.c.steps >= steps.c.id
    )
    return (steps.c.book == book) | shared.correlate(steps).exists()


def first_of(table: Any) -> ColumnElement[int]:
    """The document under which is recorded what one rests on, and what rests on it: an origin's, or itself."""
    return func.coalesce(table.c.shared, table.c.id)


def _in_book(key: Column[int], book: Column[str]) -> ColumnElement[int]:
    """The document of a book that shares one of its origin's; where none does, that document itself."""
    copy = documents.alias("copy")
    # without an index on the book, which SQLite may prefer: a branch has all its documents in it
    of_book = copy.c.book.concat(literal_column("''")) == book
    found = select(copy.c.id).where(copy.c.shared == key, of_book).correlate_except(copy).scalar_subquery()
    return func.coalesce(found, key)


# What documents rest on is recorded once for all branches that share them, under the document that stood there first.
_resting, _source = documents.alias("resting"), documents.alias("source")
_pairs = select(_resting.c.book, _resting.c.id.label("document"), _source.c.id.label("input"))

inputs = (
    _pairs.select_from(_resting)
    .join(document_inputs, document_inputs.c.document == first_of(_resting))
    .join(_source, _source.c.id == _in_book(document_inputs.c.input, _resting.c.book))
    .where(_source.c.book.concat(literal_column("''")) == _resting.c.book)
    .subquery("inputs")
)
"""`book`, `document` and `input` by the keys of each book: for statements that know the document or the book."""

uses = (
    _pairs.select_from(_source)
    .join(document_inputs, document_inputs.c.input == first_of(_source))
    .join(_resting, _resting.c.id == _in_book(document_inputs.c.document, _source.c.book))
    .where(_resting.c.book.concat(literal_column("''")) == _source.c.book)
    .subquery("uses")
)
"""The same, for statements that know the input."""

_first = select(first_of(documents)).where(documents.c.id == bindparam("source")).scalar_subquery()
ADD_INPUTS = Prepared(
    insert(document_inputs)
    .inline()
    .values(document=bindparam("resting"), input=func.coalesce(_first, bindparam("source")))
)
