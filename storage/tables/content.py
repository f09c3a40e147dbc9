"""What steps have made of a book: documents and what they rest on, the codex, and what the index holds."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, Table, UniqueConstraint

from bookwright.storage.tables.columns import Key, Name, Text, metadata

documents = Table(
    "documents",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("node", Key, ForeignKey("nodes.key", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("version", Integer, nullable=False),
    Column("is_current", Boolean, nullable=False, default=True),
    Column("text_hash", Name, nullable=False),
    Column("data_hash", Name),
    Column("length", Integer, nullable=False),
    Column("step", Key, ForeignKey("steps.id", ondelete="SET NULL")),
    Column("origin", Name, nullable=False, server_default="step"),
    Column("base", Integer),
    Column("note", Text),
    Column("made_at", Float),
    Column("shared", Key),
    UniqueConstraint("node", "kind", "version"),
    Index("ix_documents_book_kind", "book", "kind", "is_current", "id"),
    Index("ix_documents_book", "book", "id"),
)
"""All versions of all documents. `shared` is the document of an origin that one of a branch stands for."""

IS_CURRENT = documents.c.is_current.is_(True)

_is_shared = documents.c.shared.is_not(None)
# Partial on Postgres, too (migration 0023); to say so here would load its dialect at every start.
Index("ix_documents_shared", documents.c.shared, sqlite_where=_is_shared)

document_inputs = Table(
    "document_inputs",
    metadata,
    Column("document", Key, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("input", Key, primary_key=True),
    Index("ix_document_inputs_input", "input"),
    sqlite_with_rowid=False,
)
"""Which documents stood in the prompt that a document came of: what makes staleness exact.

Of what branches share both are told as the document that stood there first (`storage.branches.lineage`).
"""

maintenance = Table(
    "maintenance",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("document", Key, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("is_applied", Boolean, nullable=False, default=False),
    Index("ix_maintenance_waiting", "book", "is_applied", "id"),
)
"""What the maintainers are owed: deferred, applied in order, never concurrent."""

passages = Table(
    "passages",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("document", Key, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("node", Key, nullable=False),
    Column("kind", Name, nullable=False),
    Column("chunk", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("vector_hash", Text, nullable=False),
    UniqueConstraint("document", "chunk"),
    Index("ix_passages_book", "book", "id"),
)
"""What the index holds, so that it can be rebuilt without embedding anything again."""

vectors = Table(
    "vectors",
    metadata,
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Name, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""Embeddings by text hash, little-endian float32."""


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
