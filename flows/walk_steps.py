"""The steps of the walk: each runs its activity unless the journal has it already.

What an activity does stands in `activities/`; here stands when. Each that has something to do is run by the observer,
with Prefect as a task of `tasks.py`; what is recorded makes none.
"""

from collections.abc import Iterator

from bookwright.flows import gates, task_work
from bookwright.flows.activities import close as closing
from bookwright.flows.activities import decide as deciding
from bookwright.flows.activities import divide as dividing
from bookwright.flows.activities import extract as extracting
from bookwright.flows.activities import plan as planning
from bookwright.flows.activities import recall as recalling
from bookwright.flows.activities.maintain import keep_up, maintain
from bookwright.flows.activities.prose import brief as briefing
from bookwright.flows.activities.prose import write as writing
from bookwright.flows.activities.prose.voice import make_voice, settle_style, wants_voice
from bookwright.flows.activities.unit_facts import is_one_sitting, rests_on_designs
from bookwright.flows.blueprints import opening, pages
from bookwright.flows.deps import Deps
from bookwright.flows.intake import world
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Decision, Verdict
from bookwright.models.tree.task import NodeStatus, TaskNode


def recall(unit: TaskNode, deps: Deps) -> None:
    """Ask what of the book so far a new unit rests on, where the profile has a model ask."""
    if recalling.wants_questions(deps.fresh(unit), deps):
        maintain(unit, deps)
        deps.observer.run(Activity.RECALL, unit, lambda: recalling.recall(deps.fresh(unit), deps))


def open_rounds(unit: TaskNode, deps: Deps) -> Iterator[int]:
    """Yield the planning rounds that a unit still has before it, until it is decided."""
    while (planning_round := deciding.next_round(deps.fresh(unit), deps)) is not None:
        yield planning_round


def plan(unit: TaskNode, planning_round: int, deps: Deps) -> Iterator[TaskNode]:
    """Plan a round, the first by a blueprint's stages, and yield its open tasks, each after the former is done."""
    if deps.fresh(unit).planning_round < planning_round and opening.opens(unit, deps):
        opening.open_tree(unit, deps)
        gates.rest_if_waiting(deps)
    elif deps.fresh(unit).planning_round < planning_round:
        maintain(unit, deps)
        deps.observer.run(Activity.PLAN, unit, lambda: planning.plan(unit, planning_round, deps))
        gates.rest_if_waiting(deps)
    yield from _open_tasks(unit, deps)


def is_atom(node: TaskNode, deps: Deps) -> bool:
    """Tell whether a task is one worker's, judging its whole round if that is still open."""
    if deps.fresh(node).verdict is None:
        deps.observer.run(Activity.JUDGE, node, lambda: planning.judge(node, deps))
    return deps.fresh(node).verdict is Verdict.ATOM


def execute(node: TaskNode, deps: Deps) -> None:
    """Design or search: an atom becomes a document. To mend another's document is that one's activity."""
    if task_work.is_fix(node):
        task_work.execute(node, deps)
        return
    deps.observer.run(Activity.EXECUTE, node, lambda: task_work.execute(node, deps))


def decompose(node: TaskNode, deps: Deps) -> Iterator[TaskNode]:
    """Cut a complex task into all its parts and yield the open ones in order."""
    if not planning.parts(node, deps):
        deps.observer.run(Activity.DECOMPOSE, node, lambda: task_work.decompose(node, deps))
    yield from _open_tasks(node, deps)


def aggregate(node: TaskNode, deps: Deps) -> None:
    """Merge what the parts produced into one document of the task."""
    deps.observer.run(Activity.AGGREGATE, node, lambda: task_work.aggregate(node, deps))


def decide(unit: TaskNode, planning_round: int, deps: Deps) -> None:
    """Decide, after a round, whether the unit goes on planning, divides or is written."""
    if deciding.asks_decision(unit, deps) and deps.fresh(unit).decided_round < planning_round:
        maintain(unit, deps)
        deps.observer.run(Activity.DECIDE, unit, lambda: deciding.decide(unit, planning_round, deps))


def settle(unit: TaskNode, deps: Deps) -> Decision:
    """Return the unit's decision, or what length decides; once the book itself is decided its voice is found."""
    direction = deciding.settle(deps.fresh(unit), deps)
    if unit.parent is None and wants_voice(deps.fresh(unit), deps):
        maintain(unit, deps)
        deps.observer.run(Activity.BRIEF, unit, lambda: make_voice(deps.fresh(unit), deps))
    return direction


def pass_gate(unit: TaskNode, deps: Deps) -> None:
    """Rest at a finished design that the author wants to see, until it is approved."""
    unit = deps.fresh(unit)
    if (kind := gates.asked_of_design(unit, deps)) is not None:
        maintain(unit, deps)
        gates.passed(unit, kind, deps)


def brought_in(unit: TaskNode, deps: Deps) -> TaskNode | None:
    """Return the first unit below one that was written before the book came here and is not closed."""
    if deps.fresh(unit).child_level is None:
        return None
    child = dividing.open_child(unit, deps)
    return child if child is None or child.is_brought_in else brought_in(child, deps)


def divide(unit: TaskNode, deps: Deps) -> TaskNode | None:
    """Return the next child unit that is not closed, making it if need be; None when all are."""
    child = dividing.open_child(unit, deps)
    if child is None and dividing.wants_child(deps.fresh(unit), deps):
        maintain(unit, deps)
        if unit.parent is None:
            extracting.extract_design(unit, deps)
        deps.observer.run(Activity.DIVIDE, unit, lambda: dividing.divide(unit, deps))
        child = dividing.open_child(unit, deps)
    return child


def write(unit: TaskNode, deps: Deps) -> None:
    """Write the prose of a unit: planned, drafted, criticised, refined, of its length; a book of designs has none."""
    if deps.fresh(unit).status is NodeStatus.OPEN and not deps.makes_designs:
        maintain(unit, deps)
        settle_style(deps)
        if unit.parent is None and not is_one_sitting(deps.fresh(unit), deps):
            extracting.extract_design(deps.fresh(unit), deps)
        if briefing.wants_brief(deps.fresh(unit), deps):
            deps.observer.run(Activity.BRIEF, unit, lambda: briefing.make_brief(deps.fresh(unit), deps))
        deps.observer.run(Activity.WRITE, unit, lambda: writing.write(deps.fresh(unit), deps))


def close(unit: TaskNode, deps: Deps) -> None:
    """Sum a finished unit up, look back on it, and owe the maintainers what is new."""
    keep_up(deps.fresh(unit), deps)
    if rests_on_designs(deps.fresh(unit), deps):  # a book in one piece keeps its register, too
        extracting.extract_design(deps.fresh(unit), deps)
    if deps.makes_designs and deps.fresh(unit).status is not NodeStatus.DONE:
        world.fill_codex(deps.fresh(unit), deps)  # so that a story can be set in it
    deps.observer.run(Activity.CLOSE, unit, lambda: closing.close(deps.fresh(unit), deps))
    unit = deps.fresh(unit)
    deps.observer.finished(unit, deps)
    gates.rest_if_waiting(deps)
    with deps.stores() as stores:
        deps.limits.check(unit, stores, deps.desk.journal.way_on)


def last_tasks(book: TaskNode, deps: Deps) -> Iterator[TaskNode]:
    """Yield the open tasks that a blueprint keeps for a book whose prose stands, in order."""
    opening.open_last_stages(deps.fresh(book), deps)
    yield from _open_tasks(book, deps)


def publish(book: TaskNode, deps: Deps) -> None:
    """Give the finished book its title and blurb, and its made pages the last word of everything."""
    if deps.makes_designs:
        maintain(book, deps)  # its design is what the cover tells of
    if not closing.is_published(book, deps):
        deps.observer.run(Activity.PUBLISH, book, lambda: closing.publish(book, deps))
    pages.renew_pages(book, deps)


def _open_tasks(parent: TaskNode, deps: Deps) -> Iterator[TaskNode]:
    with deps.stores() as stores:
        waiting = stores.nodes.open_tasks(parent.key)
    yield from waiting  # a round has all its tasks from the first; each is done when the next one is asked for
