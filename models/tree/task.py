"""The task tree of one book, from the book itself down to its paragraphs."""

from enum import StrEnum

from pydantic import Field

from bookwright.models.frozen import FrozenModel
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.decision import Decision, Verdict
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType


class NodeStatus(StrEnum):
    """Where a node stands in its life."""

    OPEN = "open"
    """Something is still to be done for it, or below it."""
    WRITTEN = "written"
    """A unit whose prose stands, its own or its children's, and which is still to be closed."""
    DONE = "done"
    VOID = "void"
    """Replaced by a newer revision of its parent; kept for the history."""


class TaskNode(FrozenModel):
    """One task, with its place in the tree of its book."""

    key: int
    """The surrogate key that everything refers to; it never changes."""
    book: str
    parent: int | None = None
    """The key of the node above; None for the book itself."""
    unit: int | None = None
    """For a design or search node the key of the unit that it serves; None for a unit."""
    label: str = Field(default="1", pattern=r"^1(\.[1-9][0-9]*)*$")
    """What a person and a prompt call it: the parent's label, a dot, and an ordinal from 1."""
    ordinal: int = Field(default=1, ge=1)
    revision: int = Field(default=1, ge=1)

    level: Level
    """A unit's own level; for a design or search node the level of its unit."""
    task_type: TaskType
    title: str = ""
    goal: str
    instructions: tuple[str, ...] = ()
    input_brief: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    complexity_score: int | None = Field(default=None, ge=1, le=10)

    length: int | None = Field(default=None, gt=0)
    """Target in words, or characters for zh, ja and ko; units only."""
    written: int = 0
    """What was really written, in the same unit, over everything below; units only."""
    is_last: bool = False
    """The unit ends its parent; what its parent still owes is its to pay."""
    unit_index: int = 0
    """A unit's place among its sibling units, from 1; 0 for design and search nodes."""

    status: NodeStatus = NodeStatus.OPEN
    planning_round: int = 0
    """Units: the last round that was planned. Tasks: the round they were planned in."""
    decided_round: int = 0
    """Units: the last round that ended in a decision."""
    verdict: Verdict | None = None
    decision: Decision | None = None
    open_points: tuple[str, ...] = ()
    """What a broken circuit left undesigned; the children get it first, each until one has planned with it."""
    outline: tuple[str, ...] = ()
    """Later siblings as the last division foresaw them; it binds nobody."""

    stage: str = ""
    """Where a blueprint made the task: its stage and member (`"foundation/peoples"`), and behind that what part of the
    member it is (`"foundation/peoples/entry"`, `"validation/review/fix/1.3"`). Empty for all others."""
    stage_title: str = ""
    folder: str = ""
    """Where its page stands in the vault, as a relative path in the book's language; empty for the usual place."""

    story_time: StoryTime | None = None
    """When it happens in the story, by its division or its author; None where nobody has said. Units only."""

    child_level: Level | None = None
    """What it divides into where the author has settled that; None leaves it to its length. Units only."""
    is_brought_in: bool = False
    """It was written before the book came here, and nothing follows what it holds. Units only."""

    @property
    def is_unit(self) -> bool:
        """True for what becomes prose."""
        return self.task_type is TaskType.WRITE

    @property
    def is_finished(self) -> bool:
        """True once its prose or its document stands."""
        return self.status in (NodeStatus.WRITTEN, NodeStatus.DONE)

    @property
    def member(self) -> str:
        """The blueprint's member that the task belongs to; empty where it has none."""
        return self.stage.split("/")[1] if "/" in self.stage else ""

    @property
    def order(self) -> tuple[int, ...]:
        """Sort key for reading order: `"1.10"` comes after `"1.2"`."""
        return tuple(int(ordinal) for ordinal in self.label.split("."))

    def comes_after(self, order: tuple[int, ...]) -> bool:
        """True for what is there when this node is worked on for the first time: what stands before it, and its parts.

        What closes a unit above comes later, and so do later siblings, though in a book that was
        written already all of them are there. `order` is another node's.
        """
        depth = len(self.order)
        if order[:depth] == self.order:
            return len(order) > depth
        return order < self.order and self.order[: len(order)] != order

    @property
    def depth(self) -> int:
        """How many nodes stand above this one."""
        return self.label.count(".")

    @property
    def remaining(self) -> int:
        """How much of the target is still to be written below this unit; may be negative."""
        return (self.length or 0) - self.written

    @property
    def name(self) -> str:
        """The node in a few words, for a log line: its label, level or type, and title."""
        kind = self.level.value if self.is_unit else self.task_type.value
        return f'{self.label} {kind} "{self.title or self.goal[:40]}"'
