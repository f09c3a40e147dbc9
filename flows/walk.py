"""The recursion: plan, judge, then divide or write, depth first and one activity at a time.

A resumed walk takes the same way: what is recorded is not done again, and a subtree that is
done is never entered, so it comes to the first open step in as many queries as the tree is deep.
Source: DESIGN section 4.
"""

from bookwright.flows import tasks
from bookwright.flows.deps import Deps
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.task import TaskNode


def write_unit(unit: TaskNode, deps: Deps) -> None:
    """Write one narrative unit, from the book itself down to a paragraph."""
    while written := tasks.brought_in(unit, deps):  # what the author wrote before is looked at before any plan is made
        write_unit(written, deps)
    if design(unit, deps) is Decision.DIVIDE_HIERARCHY:
        while child := tasks.divide(unit, deps):
            write_unit(child, deps)
    else:
        tasks.write(unit, deps)
    tasks.close(unit, deps)


def design(unit: TaskNode, deps: Deps) -> Decision:
    """Plan and carry out design tasks until the unit is ready, or the circuit breaks."""
    tasks.recall(unit, deps)
    for planning_round in tasks.open_rounds(unit, deps):
        for node in tasks.plan(unit, planning_round, deps):
            resolve(node, deps)
        tasks.decide(unit, planning_round, deps)
    direction = tasks.settle(unit, deps)  # a broken circuit hands what is missing to the next level
    tasks.pass_gate(unit, deps)
    return direction


def look_over(book: TaskNode, deps: Deps) -> None:
    """Carry out what a blueprint keeps for a book whose last page is written."""
    for node in tasks.last_tasks(book, deps):
        resolve(node, deps)


def resolve(node: TaskNode, deps: Deps) -> None:
    """Carry out a design or search task, breaking it down while it is complex."""
    if tasks.is_atom(node, deps):
        tasks.execute(node, deps)
    else:
        for part in tasks.decompose(node, deps):
            resolve(part, deps)
        tasks.aggregate(node, deps)
