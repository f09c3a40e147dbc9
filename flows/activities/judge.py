"""Judging which tasks of a round are atoms, which one worker can do: one call for all tasks of a type."""

from dataclasses import replace

from bookwright.agents.cards import node_card
from bookwright.agents.workflows import atom_judge
from bookwright.flows.activities.moves import as_move
from bookwright.flows.activities.unit_facts import begin_activity, unit_card, unit_of
from bookwright.flows.deps import Deps
from bookwright.models.step import Activity
from bookwright.models.tree.decision import AtomVerdicts, Verdict
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


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
