"""What documents rest on: recorded once for all branches that share them, under the document that stood there first."""

from typing import Any

from sqlalchemy import Column, ColumnElement, bindparam, func, insert, literal_column, select

from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.tables import document_inputs, documents


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
