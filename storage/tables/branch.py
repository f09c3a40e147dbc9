"""Which book is a branch of which, what it reads of its origins, and what merges have done to a book."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Table, UniqueConstraint

from bookwright.storage.tables.columns import Key, Name, Text, metadata

branches = Table(
    "branches",
    metadata,
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("origin", Name, ForeignKey("books.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Name, nullable=False, server_default=""),
    Column("nodes", Key, nullable=False),
    Column("documents", Key, nullable=False),
    Column("origin_nodes", Key, nullable=False),
    Column("origin_documents", Key, nullable=False),
    Column("forked_at", Float, nullable=False),
    UniqueConstraint("origin", "name"),
)
"""A book that was forked from another: `at` is the label from which on it is open again, empty where it is the whole.

`nodes` and `documents` are the last rows that it has from its origin, `origin_nodes` and `origin_documents` the last
that this had: what is newer was made since, by the one or the other.
"""

lineages = Table(
    "lineages",
    metadata,
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("ancestor", Name, ForeignKey("books.id"), primary_key=True),
    Column("steps", Key, nullable=False),
    sqlite_with_rowid=False,
)
"""All origins of a branch: it reads their texts and vectors, and their steps up to one. They cannot be deleted."""

merges = Table(
    "merges",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("branch", Name, nullable=False),
    Column("took", Text, nullable=False),
    Column("undo", Text, nullable=False),
    Column("is_undone", Boolean, nullable=False, default=False),
    Column("merged_at", Float, nullable=False),
    Index("ix_merges_book", "book", "id"),
)
"""What was taken over from a branch, and as JSON what takes it back."""
