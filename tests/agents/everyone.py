"""All agents there are: every family at every level, under every profile."""

from itertools import chain, product

from bookwright.agents import readers, workflows
from bookwright.agents.agent import Agent
from bookwright.agents.readers import draft_again, editor
from bookwright.agents.workflows import (
    aggregator,
    atom_judge,
    blurb_writer,
    book_design_maintainer,
    briefing,
    decomposition_workflow,
    design_workflow,
    flow_decision,
    global_state_maintainer,
    hierarchy_workflow,
    plan_workflow,
    search_executor,
    summariser,
    write_workflow,
)
from bookwright.models.profile import ProfileName
from bookwright.models.tree.decision import Expert
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType

CLASSES = ("short", "medium", "long")
TASKS = (TaskType.DESIGN, TaskType.SEARCH)
DIVISIBLE = tuple(Level)[:-1]


def _every_agent() -> list[Agent]:
    """All agents of all levels, profiles, classes, experts and task types."""
    found: list[Agent] = [
        agent for agent in (*vars(workflows).values(), *vars(readers).values()) if isinstance(agent, Agent)
    ]
    for level, profile in product(Level, ProfileName):
        found += chain.from_iterable(plan_workflow(level, size, profile) for size in CLASSES)
        found += chain.from_iterable(design_workflow(level, expert, profile) for expert in Expert)
        found += chain.from_iterable(decomposition_workflow(level, task, profile) for task in TASKS)
        found += hierarchy_workflow(level, profile) if level in DIVISIBLE else ()
        for depth in Depth:
            found += [briefing(level, profile, depth), *write_workflow(level, profile, depth)]
            found += chain.from_iterable(design_workflow(level, expert, profile, depth) for expert in Expert)
        found += [atom_judge(level, task) for task in TASKS]
        found += [flow_decision(level), search_executor(level, profile)]
        found += [summariser(level, profile), editor(level)]
        found += [book_design_maintainer(profile), global_state_maintainer(profile), blurb_writer(profile)]
    found += [draft_again(agent) for agent in found if agent.name == "draft" and agent.is_prose]
    return list(dict.fromkeys([*found, *map(aggregator, TASKS)]))


EVERY_AGENT = _every_agent()
