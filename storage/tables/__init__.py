"""The tables, and conditions on their rows. Rows stay in this package; repositories hand out domain models."""

from bookwright.storage.tables.author import comments, edits, session_messages, sessions
from bookwright.storage.tables.book import (
    IS_LIVING,
    IS_UNIT,
    allowances,
    books,
    branches,
    briefs,
    gates,
    lineages,
    merges,
    nodes,
    paces,
    studio,
)
from bookwright.storage.tables.columns import ONE, first_rows, metadata
from bookwright.storage.tables.content import (
    IS_CURRENT,
    codex,
    codex_suggestions,
    codex_uses,
    document_inputs,
    documents,
    maintenance,
    passages,
    vectors,
)
from bookwright.storage.tables.journal import steps, texts, tool_uses

__all__ = [
    "IS_CURRENT", "IS_LIVING", "IS_UNIT", "ONE", "allowances", "books", "branches", "briefs", "codex",
    "codex_suggestions", "codex_uses", "comments", "document_inputs", "documents", "edits", "first_rows", "gates",
    "lineages", "maintenance", "merges", "metadata", "nodes", "paces", "passages", "session_messages", "sessions",
    "steps", "studio", "texts", "tool_uses", "vectors",
]  # fmt: skip
