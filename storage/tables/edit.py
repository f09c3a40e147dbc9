"""What authors want changed of books that are being written."""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, Table

from bookwright.storage.tables.columns import Key, Name, Text, metadata

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
