"""The recursion: plan, judge, then divide or write, depth first and one activity at a time.

A resumed walk takes the same way: what is recorded is not done again, and a subtree that is
done is never entered, so it comes to the first open step in as many queries as the tree is deep.
Source: DESIGN section 4.
"""

from bookwright.flows import walk_steps
from bookwright.flows.deps import Deps
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.task import TaskNode


def write_unit(unit: TaskNode, deps: Deps) -> None:
    """Write one narrative unit, from the book itself down to a paragraph."""
    while written := walk_steps.brought_in(unit, deps):  # what the author wrote is looked at before any plan
        write_unit(written, deps)
    if design(unit, deps) is Decision.DIVIDE_HIERARCHY:
        while child := walk_steps.divide(unit, deps):
            write_unit(child, deps)
    else:
        walk_steps.write(unit, deps)
    walk_steps.close(unit, deps)


def design(unit: TaskNode, deps: Deps) -> Decision:
    """Plan and carry out design tasks until the unit is ready, or the circuit breaks."""
    walk_steps.recall(unit, deps)
    for planning_round in walk_steps.open_rounds(unit, deps):
        for node in walk_steps.plan(unit, planning_round, deps):
            resolve(node, deps)
        walk_steps.decide(unit, planning_round, deps)
    direction = walk_steps.settle(unit, deps)  # a broken circuit hands what is missing to the next level
    walk_steps.pass_gate(unit, deps)
    return direction


def look_over(book: TaskNode, deps: Deps) -> None:
    """Carry out what a blueprint keeps for a book whose last page is written."""
    for node in walk_steps.last_tasks(book, deps):
        resolve(node, deps)


def resolve(node: TaskNode, deps: Deps) -> None:
    """Carry out a design or search task, breaking it down while it is complex."""
    if walk_steps.is_atom(node, deps):
        walk_steps.execute(node, deps)
    else:
        for part in walk_steps.decompose(node, deps):
            resolve(part, deps)
        walk_steps.aggregate(node, deps)
