"""Planning a round of a unit's tasks, judging which of them are atoms, and cutting a complex task into parts."""

from collections.abc import Sequence
from dataclasses import replace

from bookwright.agents.agent import Agent
from bookwright.agents.cards import node_card
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.steps.answers import Check
from bookwright.agents.workflows import atom_judge, decomposition_workflow, plan_workflow
from bookwright.flows import gates
from bookwright.flows.activities.decide import asks_decision
from bookwright.flows.activities.outcomes import as_move
from bookwright.flows.activities.prompt_sizes import MOST_OF_A_TASK, every, within_lists
from bookwright.flows.activities.recall import drawn_facts
from bookwright.flows.activities.told_books import is_plotted, plot
from bookwright.flows.activities.unit_facts import begin_activity, depth_at, profile_at, unit_card, unit_of
from bookwright.flows.blueprints.unit_plans import form_of
from bookwright.flows.deps import Deps
from bookwright.models.gate import GateKind
from bookwright.models.step import Activity
from bookwright.models.tree.decision import AtomVerdicts, Verdict, guard_atom, verdict_by_score
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_problem
from bookwright.storage.stores import Stores

MAX_DECOMPOSITION_DEPTH = 3
"""Source: DESIGN section 4, "Guards"."""


def plan(unit: TaskNode, planning_round: int, deps: Deps) -> None:
    """Plan one round; the last step's tasks become nodes below the unit.

    What is still more than a round holds after it was sent back once is an open point of the unit.
    """
    unit = deps.fresh(unit)
    if is_plotted(unit, deps):
        plot(unit, deps)
        return
    card = replace(
        unit_card(unit, deps), round=planning_round, draw=drawn_facts(unit, deps), directions=form_of(unit, deps)
    )
    workflow = plan_workflow(unit.level, deps.brief.length_class, deps.profile.name, depth_at(unit, deps))
    most = profile_at(unit, deps).max_tasks_per_round
    run = begin_activity(
        Activity.PLAN, unit, deps, workflow[0].context, card, round_=planning_round, next_activity="judge"
    )
    gates.show_rejected(GateKind.OUTLINE, run, deps)

    def add_tasks(answer: PlanOutput, stores: Stores, step: int) -> None:
        tasks = wanted(answer)
        gates.open_outline(unit, stores, deps)
        _add(stores, unit, tasks[:most], deps, unit=unit.key, planning_round=planning_round)
        later = () if deps.profile.is_small else tuple(task.goal for task in tasks[most:])
        left = unit.open_points if asks_decision(unit, deps) else ()  # the tasks rest on them by now
        stores.nodes.change(unit.key, planning_round=planning_round, open_points=(*left, *later))
        if planning_round == 1 and unit.open_points:
            _take_up(unit, stores)

    run.run_all(workflow, as_move(add_tasks), _check(run, workflow[-1], deps))


def _take_up(unit: TaskNode, stores: Stores) -> None:
    """Take the open points that a unit was planned with off its parent and the siblings that nobody has begun.

    Until one child has planned with them each has them; what it does not settle is its own. Source: S3-026.
    """
    if unit.parent is None:
        return
    stores.nodes.change(unit.parent, open_points=())
    for sibling in stores.nodes.waiting_units(unit.parent):
        if sibling.key != unit.key and sibling.open_points:
            stores.nodes.change(sibling.key, open_points=())


def judge(node: TaskNode, deps: Deps) -> None:
    """Judge `node` together with the unjudged siblings of its type and round."""
    with deps.stores() as stores:
        parent = stores.nodes.get(node.parent or node.key)
        waiting = [
            sibling
            for sibling in stores.nodes.children(parent.key, node.task_type)
            if sibling.verdict is None and sibling.planning_round == node.planning_round
        ]
    unit = unit_of(node, deps)
    agent = atom_judge(unit.level, node.task_type)
    card = replace(unit_card(unit, deps, node), tasks=tuple(node_card(task) for task in waiting))
    run = begin_activity(
        Activity.JUDGE, parent, deps, agent.context, card, round_=node.planning_round, next_activity="execute"
    )

    def set_verdicts(answer: AtomVerdicts, stores: Stores, step: int) -> None:
        verdicts = {verdict.task: verdict.atom_result for verdict in answer.verdicts}
        for number, task in enumerate(waiting, 1):
            # What the judge passed over is an atom: a missing word must not start a cascade.
            stores.nodes.change(task.key, verdict=verdicts.get(number, Verdict.ATOM).value)

    run.run(agent, as_move(set_verdicts))


def decompose(node: TaskNode, deps: Deps) -> None:
    """Cut a complex task into all its parts at once; too many are sent back once, then all are made. Source: S3-076."""
    unit = unit_of(node, deps)
    workflow = decomposition_workflow(unit.level, node.task_type, deps.profile.name)
    run = begin_activity(Activity.DECOMPOSE, node, deps, workflow[0].context, next_activity="judge")

    def add_parts(answer: PlanOutput, stores: Stores, step: int) -> None:
        _add(stores, node, wanted(answer), deps, unit=unit.key, planning_round=node.planning_round)

    run.run_all(workflow, as_move(add_parts), _check(run, workflow[-1], deps))


def parts(node: TaskNode, deps: Deps) -> list[TaskNode]:
    """Return the parts that a task was cut into."""
    with deps.stores() as stores:
        return stores.nodes.children(node.key, TaskType.DESIGN, TaskType.SEARCH)


def wanted(answer: PlanOutput) -> list[PlanNode]:
    """Return an answer's tasks: design and search only, and none twice."""
    seen: dict[str, PlanNode] = {}
    for task in answer.sub_tasks:
        if task.task_type is not TaskType.WRITE:
            seen.setdefault(" ".join(task.goal.casefold().split()), task.folded)
    return list(seen.values())


def _check(run: ActivityRun, agent: Agent, deps: Deps) -> Check:
    """A check that there are tasks, no more than a round holds, and no longer lists than were asked for."""

    def has_tasks(answer: PlanOutput) -> str:
        return "" if wanted(answer) else render_problem("no_tasks", deps.desk.locale)

    return every(has_tasks, within_lists(run, agent.name, MOST_OF_A_TASK, run.card.max_tasks, deps))


def verdict_unasked(task: PlanNode | TaskNode, above: Sequence[TaskNode], deps: Deps) -> Verdict | None:
    """Return the verdict that a task has without a judge; None where one is asked. `above` has the nearest first."""
    ancestors = tuple(node.task_type for node in above if not node.is_unit)
    unit = next((node for node in above if node.is_unit), None)
    may_decompose = (profile_at(unit, deps) if unit else deps.profile).decomposes
    judged = verdict_by_score(task.complexity_score) if may_decompose else Verdict.ATOM
    # A guard that makes even a complex task an atom decides without asking anybody.
    held = guard_atom(judged or Verdict.COMPLEX, task.task_type, ancestors, len(ancestors), MAX_DECOMPOSITION_DEPTH)
    return held if judged is not None or held is Verdict.ATOM else None


def _add(stores: Stores, parent: TaskNode, tasks: list[PlanNode], deps: Deps, **common: int) -> None:
    above = (parent, *stores.nodes.ancestors(parent))

    def verdict(index: int) -> str | None:
        known = verdict_unasked(tasks[index], above, deps)
        return known.value if known else None

    stores.nodes.add(parent, tasks, level=parent.level.value, verdict=verdict, length=None, **common)
