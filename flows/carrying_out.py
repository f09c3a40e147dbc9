"""Carrying out a task: as its blueprint says, or else in the walk's usual way."""

from bookwright.flows.activities import execute as executing
from bookwright.flows.activities import plan as planning
from bookwright.flows.blueprints import work
from bookwright.flows.blueprints.time_limits import within_time
from bookwright.flows.deps import Deps
from bookwright.models.tree.task import TaskNode


def execute(node: TaskNode, deps: Deps) -> None:
    """Do an atomic task."""
    (work.execute if node.stage else executing.execute)(node, within_time(node, deps))


def is_mending(node: TaskNode) -> bool:
    """True for a task whose work is done on another node."""
    return work.is_fix(node)


def decompose(node: TaskNode, deps: Deps) -> None:
    """Cut a complex task into its parts."""
    (work.decompose if node.stage else planning.decompose)(node, within_time(node, deps))


def aggregate(node: TaskNode, deps: Deps) -> None:
    """Merge the documents of a task's parts into one of its own."""
    (work.aggregate if node.stage else executing.aggregate)(node, within_time(node, deps))
