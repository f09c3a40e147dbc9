"""What authors say of their books: comments on passages, edits that wait, and talks with agents."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, Table

from bookwright.storage.tables.columns import Key, Name, Text, metadata

comments = Table(
    "comments",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("node", Key, ForeignKey("nodes.key", ondelete="CASCADE"), nullable=False),
    Column("quote", Text, nullable=False),
    Column("before", Text, nullable=False, server_default=""),
    Column("after", Text, nullable=False, server_default=""),
    Column("words", Text, nullable=False),
    Column("state", Name, nullable=False),
    Column("seen", Integer, nullable=False, server_default="0"),
    Column("created_at", Float, nullable=False),
    Index("ix_comments_book", "book", "state", "node"),
)
"""`quote` is the passage with what stands `before` and `after` it; `seen` the version that a model was to change."""

edits = Table(
    "edits",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("target", Name, nullable=False),
    Column("seen", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("state", Name, nullable=False),
    Column("outcome", Text, nullable=False, server_default=""),
    Column("created_at", Float, nullable=False),
    Column("settled_at", Float),
    Index("ix_edits_waiting", "book", "state", "id"),
)
"""In order of their coming. `target` says what is changed, `seen` the version that the author had before them, `body`
is the change as JSON. A row leaves its waiting state in the transaction that makes the change: it is made once."""

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
