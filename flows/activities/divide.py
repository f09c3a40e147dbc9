"""Dividing a unit into child units: the next one, or all of them at once."""

from dataclasses import replace

from bookwright.agents.relay.times.setting import setting_lines
from bookwright.agents.small.premise import distinct_events
from bookwright.agents.steps.answers import Check
from bookwright.agents.workflows import hierarchy_workflow
from bookwright.flows import gates
from bookwright.flows.activities.prompt_sizes import every, within_lists
from bookwright.flows.activities.recall import drawn_facts, previous_endings, with_reader_reports
from bookwright.flows.activities.unit_facts import begin_activity, lengths_of_children, max_unit_length, unit_card
from bookwright.flows.blueprints.unit_plans import child_level_of, form_of
from bookwright.flows.deps import Deps
from bookwright.flows.intake.outlining import add_foreseen, is_foreseen
from bookwright.models.errors import BookPaused
from bookwright.models.gate import GateKind
from bookwright.models.step import Activity
from bookwright.models.story_time.times import stated_time
from bookwright.models.text.length import ChildLength, division_is_over, grant_child_length, spread
from bookwright.models.tree.level import Level, division_is_incremental
from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move
from bookwright.storage.stores import Stores

MAX_CHILDREN_AT_ONCE = 24
_OUTLINE_LINES = 12
_EVENTS, _FEW_EVENTS = 7, 3
"""How many events a child may be given, and a beat or paragraph, as the prompts of dividers say."""


def open_child(unit: TaskNode, deps: Deps) -> TaskNode | None:
    """Return the first child unit that is not closed."""
    with deps.stores() as stores:
        return stores.nodes.first_open_unit(unit.key)


def wants_child(unit: TaskNode, deps: Deps) -> bool:
    """Tell whether the division goes on: the engine ends it, by what is left of the length."""
    with deps.stores() as stores:
        last = stores.nodes.last_unit(unit.key)
    if last is None or is_foreseen(unit, last, deps):
        return True
    if last.is_last or not (division_is_incremental(last.level) or unit.child_level is last.level):
        return False  # what is made at once is all there, unless the book was made longer behind it
    if last.is_brought_in:
        return unit.remaining > 0  # the book goes on behind what its author wrote, however little is to come
    return not division_is_over(unit.remaining, lengths_of_children(unit, deps).usual)


def divide(unit: TaskNode, deps: Deps) -> None:
    """Make the next child unit a node, or all of them where the level divides at once."""
    unit = deps.fresh(unit)
    level = child_level_of(unit, deps)
    if level is None:
        raise BookPaused(f"{deps.named(unit)} can be divided no further", "raise max_unit_length in the brief")
    with deps.stores() as stores:
        index = len(stores.nodes.child_units(unit.key)) + 1
    if add_foreseen(unit, level, index, deps):
        return
    is_incremental = division_is_incremental(level) or index > 1
    ends_here = not is_incremental or _granted(unit, level, None, deps).is_last
    card = replace(unit_card(unit, deps), is_incremental=is_incremental, ends_here=ends_here, child_index=index)
    card = with_reader_reports(card, unit, deps, level)
    times = setting_lines(unit.label, deps.reading_order(), deps.desk.locale)
    card = replace(card, draw=drawn_facts(unit, deps), directions=form_of(unit, deps), times=times)
    if unit.level is Level.ACT:
        card = replace(card, previous_endings=previous_endings(unit, level, deps, with_own=True))
    workflow = hierarchy_workflow(unit.level, deps.profile.name)
    run = begin_activity(Activity.DIVIDE, unit, deps, workflow[0].context, card, round_=index, next_activity="write")
    gates.show_rejected(GateKind.CHAPTER, run, deps)

    def move(answer: PlanOutput) -> Move:
        if is_incremental:
            units = _units(answer)
            granted = _granted(unit, level, None if ends_here else units[0].length, deps)
            return _add_next(unit, level, index, units[0], foreseen(answer), granted)
        return _add_all(unit, level, _enough(_units(answer), unit, deps), deps)

    most = {"instructions": _EVENTS if level.is_at_least(Level.SCENE) else _FEW_EVENTS}
    held = within_lists(run, workflow[-1].name, most, MAX_CHILDREN_AT_ONCE, deps)
    run.run_all(workflow, move, every(_check(unit, level, is_incremental, deps), held))


def foreseen(answer: PlanOutput) -> tuple[str, ...]:
    """Return the later children that a division outlines, a line for each."""
    return tuple(f"{later.title}: {later.goal}" for later in _units(answer)[1 : 1 + _OUTLINE_LINES])


def _units(answer: PlanOutput) -> list[PlanNode]:
    """Return all the children an answer names, each with a title, whatever type the model wrote."""
    return [_unit(task.folded) for task in answer.sub_tasks]


def _unit(task: PlanNode) -> PlanNode:
    when = task.story_time or stated_time("\n".join((task.goal, *task.input_brief, *task.constraints)))
    title = task.title.strip() or _title(task.goal)
    return task.model_copy(update={"task_type": TaskType.WRITE, "title": title, "story_time": when})


def _title(goal: str) -> str:
    """The first words of a goal, for a child that came without a title."""
    head = goal.strip().splitlines()[0][:60]
    return head if len(goal) <= 60 or " " not in head else head.rsplit(" ", 1)[0]


def _check(unit: TaskNode, level: Level, is_incremental: bool, deps: Deps) -> Check:
    """A check that a division holds as many children as it needs: one for the next, two and more for all."""
    least = 1
    if not is_incremental and not deps.profile.is_small:
        longest = level.bounds[1] if level.finer else max_unit_length(deps)
        least = max(2, min(-(-(unit.length or 1) // longest), MAX_CHILDREN_AT_ONCE))

    def check(answer: PlanOutput) -> str:
        given = len(answer.sub_tasks)
        if given >= least:
            return ""
        return render_problem("too_few_parts", deps.desk.locale, given=given, length=unit.length, least=least)

    return check


def _granted(unit: TaskNode, level: Level, proposed: int | None, deps: Deps) -> ChildLength:
    lengths = lengths_of_children(unit, deps)
    limit = None if level.is_at_least(Level.ACT) or lengths.is_planned else max_unit_length(deps)
    with deps.stores() as stores:
        last = stores.nodes.last_unit(unit.key)
    before = None
    if last is not None and not last.is_brought_in and unit.remaining > 0:  # only what it overran can be missing
        before = min(last.length or 0, unit.remaining + max(-last.remaining, 0))
    bounds = (lengths.low, lengths.high)
    return grant_child_length(unit.remaining, proposed, lengths.usual, bounds, limit, before=before)


def _add_next(
    unit: TaskNode, level: Level, index: int, child: PlanNode, outline: tuple[str, ...], granted: ChildLength
) -> Move:
    def move(stores: Stores, step: int) -> None:
        stores.nodes.add(
            unit, [child], unit_index=index, level=level.value, length=granted.length, is_last=granted.is_last,
            open_points=unit.open_points,
        )  # fmt: skip
        stores.nodes.change(unit.key, outline=outline)

    return move


def _add_all(unit: TaskNode, level: Level, units: list[PlanNode], deps: Deps) -> Move:
    weights = [max(child.length or lengths_of_children(unit, deps).usual, 1) for child in units]
    lengths = spread(max(unit.remaining, len(units)), weights)

    def move(stores: Stores, step: int) -> None:
        stores.nodes.add(
            unit, units, level=level.value, length=lambda i: lengths[i], is_last=lambda i: i == len(units) - 1,
            unit_index=lambda i: i + 1, open_points=unit.open_points,
        )  # fmt: skip

    return move


def _enough(units: list[PlanNode], unit: TaskNode, deps: Deps) -> list[PlanNode]:
    """Mend a complete division that a weak model left too coarse or with the same child twice."""
    if not deps.profile.is_small:
        return units
    count = max(2, -(-(unit.length or 1) // max_unit_length(deps)))
    return distinct_events(units, count, unit, deps.brief.language)
