"""The tables. Rows stay in this package; repositories hand out domain models."""

import sqlalchemy
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    TypeDecorator,
    UniqueConstraint,
)


class Text(TypeDecorator[str]):
    """Text that every database takes: NUL and lone surrogates are left out or replaced.

    A model may put either into a title or its reasoning, and a paid reply must not be lost for it.
    """

    impl = sqlalchemy.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text without what Postgres or UTF-8 refuses."""
        if value is None or (value.isascii() and "\x00" not in value):
            return value
        return value.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


Name = sqlalchemy.Text
"""Text that only the program itself makes: hashes, words of the domain; nothing is to be taken out of it."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite gives row ids only to INTEGER keys; Postgres wants the wider type.
_Key = BigInteger().with_variant(Integer, "sqlite")

books = Table(
    "books",
    metadata,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("advice", Text, nullable=False, server_default=""),
    Column("is_archived", Boolean, nullable=False, default=False),
    Column("stop_requested", Boolean, nullable=False, default=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("lease_owner", Text),
    Column("lease_token", BigInteger, nullable=False, default=0),
    Column("lease_expires", Float, nullable=False, default=0.0),
    Column("intent", Text, nullable=False, server_default=""),
    Column("calls", Integer, nullable=False, default=0),
    Column("input_tokens", BigInteger, nullable=False, default=0),
    Column("cached_tokens", BigInteger, nullable=False, default=0),
    Column("output_tokens", BigInteger, nullable=False, default=0),
    Column("cost", BigInteger, nullable=False, default=0),
    Column("unpriced_calls", Integer, nullable=False, default=0),
    Column("length_ratio", Float, nullable=False, default=1.0),
)
"""One row a book: its state, its lease, its sums. Small, since each step rewrites it."""

studio = Table(
    "studio",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("deleted_cost", BigInteger, nullable=False, default=0),
    Column("deleted_tokens", BigInteger, nullable=False, default=0),
)
"""One row, which whoever asks for a slice of the studio's cap locks: what deleted books have spent."""

allowances = Table(
    "allowances",
    metadata,
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("cost", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
)
"""How far a running book may spend of the studio's cap, in all; no row for a book that rests."""

briefs = Table(
    "briefs",
    metadata,
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("brief", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

nodes = Table(
    "nodes",
    metadata,
    Column("key", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("parent", _Key, ForeignKey("nodes.key", ondelete="CASCADE")),
    Column("unit", _Key, ForeignKey("nodes.key", ondelete="CASCADE")),
    Column("label", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("revision", Integer, nullable=False, default=1),
    Column("level", Name, nullable=False),
    Column("task_type", Name, nullable=False),
    Column("title", Text, nullable=False, default=""),
    Column("goal", Text, nullable=False),
    Column("spec", Text, nullable=False, default="{}"),
    Column("complexity_score", Integer),
    Column("length", Integer),
    Column("written", Integer, nullable=False, default=0),
    Column("is_last", Boolean, nullable=False, default=False),
    Column("unit_index", Integer, nullable=False, default=0),
    Column("status", Name, nullable=False, default="open"),
    Column("planning_round", Integer, nullable=False, default=0),
    Column("decided_round", Integer, nullable=False, default=0),
    Column("verdict", Name),
    Column("decision", Name),
    Column("open_points", Text, nullable=False, default="[]"),
    Column("outline", Text, nullable=False, default="[]"),
    Column("stage", Text, nullable=False, default="", server_default=""),
    Column("stage_title", Text, nullable=False, default="", server_default=""),
    Column("folder", Text, nullable=False, default="", server_default=""),
    Column("child_level", Name),
    Column("is_brought_in", Boolean, nullable=False, default=False, server_default=sqlalchemy.false()),
    UniqueConstraint("parent", "ordinal"),
    Index("ix_nodes_book_label", "book", "label"),
    Index("ix_nodes_parent_status", "parent", "status", "ordinal"),
    Index("ix_nodes_unit", "unit"),
)

texts = Table(
    "texts",
    metadata,
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Name, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)
"""Prompt blocks, replies and documents, once per book by content hash, compressed.

By row id, so that SQLite appends them: put among others by hash, they would leave a third of each page empty.
"""

steps = Table(
    "steps",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("node", _Key, ForeignKey("nodes.key", ondelete="CASCADE"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("activity", Name, nullable=False),
    Column("round", Integer, nullable=False),
    Column("step", Name, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("failure", Name),
    Column("detail", Text, nullable=False, default=""),
    Column("role", Name, nullable=False, default=""),
    Column("model", Text, nullable=False),
    Column("template", Name, nullable=False, default=""),
    Column("input_hash", Name, nullable=False, default=""),
    Column("prompt", Name, nullable=False, default=""),
    Column("reply", Name, nullable=False),
    Column("reasoning", Text, nullable=False, default=""),
    Column("finish_reason", Text, nullable=False, default="stop"),
    Column("input_tokens", Integer, nullable=False, default=0),
    Column("cached_tokens", Integer, nullable=False, default=0),
    Column("cache_write_tokens", Integer, nullable=False, default=0),
    Column("output_tokens", Integer, nullable=False, default=0),
    Column("is_estimate", Boolean, nullable=False, default=False),
    Column("cost", BigInteger),
    Column("duration_millis", Integer, nullable=False, default=0),
    Column("first_event_millis", Integer),
    Column("has_move", Boolean, nullable=False),
    Column("lease_token", BigInteger, nullable=False),
    Column("recorded_at", Float, nullable=False),
    UniqueConstraint("book", "node", "revision", "activity", "round", "step", "attempt", name="uq_steps_identity"),
)
"""The journal: every model reply, once, with its bill. Append-only."""

tool_uses = Table(
    "tool_uses",
    metadata,
    Column("step", _Key, ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("tool", Text, nullable=False),
    Column("arguments", Text, nullable=False),
    Column("status", Name, nullable=False),
    Column("response", Name, nullable=False),
    Column("duration_millis", Integer, nullable=False),
    Column("lease_token", BigInteger, nullable=False),
    Column("recorded_at", Float, nullable=False),
    Index("ix_tool_uses_book", "book", "step"),
)
"""What came of the tool that an attempt asked for, by text hash, kept before the next call. Append-only."""

documents = Table(
    "documents",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("node", _Key, ForeignKey("nodes.key", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("version", Integer, nullable=False),
    Column("is_current", Boolean, nullable=False, default=True),
    Column("text_hash", Name, nullable=False),
    Column("data_hash", Name),
    Column("length", Integer, nullable=False),
    Column("step", _Key, ForeignKey("steps.id", ondelete="SET NULL")),
    Column("origin", Name, nullable=False, server_default="step"),
    Column("base", Integer),
    Column("note", Text),
    Column("made_at", Float),
    UniqueConstraint("node", "kind", "version"),
    Index("ix_documents_book_kind", "book", "kind", "is_current", "id"),
    Index("ix_documents_book", "book", "id"),
)

document_inputs = Table(
    "document_inputs",
    metadata,
    Column("document", _Key, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("input", _Key, primary_key=True),
    Index("ix_document_inputs_input", "input"),
    sqlite_with_rowid=False,
)
"""Which documents stood in the prompt that a document came of: what makes staleness exact."""

maintenance = Table(
    "maintenance",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("document", _Key, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("is_applied", Boolean, nullable=False, default=False),
    Index("ix_maintenance_waiting", "book", "is_applied", "id"),
)
"""What the maintainers are owed: deferred, applied in order, never concurrent."""

passages = Table(
    "passages",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("document", _Key, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("node", _Key, nullable=False),
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

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE")),
    Column("tab", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("model", Text, nullable=False, server_default=""),
    Column("title", Text, nullable=False, server_default=""),
    Column("parent", Text),
    Column("is_initialized", Boolean, nullable=False, default=False),
    Column("dropped_turns", Integer, nullable=False, default=0),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    sqlite_with_rowid=False,
)
"""Talks with agents, of a book or of none; a step of the walk has its journal row instead.

Few, so that nothing but the key is indexed: each index is a page of every book's file.
"""

session_messages = Table(
    "session_messages",
    metadata,
    Column("session", Text, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("recorded_at", Float, nullable=False),
    sqlite_with_rowid=False,
)
"""The turns of a session as JSON, in order from 1; `size` counts the characters of the text."""

codex = Table(
    "codex",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("slug", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("is_current", Boolean, nullable=False, default=True),
    Column("is_removed", Boolean, nullable=False, default=False),
    Column("data", Text, nullable=False),
    Column("origin", Name, nullable=False),
    Column("origins", Text, nullable=False),
    Column("document", _Key),
    Column("step", _Key),
    Column("recorded_at", Float, nullable=False),
    UniqueConstraint("book", "kind", "slug", "version"),
    Index("ix_codex_current", "book", "kind", "is_current", "slug"),
)
"""Entries, secrets and threads of foreshadowing in all their versions; none is ever overwritten."""

codex_uses = Table(
    "codex_uses",
    metadata,
    Column("document", _Key, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("effect", Name, primary_key=True),
    Column("record", _Key, ForeignKey("codex.id", ondelete="CASCADE"), primary_key=True),
    sqlite_with_rowid=False,
)
"""The codex and a document: `"known"`, its newest row when that was made; `"cut"`, rows for which something was taken
out of a prompt, or an answer refused."""

codex_suggestions = Table(
    "codex_suggestions",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Name, nullable=False),
    Column("slug", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("path", Text, nullable=False),
    Column("present", Text, nullable=False),
    Column("wanted", Text, nullable=False),
    Column("status", Name, nullable=False),
    Column("document", _Key),
    Column("step", _Key),
    Column("recorded_at", Float, nullable=False),
    Index("ix_codex_suggestions_record", "book", "kind", "slug", "status"),
)
"""What an extraction would change of what an author said: kept for the author to take or drop."""

gates = Table(
    "gates",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("node", _Key, ForeignKey("nodes.key", ondelete="CASCADE"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("kind", Name, nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", Name, nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    Column("draft", Text, nullable=False, server_default=""),
    Column("text", Text, nullable=False, server_default=""),
    Column("refusals", Text, nullable=False, server_default="[]"),
    Column("decider", Name),
    Column("created_at", Float, nullable=False),
    Column("decided_at", Float),
    Column("is_settled", Boolean, nullable=False, default=False),
    Column("told_at", Float),
    Column("notice", Text, nullable=False, server_default=""),
    UniqueConstraint("node", "revision", "kind", "number"),
    Index("ix_gates_unsettled", "book", "is_settled", "id"),
)
"""Where a human decides or has decided. A row that waits keeps its book at rest; deciding needs no lease."""
