"""What the Prefect UI shows of a book: its plan, its progress, its design, its chapters, its bill."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import ArtifactCreate, ArtifactUpdate
from prefect.client.schemas.filters import ArtifactCollectionFilter, ArtifactCollectionFilterKey

from bookwright.flows.activities.unit_facts import prose_of, stands_for_chapter
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.steps.queries import RoleSum
from bookwright.storage.stores import Stores

_BOARDS = ("plan", "progress", "cost", "design")
_MOST_UNITS = 200
"""How many units the plan lists: of a longer book the coarser levels alone."""


class Artifacts:
    """Posts the artifacts of one book from inside its flow run: its boards, and each chapter; what fails is owed.

    Keys are the same in every run of a book, so that Prefect keeps the versions together; within a run a board is one
    version that is brought up. Nothing else is posted, for each costs a request of a tenth of a second or so.
    """

    def __init__(self) -> None:
        self._boards: dict[str, UUID] = {}
        self._chapters: dict[int, TaskNode] = {}
        self._is_stale = False
        self._design_version = 0

    def __len__(self) -> int:
        """How much there is to show that the server has not got."""
        return len(self._chapters) + self._is_stale

    def owe(self, unit: TaskNode, deps: Deps) -> None:
        """Note that a unit was closed: a chapter is to be shown, and the boards are to be brought up."""
        is_chapter = stands_for_chapter(unit, deps)
        if is_chapter and not deps.makes_designs:
            self._chapters[unit.key] = unit
        if is_chapter or unit.level is Level.BOOK:
            self.owe_boards()

    def owe_boards(self) -> None:
        """Note that the book's boards are to be brought up."""
        self._is_stale = True

    def owe_lost(self, client: SyncPrefectClient, deps: Deps) -> None:
        """Note which chapters the server has no artifact of, such as those of a process that died while it was away."""
        if deps.makes_designs:
            return
        with deps.stores() as stores:
            root = stores.nodes.root()
            done = [unit for unit in _units(root, stores) if unit.status is NodeStatus.DONE]
        chapters = [unit for unit in done if stands_for_chapter(unit, deps)]
        known = set(_keys(client, artifact_key(root, ""))) if chapters else set()
        self._chapters |= {unit.key: unit for unit in chapters if _chapter_key(unit) not in known}

    def post(self, client: SyncPrefectClient, flow_run: UUID, deps: Deps, at_most: int | None = None) -> None:
        """Show what is owed: some of the chapters, the oldest first, and the boards."""
        for unit in list(self._chapters.values())[:at_most]:
            if prose := prose_of(unit, deps):
                client.create_artifact(_chapter(unit, prose, flow_run))
            del self._chapters[unit.key]
        if self._is_stale:
            self._post_boards(client, flow_run, deps)
            self._is_stale = False

    def forget(self) -> None:
        """Give up on what is owed: the server refuses it."""
        self._chapters.clear()
        self._boards.clear()
        self._is_stale = False

    def _post_boards(self, client: SyncPrefectClient, flow_run: UUID, deps: Deps) -> None:
        with deps.stores() as stores:
            root = stores.nodes.root()
            units = _listed(list(_units(root, stores)))
            design = stores.documents.latest(DocumentKind.BOOK_DESIGN)
            sums = stores.steps.by_role()
        links = _links(root, with_design=design is not None)
        unit = deps.brief.length_unit
        target = root.length or 1
        words = f"{root.written:,} of {target:,} {unit}"
        percent = min(100.0 * root.written / target, 100.0)
        chapters = {one.key for one in units if one.status is NodeStatus.DONE and stands_for_chapter(one, deps)}
        boards: list[tuple[str, str, Any, str]] = [
            ("plan", "markdown", _plan(root, units, chapters, unit, links), f"The units of the book: {words}"),
            ("progress", "progress", percent, f"{words}. {links}"),
            ("cost", "table", json.dumps(_cost_table(sums)), f"What each role has cost. {links}"),
        ]
        if design is not None and design.version > self._design_version:
            about = f"The book's design, version {design.version}"
            boards.append(("design", "markdown", f"{links}\n\n{design.text}", about))
        for what, kind, data, about in boards:
            self._put(client, flow_run, artifact_key(root, what), kind, data, about)
        self._design_version = design.version if design is not None else 0

    def _put(self, client: SyncPrefectClient, flow_run: UUID, key: str, kind: str, data: Any, about: str) -> None:
        if key in self._boards:
            client.update_artifact(self._boards[key], ArtifactUpdate(data=data, description=about))
        else:
            made = ArtifactCreate(key=key, type=kind, data=data, description=about, flow_run_id=flow_run)
            self._boards[key] = client.create_artifact(made).id


def artifact_key(node: TaskNode, what: str) -> str:
    """Name an artifact in lower-case letters, digits and dashes: `"the-log-3fa2b1-chapter-1-2"`."""
    return re.sub(r"[^a-z0-9]+", "-", f"{node.book}-{what}".casefold()).strip("-")


def _chapter_key(unit: TaskNode) -> str:
    return artifact_key(unit, f"{unit.level}-{unit.label}")


def _link(words: str, key: str) -> str:
    return f"[{words}](/artifacts/key/{key})"


def _links(node: TaskNode, *, with_design: bool = True) -> str:
    """The book's boards, each as a link within the UI."""
    return " · ".join(_link(what, artifact_key(node, what)) for what in _BOARDS if with_design or what != "design")


def _chapter(unit: TaskNode, prose: str, flow_run: UUID) -> ArtifactCreate:
    # Prose is data: what looks like HTML in it is text.
    text = html.escape(prose, quote=False)
    title = html.escape(unit.title, quote=False) or unit.label
    page = f"# {title}\n\n{text}\n\n{_links(unit)}\n"
    return ArtifactCreate(
        key=_chapter_key(unit), type="markdown", data=page, description=unit.name, flow_run_id=flow_run
    )


def _plan(root: TaskNode, units: list[TaskNode], chapters: set[int], length_unit: str, links: str) -> str:
    lines = [f"# {html.escape(root.title, quote=False)}", links]
    lines += [_plan_line(unit, length_unit, has_text=unit.key in chapters) for unit in units if unit.parent is not None]
    return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:]) + "\n"


def _plan_line(unit: TaskNode, length_unit: str, *, has_text: bool) -> str:
    told = re.sub(r"([\\`*_\[\]#])", r"\\\1", html.escape(unit.name, quote=False))
    amount = f"{unit.written:,} of {unit.length or 0:,} {length_unit}"
    text = f", {_link('text', _chapter_key(unit))}" if has_text else ""
    return f"{'  ' * (unit.depth - 1)}- {told}: {unit.status}, {amount}{text}"


def _units(root: TaskNode, stores: Stores) -> Iterator[TaskNode]:
    """Yield the units of the book that are there, down to its chapters or what stands in their place."""
    stack = [root]
    while stack:
        unit = stack.pop()
        yield unit
        if unit.level.is_at_least(Level.ACT) or unit.parent is None:
            stack.extend(reversed(stores.nodes.child_units(unit.key)))


def _listed(units: list[TaskNode]) -> list[TaskNode]:
    """The units down to the deepest level with which the list is no longer than it may be."""
    depth = max(unit.depth for unit in units)
    while depth > 1 and sum(unit.depth <= depth for unit in units) > _MOST_UNITS:
        depth -= 1
    return [unit for unit in units if unit.depth <= depth][:_MOST_UNITS]


def _keys(client: SyncPrefectClient, prefix: str) -> Iterable[str]:
    """Yield the keys of a book's artifacts that the server has."""
    ours = ArtifactCollectionFilter(key=ArtifactCollectionFilterKey(like_=f"{prefix}-%"))
    start, size = 0, 100
    while page := client.read_latest_artifacts(artifact_filter=ours, limit=size, offset=start):
        yield from (artifact.key for artifact in page if artifact.key)
        start += size


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
