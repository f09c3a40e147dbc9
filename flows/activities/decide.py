"""Deciding what a unit does next, with the guards and the circuit breaker beside the model."""

from dataclasses import replace

from bookwright.agents.workflows import flow_decision
from bookwright.flows.activities.told_books import is_free, is_plotted
from bookwright.flows.activities.unit_facts import (
    begin_activity,
    is_short_enough,
    lengths_of_children,
    max_rounds,
    max_unit_length,
    profile_at,
    unit_card,
)
from bookwright.flows.blueprints.unit_plans import child_level_of
from bookwright.flows.deps import Deps
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Decision, FlowDecision
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move

PLANNING_TOKENS_A_UNIT = 30
"""What planning may cost for each word of a unit before the circuit breaks, past the first round.

Half of the 70 tokens a word that `standard` is held to. Source: DESIGN section 8.
"""


def next_round(unit: TaskNode, deps: Deps) -> int | None:
    """Return the round a unit plans next or is in the middle of; None if planning is over."""
    if unit.decision not in (None, Decision.CONTINUE_PLANNING) or not _is_planned(unit, deps):
        return None
    with deps.stores() as stores:
        is_busy = stores.nodes.first_open_task(unit.key) is not None
    if is_busy or (unit.planning_round > unit.decided_round and asks_decision(unit, deps)):
        return max(unit.planning_round, 1)
    if deps.makes_designs and unit.planning_round:
        return None
    if unit.planning_round >= max_rounds(unit, deps) or (unit.planning_round and is_past_allowance(unit, deps)):
        return None
    return unit.planning_round + 1


def asks_decision(unit: TaskNode, deps: Deps) -> bool:
    """Whether a model decides what a unit does next; a book of designs has nothing to decide on."""
    return profile_at(unit, deps).asks_decision and not deps.makes_designs


def decide(unit: TaskNode, planning_round: int, deps: Deps) -> None:
    """Ask the flow decision agent and record what its answer comes to under the guards."""
    unit = deps.fresh(unit)
    agent = flow_decision(unit.level)
    card = replace(unit_card(unit, deps), round=planning_round)
    run = begin_activity(Activity.DECIDE, unit, deps, agent.context, card, round_=planning_round, next_activity="plan")

    def check(answer: FlowDecision) -> str:
        is_vague = answer.decision is Decision.CONTINUE_PLANNING and not answer.missing_points
        return render_problem("nothing_missing", deps.desk.locale) if is_vague else ""

    def move(answer: FlowDecision) -> Move:
        decision = guarded(answer.decision, unit, deps)
        points = answer.missing_points if decision is Decision.CONTINUE_PLANNING else ()
        return lambda stores, _: stores.nodes.change(
            unit.key, decision=decision.value, decided_round=planning_round, open_points=points
        )

    run.run(agent, move, check=check)


def guarded(decision: Decision, unit: TaskNode, deps: Deps) -> Decision:
    """Hold a decision to the unit's length; one to go on planning is neither made nor ended here.

    Writing what is too long becomes dividing; dividing what is too short for two children
    becomes writing. Source: DESIGN section 4, "Guards".
    """
    if decision is Decision.CONTINUE_PLANNING:
        return decision
    child = child_level_of(unit, deps)
    if child is None:
        return Decision.PROCEED_TO_WRITE
    if unit.child_level is not None or (decision is Decision.PROCEED_TO_WRITE and not is_short_enough(unit, deps)):
        return Decision.DIVIDE_HIERARCHY
    is_divisible = (unit.length or 0) >= 2 * lengths_of_children(unit, deps).low
    if decision is Decision.DIVIDE_HIERARCHY and not is_divisible and is_short_enough(unit, deps):
        return Decision.PROCEED_TO_WRITE
    return decision


def settle(unit: TaskNode, deps: Deps) -> Decision:
    """Return the unit's decision; where planning ended without one, length decides.

    That is the circuit breaker: what was missing stays recorded as the unit's open points, and
    goes to the next level's planner or to the write plan. Source: S3-023 to S3-026.
    """
    if unit.decision is not None and unit.decision is not Decision.CONTINUE_PLANNING:
        return unit.decision
    decision = Decision.PROCEED_TO_WRITE if deps.makes_designs else decision_by_length(unit, deps)
    if unit.planning_round:
        deps.desk.journal.move(lambda stores, _: stores.nodes.change(unit.key, decision=decision.value))
    return decision


def decision_by_length(unit: TaskNode, deps: Deps) -> Decision:
    """Divide what is too long to be written at once, write the rest."""
    with deps.stores() as stores:
        has_children = bool(stores.nodes.child_units(unit.key))
    if has_children or not is_short_enough(unit, deps):
        return guarded(Decision.DIVIDE_HIERARCHY, unit, deps)
    return Decision.PROCEED_TO_WRITE


def is_past_allowance(unit: TaskNode, deps: Deps) -> bool:
    """True if planning this unit has cost what its length allows."""
    with deps.stores() as stores:
        spent = stores.steps.tokens_of_planning(unit.key)
    return spent >= PLANNING_TOKENS_A_UNIT * max(unit.length or 0, max_unit_length(deps) // 3)


def _is_planned(unit: TaskNode, deps: Deps) -> bool:
    """False for a leaf that the profile writes without a design of its own, and for what is told without one."""
    if is_free(unit, deps):
        return False
    if unit.parent is not None and is_plotted(unit, deps):
        return unit.level.is_at_least(Level.ACT) and not is_short_enough(unit, deps)
    return profile_at(unit, deps).designs_leaves or not is_short_enough(unit, deps) or unit.parent is None
