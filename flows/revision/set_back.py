"""A copied book's rows as they were before a step, where the rules of the activities say what they were."""

from typing import Any

from bookwright.agents.agent import Agent
from bookwright.agents.steps.parsing import parse
from bookwright.agents.workflows import flow_decision, hierarchy_workflow, write_workflow
from bookwright.flows.activities import decide as deciding
from bookwright.flows.activities import divide as dividing
from bookwright.flows.activities import plan as planning
from bookwright.flows.activities.surroundings import child_level_of, depth_at
from bookwright.flows.deps import Deps
from bookwright.models.step import Activity, Reply
from bookwright.models.text.length import LengthRecord
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.queries import AskedStep
from bookwright.storage.stores import Stores

DRAFTS = 40
"""Drafts by which the record of lengths is told: what lies further back weighs less than a millionth."""

_PLANNING = (
    Activity.RECALL, Activity.PLAN, Activity.JUDGE, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE,
    Activity.DECIDE,
)  # fmt: skip


def set_back(step: AskedStep, drafts: list[tuple[int, str]], deps: Deps) -> None:
    """Set back what later steps wrote to the nodes and to the book's row.

    `drafts` are those of the finished units before the step, oldest first: a unit's length, and the answer.
    """
    with deps.storage.read() as stores:
        unit = stores.nodes.get(step.key.node)
        unit = unit if unit.unit is None else stores.nodes.get(unit.unit)
        points = _open_points(unit, stores, deps) if step.key.activity in _PLANNING else unit.open_points
        outline = unit.outline if step.key.activity is Activity.CLOSE else _outline(unit, stores, deps)
        unasked = _tasks_to_judge(step, stores, deps)
        root = stores.nodes.root()
    with deps.storage.write() as stores:
        stores.nodes.change(unit.key, open_points=points, outline=outline)
        stores.nodes.change(root.key, title=deps.brief.title, goal=deps.brief.premise, length=deps.brief.length)
        for task in unasked:
            stores.nodes.change(task.key, verdict=None)
        stores.books.change(unit.book, length_ratio=_ratio(drafts, unit, deps))


def _open_points(unit: TaskNode, stores: Stores, deps: Deps) -> tuple[str, ...]:
    """What the last decision before the step left open, or what the unit was begun with."""
    agent = flow_decision(unit.level)
    answer = stores.steps.answer(Activity.DECIDE, agent.name)
    decision = None if answer is None else _read(agent, answer, deps)
    if decision is not None:
        return deciding.points_left(decision)
    if unit.parent is None or unit.unit_index != 1:
        return ()
    return stores.nodes.get(unit.parent).open_points


def _outline(unit: TaskNode, stores: Stores, deps: Deps) -> tuple[str, ...]:
    """What the last division before the step foresaw; nothing before the first one."""
    if child_level_of(unit, deps) is None:
        return ()
    agent = hierarchy_workflow(unit.level, deps.profile.name)[-1]
    answer = stores.steps.answer(Activity.DIVIDE, agent.name)
    division = None if answer is None else _read(agent, answer, deps)
    return () if division is None else dividing.foreseen(division)


def _tasks_to_judge(step: AskedStep, stores: Stores, deps: Deps) -> list[TaskNode]:
    """The tasks of the round that had no verdict before the judge was asked; none for another activity."""
    if step.key.activity is not Activity.JUDGE:
        return []
    parent = stores.nodes.get(step.key.node)
    above = (parent, *stores.nodes.ancestors(parent))
    tasks = stores.nodes.children(parent.key, TaskType(step.key.step))
    return [
        task
        for task in tasks
        if task.planning_round == step.key.round and planning.verdict_unasked(task, above, deps) is None
    ]


def _ratio(drafts: list[tuple[int, str]], unit: TaskNode, deps: Deps) -> float:
    """The record of lengths after those drafts."""
    agent = next(
        agent for agent in write_workflow(unit.level, deps.profile.name, depth_at(unit, deps)) if agent.is_prose
    )
    record = LengthRecord()
    for length, answer in drafts:
        text = _read(agent, answer, deps) or ""
        record = record.updated(record.to_ask(length), deps.brief.language.measure(text))
    return record.ratio


def _read(agent: Agent, answer: str, deps: Deps) -> Any:
    """A recorded answer as its agent's value; None if this version cannot read it."""
    return parse(agent, Reply(text=answer), deps.brief.language, "").value
