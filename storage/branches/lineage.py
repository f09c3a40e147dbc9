"""Query conditions by which a branch reads from its origins: texts and vectors by hash, steps up to the fork."""

from typing import Any

from sqlalchemy import Column, ColumnElement, Table, case, or_, select

from bookwright.storage.tables import codex, documents, lineages, steps

SHARED_WORDS = {codex: frozenset({"data", "origins"}), documents: frozenset({"text_hash", "data_hash"})}
"""Columns that a row of a branch leaves to the row of an origin that it shares: they never change."""


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
    return or_(steps.c.book == book, shared.correlate(steps).exists())
