"""What the Prefect UI shows of a book: its progress, its finished units, its design, its bill."""

import html
import re
from typing import cast
from uuid import UUID

from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from bookwright.flows.activities.surroundings import stands_for_chapter
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.queries import RoleSum
from bookwright.storage.stores import Stores


class Artifacts:
    """Posts the artifacts of one book from inside its flow run.

    Each costs a request of a tenth of a second or so, hence only what a reader would open: a
    chapter or what stands in its place, and the book. Keys are the same in every run of a book,
    so Prefect keeps an artifact's versions together.
    """

    def __init__(self) -> None:
        self._progress: UUID | None = None
        self._design_version = 0

    def post(self, unit: TaskNode, deps: Deps) -> None:
        """Show a unit that was just closed, and how the book stands with it."""
        is_chapter = stands_for_chapter(unit, deps)
        if not is_chapter and unit.level is not Level.BOOK:
            return
        with deps.stores() as stores:
            root = stores.nodes.root()
            prose = _prose(unit, stores) if is_chapter else []
            design = stores.documents.latest(DocumentKind.BOOK_DESIGN)
            sums = stores.steps.by_role()
        self._show_progress(root, deps.brief.length_unit)
        if prose:
            _show_prose(unit, prose)
        if design is not None and design.version > self._design_version:
            about = f"The book's design, version {design.version}"
            create_markdown_artifact(design.text, key=artifact_key(root, "design"), description=about)
            self._design_version = design.version
        create_table_artifact(_cost_table(sums), key=artifact_key(root, "cost"), description="What each role has cost")

    def _show_progress(self, root: TaskNode, length_unit: str) -> None:
        target = root.length or 1
        percent = min(100.0 * root.written / target, 100.0)
        words = f"{root.written:,} of {target:,} {length_unit}"
        if self._progress is None:
            created = create_progress_artifact(percent, key=artifact_key(root, "progress"), description=words)
            self._progress = cast(UUID, created)  # a coroutine only where a loop runs
        else:
            update_progress_artifact(self._progress, percent, description=words)


def artifact_key(node: TaskNode, what: str) -> str:
    """Name an artifact: `"the-log-3fa2b1-progress"`, `"the-log-3fa2b1-chapter-1-2"`.

    Prefect takes lower-case letters, digits and dashes only.
    """
    return re.sub(r"[^a-z0-9]+", "-", f"{node.book}-{what}".casefold()).strip("-")


def _show_prose(unit: TaskNode, prose: list[str]) -> None:
    # Prose is data: what looks like HTML in it is text.
    text = html.escape("\n\n".join(prose), quote=False)
    title = html.escape(unit.title, quote=False) or unit.label
    create_markdown_artifact(
        f"# {title}\n\n{text}\n", key=artifact_key(unit, f"{unit.level}-{unit.label}"), description=unit.name
    )


def _prose(unit: TaskNode, stores: Stores) -> list[str]:
    """The prose of a unit in reading order, its own or its parts'."""
    parts = stores.nodes.children(unit.key, TaskType.WRITE)
    if parts:
        return [text for part in parts for text in _prose(part, stores)]
    document = stores.documents.current(unit.key, DocumentKind.PROSE)
    return [document.text] if document else []


def _cost_table(sums: list[RoleSum]) -> list[dict[str, str | int]]:
    return [
        {
            "role": row.role,
            "model": row.model,
            "calls": row.calls,
            "failed": row.failed,
            "input tokens": row.input_tokens,
            "of them cached": row.cached_tokens,
            "output tokens": row.output_tokens,
            "US dollars": f"{row.cost / 1_000_000:.4f}" + (" and unpriced calls" if row.unpriced else ""),
        }
        for row in sums
    ]
