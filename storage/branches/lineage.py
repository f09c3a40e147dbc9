"""Query conditions by which a branch reads from its origins: texts and vectors by hash, steps up to the fork."""

from typing import Any

from sqlalchemy import Column, ColumnElement, case, or_, select

from bookwright.storage.tables import codex, lineages, steps

SHARED_WORDS = frozenset({"data", "origins"})
"""Columns of the codex that an earlier version in a branch leaves to its origin's."""


def of_lineage(column: ColumnElement[Any], book: Any) -> ColumnElement[bool]:
    """The condition that a row is a book's own or one of its origins'."""
    return or_(column == book, column.in_(ancestors_of(book)))


def ancestors_of(book: Any) -> Any:
    """The query of all origins of a book; none for a book that is no branch."""
    return select(lineages.c.ancestor).where(lineages.c.book == book).correlate_except(lineages)


def of_heirs(column: ColumnElement[Any], book: str) -> ColumnElement[bool]:
    """The condition that a row is a book's own or of one that reads of it."""
    return or_(column == book, column.in_(select(lineages.c.book).where(lineages.c.ancestor == book)))


def words_of(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column of a record's version that holds its words: its own, or those of the row that it shares."""
    if not isinstance(column, Column) or column.table is not codex or column.name not in SHARED_WORDS:
        return column
    source = codex.alias("source")
    shared = select(source.c[column.name]).where(source.c.id == codex.c.shared).correlate(codex).scalar_subquery()
    return case((codex.c.shared.is_(None), column), else_=shared).label(column.name)


def steps_of_lineage(book: str) -> ColumnElement[bool]:
    """The condition that a step is a book's own, or was on record of an origin when the book was forked."""
    shared = select(lineages.c.book).where(
        lineages.c.book == book, lineages.c.ancestor == steps.c.book, lineages.c.steps >= steps.c.id
    )
    return or_(steps.c.book == book, shared.correlate(steps).exists())
