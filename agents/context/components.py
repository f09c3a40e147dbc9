"""The components of a context as data: who gets them, and how much room each has.

Whoever plans has the ten of DESIGN section 9; whoever writes prose sees no design, and has components
of its own. Source: DESIGN sections 9 and 10; S3-127 to S3-136.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bookwright.models.profile import Profile
from bookwright.models.step import Activity

SMALL_ROLES = ("judge", "router", "questions")
"""Roles with a small prompt of their own, whatever their activity."""

_UNIT = frozenset({
    Activity.PLAN, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE, Activity.DIVIDE,
    Activity.BRIEF, Activity.CLOSE,
})  # fmt: skip
_ALL = frozenset(Activity) - {Activity.WRITE}
_MAKING, _TREE = _UNIT - {Activity.CLOSE}, _ALL - {Activity.CLOSE}
"""Whoever sums a text up or looks back on it has the text, and the designs that tell it the right names."""


class ChangeRate(StrEnum):
    """When a component changes, which decides how its room is found."""

    BY_UNIT = "by unit"
    """Chosen and cut once for a unit; the same in all its activities."""
    BY_TASK = "by task"
    """Grows at its end as the unit's tasks are done."""
    BY_ACTIVITY = "by activity"


@dataclass(frozen=True)
class Component:
    """One component. Shares are parts of the room of all components together."""

    tag: str
    change: ChangeRate
    share: float
    most: float
    """The largest share it may take of what others leave unused."""
    activities: frozenset[Activity]
    turn: int
    """When it is filled: what comes first has the room before the others."""
    small_share: float = 0.0
    """Its share in the profile `small`; 0 leaves it out there."""
    is_for_small_roles: bool = False
    stands_whole: bool = False
    """Where room is short it takes what there is before the others."""
    wish: int = 0
    """Its place in the line for what the others leave unused, from 1; 0 for a component that wants no more."""


COMPONENTS = (
    Component(
        "book_level_design", ChangeRate.BY_UNIT, 0.42, 1.00, _UNIT | {Activity.PUBLISH}, turn=1, small_share=0.45,
        wish=2,
    ),
    Component("upper_level_design", ChangeRate.BY_UNIT, 0.10, 0.23, _UNIT, turn=3, wish=4),
    Component("upper_level_search", ChangeRate.BY_UNIT, 0.04, 0.045, _MAKING, turn=4),
    Component("global_state_summary", ChangeRate.BY_UNIT, 0.065, 0.065, _UNIT | {Activity.PUBLISH}, turn=2),
    Component("latest_text", ChangeRate.BY_UNIT, 0.085, 1.00, _MAKING, turn=5, small_share=0.20, wish=1),
    Component("text_summary", ChangeRate.BY_UNIT, 0.075, 0.23, _UNIT, turn=6, wish=3),
    Component("overall_planning", ChangeRate.BY_UNIT, 0.045, 0.045, _TREE, turn=7, is_for_small_roles=True),
    Component("search_dependent", ChangeRate.BY_TASK, 0.04, 0.12, _MAKING, turn=9),
    Component("design_dependent", ChangeRate.BY_TASK, 0.09, 0.31, _UNIT, turn=8),
    Component("more_summary", ChangeRate.BY_ACTIVITY, 0.02, 0.03, _MAKING, turn=11),
    Component(
        "current_task", ChangeRate.BY_ACTIVITY, 0.02, 0.39, _ALL, turn=10, small_share=0.35, is_for_small_roles=True,
        stands_whole=True,
    ),
)  # fmt: skip
"""In order of change, seldom first.

What is known of a unit before it is planned stands still meanwhile: the text before it, what happened, the tree of
units. What its tasks produce only grows at its end, the findings less often than the designs. What a task asks for by
itself, and the task with its unit's other tasks, are new with each. A cache serves more of a book so than in the order
of DESIGN section 9 (docs/benchmarks.md).
"""

BY_TAG = {component.tag: component for component in COMPONENTS}

TREE_WITH_TASKS = replace(BY_TAG["overall_planning"], change=ChangeRate.BY_ACTIVITY, share=0.07, most=0.07, turn=11)
"""The tree down to the tasks of the unit, for whoever has little else. The others see the tree of units, which stands
still while a unit is planned, and the unit's tasks with the task in hand."""

WHOLE_DESIGNS = replace(BY_TAG["design_dependent"], stands_whole=True)
"""A unit's own designs for whoever divides it, who has to find a place for each event in them. Source: S3-036."""

_NEW_WITH_EACH_PART = (
    "global_state_summary", "latest_text", "text_summary", "overall_planning", "more_summary", "current_task",
    "codex", "threads", "secrets",
)  # fmt: skip
"""A unit is divided part by part, long after it was designed: then these change, and its designs do not."""

CODEX = Component("codex", ChangeRate.BY_UNIT, 0.055, 0.055, _MAKING, turn=0)
THREADS = Component("threads", ChangeRate.BY_UNIT, 0.045, 0.045, _MAKING, turn=0)
SECRETS = Component("secrets", ChangeRate.BY_UNIT, 0.06, 0.06, _MAKING, turn=0)
"""The registers, for whoever plans: who and what is on record, what is laid early and paid off late, what is secret.

Source: REQUIREMENTS C-13.
"""

_WRITE = frozenset({Activity.WRITE})
PROSE_COMPONENTS = (
    Component("order", ChangeRate.BY_UNIT, 0.06, 0.30, _WRITE, turn=1, stands_whole=True),
    Component("voice", ChangeRate.BY_UNIT, 0.08, 0.30, _WRITE, turn=2, stands_whole=True),
    Component("style_guide", ChangeRate.BY_UNIT, 0.06, 0.10, _WRITE, turn=6),
    Component("book_design", ChangeRate.BY_UNIT, 0.14, 1.00, _WRITE, turn=9, wish=3),
    Component("unit_designs", ChangeRate.BY_UNIT, 0.16, 1.00, _WRITE, turn=4, stands_whole=True, wish=2),
    Component("writers_brief", ChangeRate.BY_UNIT, 0.16, 0.40, _WRITE, turn=3, stands_whole=True),
    Component("current_task", ChangeRate.BY_UNIT, 0.05, 0.40, _WRITE, turn=5, stands_whole=True),
    Component("search_dependent", ChangeRate.BY_UNIT, 0.05, 0.10, _WRITE, turn=8),
    Component("hints", ChangeRate.BY_UNIT, 0.14, 0.18, _WRITE, turn=7),
    Component("text_summary", ChangeRate.BY_UNIT, 0.10, 0.30, _WRITE, turn=11, wish=4),
    Component("earlier_pages", ChangeRate.BY_UNIT, 0.06, 0.06, _WRITE, turn=12),
    Component("latest_text", ChangeRate.BY_UNIT, 0.16, 1.00, _WRITE, turn=10, wish=1),
)
"""All that the steps which write prose see: the order, what was made for their eyes, and what readers have read.

Designs stand there where nothing in them has to be kept from the writer, the writer's brief where something has.
The text stands last, next to what goes on from it.
"""


def components_of(activity: Activity, role: str, profile: Profile) -> tuple[Component, ...]:
    """Return the components that an activity's prompts have, in order."""
    if profile.is_small:
        return tuple(component for component in COMPONENTS if component.small_share)
    if activity is Activity.WRITE:
        return PROSE_COMPONENTS
    if role in SMALL_ROLES:
        return tuple(_with_tasks(component) for component in COMPONENTS if component.is_for_small_roles)
    shown = [component for component in COMPONENTS if activity in component.activities]
    if activity not in _UNIT:
        return tuple(map(_with_tasks, shown))
    if activity is Activity.DIVIDE:
        shown.sort(key=lambda component: component.tag in _NEW_WITH_EACH_PART)
        return tuple(WHOLE_DESIGNS if own.tag == WHOLE_DESIGNS.tag else own for own in shown)
    return tuple(shown)


def _with_tasks(component: Component) -> Component:
    return TREE_WITH_TASKS if component.tag == TREE_WITH_TASKS.tag else component


def in_groups(components: Sequence[Component], activity: Activity) -> tuple[tuple[Component, ...], ...]:
    """Return components in the groups in which they are filled, each in its order.

    What a unit's activities share comes first, and all that it leaves stays within it; then what grows with the unit's
    tasks; then what is new with each activity, or with each part that a unit is divided into.
    """
    shared = [own for own in components if own.change is ChangeRate.BY_UNIT and lasts(own, activity)]
    growing = [own for own in components if own.change is ChangeRate.BY_TASK]
    groups = (shared, growing, [own for own in components if own not in shared and own not in growing])
    return tuple(tuple(sorted(group, key=lambda own: own.turn)) for group in groups)


def lasts(component: Component, activity: Activity) -> bool:
    """True for what the unit's other activities have, too; where it is divided, for what each of its parts has."""
    if activity is Activity.DIVIDE:
        return component.tag not in _NEW_WITH_EACH_PART
    return component.change is ChangeRate.BY_UNIT


def with_registers(
    components: tuple[Component, ...], registers: tuple[Component, ...], activity: Activity, profile: Profile
) -> tuple[Component, ...]:
    """Return the components of a book that has some of the registers; those who plan are shown them."""
    is_planning = COMPONENTS[0] in components and activity in _MAKING
    if profile.is_small or not is_planning or not registers:
        return components
    changing = (index for index, component in enumerate(components) if not lasts(component, activity))
    place = next(changing, len(components))
    return (*components[:place], *registers, *components[place:])
