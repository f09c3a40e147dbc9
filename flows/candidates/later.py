"""Candidates beside a text that stands: drafts from what the unit was written from, judged; nothing is taken."""

from dataclasses import replace

from bookwright.agents.readers import FREE_DRAFT
from bookwright.flows.activities.prose.choosing import is_told_freely
from bookwright.flows.activities.prose.write import begin_writing, steps_of
from bookwright.flows.candidates.drafting import chosen_of
from bookwright.flows.deps import Deps
from bookwright.models.step import Activity
from bookwright.models.tree.task import TaskNode


def make_candidates(unit: TaskNode, count: int, deps: Deps) -> None:
    """Bring a written unit to so many candidates, those on record among them; raises what any step does."""
    deps.observer.run(Activity.WRITE, unit, lambda: _make(deps.fresh(unit), count, deps))


def _make(unit: TaskNode, count: int, deps: Deps) -> None:
    run = begin_writing(unit, deps)
    line = (unit, *deps.storage.above(unit))[:-1]
    run.card = replace(run.card, is_first=all(node.unit_index == 1 for node in line))  # though pages follow by now
    for agent in steps_of(unit, deps):
        if agent.is_prose:
            is_free = is_told_freely(unit, deps)
            chosen_of(FREE_DRAFT if is_free else agent, count, unit, run, deps, is_bare=is_free, stands=True)
            return
        run.run(agent)
