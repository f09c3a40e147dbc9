"""What a book is: its row, its brief, its nodes, the gates where a human decides, its branches and merges.

Also what all books share: what the studio has spent, and when providers may be asked next.
"""

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, Integer, Table, UniqueConstraint, false

from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.tables.columns import Key, Name, Text, metadata

books = Table(
    "books",
    metadata,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("advice", Text, nullable=False, server_default=""),
    Column("has_failed", Boolean, nullable=False, server_default=false()),
    Column("is_archived", Boolean, nullable=False, default=False),
    Column("stop_requested", Boolean, nullable=False, default=False),
    Column("stop_requested_at", Float, nullable=False, server_default="0"),
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
    Column("windows", Text, nullable=False, server_default="{}"),
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

paces = Table("paces", metadata, Column("provider", Text, primary_key=True), Column("next_free", Float, nullable=False))
"""When the next request may go to a provider whose rate is limited, in seconds since 1970."""

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
    Column("key", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("parent", Key, ForeignKey("nodes.key", ondelete="CASCADE")),
    Column("unit", Key, ForeignKey("nodes.key", ondelete="CASCADE")),
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
    Column("story_time", Text),
    Column("is_brought_in", Boolean, nullable=False, default=False, server_default=false()),
    UniqueConstraint("parent", "ordinal"),
    Index("ix_nodes_book_label", "book", "label"),
    Index("ix_nodes_parent_status", "parent", "status", "ordinal"),
    Index("ix_nodes_unit", "unit"),
)

IS_LIVING = nodes.c.status != NodeStatus.VOID.value
"""A node that was not replaced."""

IS_UNIT = nodes.c.task_type == TaskType.WRITE.value

gates = Table(
    "gates",
    metadata,
    Column("id", Key, primary_key=True),
    Column("book", Name, ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("node", Key, ForeignKey("nodes.key", ondelete="CASCADE"), nullable=False),
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
