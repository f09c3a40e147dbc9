"""The tables of the codex: records in versions, suggestions, and the codex uses of documents."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, Table, UniqueConstraint

from bookwright.storage.tables.columns import Key, Name, Text, metadata

codex = Table(
    "codex",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("slug", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("is_current", Boolean, nullable=False, default=True),
    Column("is_removed", Boolean, nullable=False, default=False),
    Column("data", Text, nullable=False),
    Column("origin", Name, nullable=False),
    Column("origins", Text, nullable=False),
    Column("document", Key),
    Column("step", Key),
    Column("recorded_at", Float, nullable=False),
    Column("shared", Key),
    UniqueConstraint("book", "kind", "slug", "version"),
)
"""Entries, secrets and threads of foreshadowing in all their versions; none is ever overwritten.

An earlier version that a branch has of its origin is empty: `shared` is the row there that holds its words.
"""

_current = codex.c.is_current.is_(True)
# Partial on Postgres, too (migration 0023); to say so here would load its dialect at every start.
Index("ix_codex_current", codex.c.book, codex.c.kind, codex.c.slug, sqlite_where=_current)

codex_uses = Table(
    "codex_uses",
    metadata,
    Column("document", Key, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("effect", Name, primary_key=True),
    Column("record", Key, ForeignKey("codex.id", ondelete="CASCADE"), primary_key=True),
    sqlite_with_rowid=False,
)
"""The codex and a document: `"known"`, its newest row when that was made; `"cut"`, rows for which something was taken
out of a prompt, or an answer refused."""

codex_suggestions = Table(
    "codex_suggestions",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("slug", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("path", Text, nullable=False),
    Column("present", Text, nullable=False),
    Column("wanted", Text, nullable=False),
    Column("status", Name, nullable=False),
    Column("document", Key),
    Column("step", Key),
    Column("recorded_at", Float, nullable=False),
    Index("ix_codex_suggestions_record", "book", "kind", "slug", "status"),
)
"""What an extraction would change of what an author said: kept for the author to take or drop."""
