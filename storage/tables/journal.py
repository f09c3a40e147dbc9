"""The tables of the journal: texts, steps, and uses of tools."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    UniqueConstraint,
)

from bookwright.storage.tables.columns import Key, Name, Text, metadata

texts = Table(
    "texts",
    metadata,
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Name, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)
"""Prompt blocks, cards, replies and documents, once per book by content hash, compressed.

By row id, so that SQLite appends them: put among others by hash, they would leave a third of each page empty.
"""

steps = Table(
    "steps",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("node", Key, ForeignKey("nodes.key", ondelete="CASCADE"), nullable=False),
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
    Column("card", Name),
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
"""The journal: every model reply, once, with its bill. Append-only.

`prompt` and `card` are hashes of texts, `card` of what the prompt's last block was rendered from: empty where that was
no template of the walk, null where a version recorded the step that stored no card.
"""

tool_uses = Table(
    "tool_uses",
    metadata,
    Column("step", Key, ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True),
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
