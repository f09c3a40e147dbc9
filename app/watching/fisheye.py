"""The tree of a book as a bounded list of rows: near the current node all of it, far from it one line a subtree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.storage.tree.outline import ChildLine, ChildReader

BEFORE, AFTER = 4, 5
"""Children shown on either side of the one that the work is in."""
OPENED = 20
"""Children shown of a node that a person unfolds."""
MORE = 50
"""How many more a person gets where some are left out."""


@dataclass(frozen=True)
class TreeRow:
    """One line of the tree: a node, or how many of its siblings are left out here."""

    node: int
    """The node's key; for siblings that are left out, their parent's."""
    parent: int | None
    depth: int
    line: ChildLine | None = None
    """None for siblings that are left out."""
    name: str = ""
    """The node as every verb takes it: `chapter 9`, or its label."""
    hidden: int = 0
    is_before: bool = False
    """Those that are left out stand before the ones that are shown."""
    is_open: bool = False
    is_current: bool = False

    @property
    def identity(self) -> tuple[int, str]:
        """Stays the same while the tree changes around the row."""
        return self.node, "node" if self.line else "before" if self.is_before else "after"


@dataclass(frozen=True)
class Folds:
    """What a person has unfolded, folded and asked more of, by nodes' keys."""

    opened: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()
    more: Mapping[tuple[int, bool], int] = field(default_factory=dict)

    def open(self, node: int) -> "Folds":
        """Unfold a node."""
        return replace(self, opened=self.opened | {node}, closed=self.closed - {node})

    def close(self, node: int) -> "Folds":
        """Fold a node."""
        return replace(self, opened=self.opened - {node}, closed=self.closed | {node})

    def widen(self, row: TreeRow) -> "Folds":
        """Show more of the siblings that a row leaves out."""
        place = (row.node, row.is_before)
        return replace(self, more={**self.more, place: self.more.get(place, 0) + MORE})


def fisheye(reader: ChildReader, path: Sequence[TaskNode], folds: Folds, names: ReadingOrder) -> list[TreeRow]:
    """Return the rows of a tree whose open path is given, as a person has folded it."""
    root, current = path[0].key, path[-1].key
    ahead = {above.key: below.ordinal for above, below in pairwise(path)}

    def rows(line: ChildLine, depth: int) -> Iterator[TreeRow]:
        is_wanted = line.key in folds.opened or line.key in ahead or line.key == root
        is_open = line.has_parts and is_wanted and line.key not in folds.closed
        is_chapter = line.label in names.chapters and line.is_unit
        name = names.name_of(line.label) if is_chapter else line.label
        yield TreeRow(line.key, line.parent, depth, line, name, is_open=is_open, is_current=line.key == current)
        if is_open:
            yield from below(line, depth + 1)

    def below(line: ChildLine, depth: int) -> Iterator[TreeRow]:
        before = BEFORE + folds.more.get((line.key, True), 0)
        after = (AFTER if line.key in ahead else OPENED) + folds.more.get((line.key, False), 0)
        branch = reader.children(line.key, ahead.get(line.key, 1), before, after)
        if branch.before:
            yield TreeRow(line.key, line.key, depth, hidden=branch.before, is_before=True)
        for child in branch.lines:
            yield from rows(child, depth)
        if branch.after:
            yield TreeRow(line.key, line.key, depth, hidden=branch.after)

    return list(rows(reader.line(root), 0))
