"""The time limit of a blueprint's stage: once a task has used it up no further call is made, and the book rests."""

from dataclasses import replace

from bookwright.flows.deps import Deps
from bookwright.models.errors import StageTimeout
from bookwright.models.tree.task import TaskNode


def within_time(node: TaskNode, deps: Deps) -> Deps:
    """Return `deps` with the time limit of a task's stage; unchanged for a task without one.

    The call in flight is awaited and kept. The time is that of one run: who goes on with the book has it anew.
    """
    name = node.stage.partition("/")[0]
    stages = deps.blueprint.plan.stages if deps.blueprint else ()
    stage = next((stage for stage in stages if stage.name == name), None)
    if stage is None:
        return deps
    clock, seconds = deps.desk.clock, stage.timeout
    until = clock() + seconds

    def may_ask() -> None:
        if clock() > until:
            raise StageTimeout(
                f"the task {node.label} of the stage {stage.name!r} has taken longer than the {seconds:,} seconds that "
                "its blueprint gives it (timeout); all that was answered is kept",
                f"{deps.desk.journal.way_on} goes on where it stopped, with as much time again",
            )

    return replace(deps, desk=replace(deps.desk, may_ask=may_ask))
