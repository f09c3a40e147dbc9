"""What authors remark on passages of their texts."""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, Table

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
