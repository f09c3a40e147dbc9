"""Talks with agents."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, Table

from bookwright.storage.tables.columns import Name, Text, metadata

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
