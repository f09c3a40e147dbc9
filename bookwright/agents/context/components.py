"""The components of a context as data: who gets them, and how much room each has.

Whoever plans has the ten of DESIGN section 9; whoever writes prose sees no design, and has components
of its own. Source: DESIGN sections 9 and 10; S3-127 to S3-136.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from bookwright.models.profile import Profile, ProfileName
from bookwright.models.step import Activity

SMALL_ROLES = ("judge", "router", "questions")
"""Roles with a small prompt of their own, whatever their activity."""

_UNIT = frozenset({
    Activity.PLAN, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE, Activity.DIVIDE,
    Activity.BRIEF, Activity.CLOSE,
})  # fmt: skip
_ALL = frozenset(Activity) - {Activity.WRITE}
_MAKING, _TREE = _UNIT - {Activity.CLOSE}, _ALL - {Activity.CLOSE}
"""Whoever sums a text up or looks back on it has the text; how it was planned is none of it."""


class Change(StrEnum):
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
    change: Change
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
    goes_when_empty: bool = False
    """Many books never have it, and those that do need no word of its absence."""


COMPONENTS = (
    Component("book_level_design", Change.BY_UNIT, 0.20, 0.20, _UNIT | {Activity.PUBLISH}, turn=1, small_share=0.45),
    Component("upper_level_design", Change.BY_UNIT, 0.15, 0.15, _UNIT, turn=3),
    Component("upper_level_search", Change.BY_UNIT, 0.06, 0.06, _MAKING, turn=4),
    Component("global_state_summary", Change.BY_UNIT, 0.09, 0.09, _UNIT | {Activity.PUBLISH}, turn=2),
    Component("latest_text", Change.BY_UNIT, 0.11, 0.11, _MAKING, turn=5, small_share=0.20),
    Component("text_summary", Change.BY_UNIT, 0.10, 0.10, _UNIT, turn=6),
    Component("overall_planning", Change.BY_UNIT, 0.06, 0.06, _TREE, turn=7, is_for_small_roles=True),
    Component("search_dependent", Change.BY_TASK, 0.05, 0.15, _MAKING, turn=9),
    Component("design_dependent", Change.BY_TASK, 0.12, 0.40, _MAKING, turn=8),
    Component("more_summary", Change.BY_ACTIVITY, 0.03, 0.04, _MAKING, turn=11, goes_when_empty=True),
    Component(
        "current_task", Change.BY_ACTIVITY, 0.03, 0.50, _ALL, turn=10, small_share=0.35, is_for_small_roles=True,
        stands_whole=True,
    ),
)  # fmt: skip
"""In the order of `prompts.render.BLOCK_TAGS`: what changes least comes first."""

TREE_WITH_TASKS = replace(
    next(component for component in COMPONENTS if component.tag == "overall_planning"),
    change=Change.BY_ACTIVITY, share=0.09, most=0.09, turn=11,
)  # fmt: skip
"""The tree down to the tasks of the unit, for whoever has little else. The others see the tree of units, which stands
still while a unit is planned, and the unit's tasks with the task in hand."""

_NEW_WITH_EACH_PART = (
    "global_state_summary", "latest_text", "text_summary", "overall_planning", "more_summary", "current_task",
)  # fmt: skip
"""A unit is divided part by part, long after it was designed: then these change, and its designs do not."""

SECRETS = Component("secrets", Change.BY_UNIT, 0.08, 0.08, _MAKING, turn=0, goes_when_empty=True)
"""What readers are not to know yet, for whoever plans towards its place, in books that have it.

Who looks something up is not told: it stands behind all that the two can share."""

_WRITE = frozenset({Activity.WRITE})
PROSE_COMPONENTS = (
    Component("style_guide", Change.BY_UNIT, 0.06, 0.06, _WRITE, turn=5, goes_when_empty=True),
    Component("writers_brief", Change.BY_UNIT, 0.40, 0.40, _WRITE, turn=1),
    Component("hints", Change.BY_UNIT, 0.18, 0.18, _WRITE, turn=2, goes_when_empty=True),
    Component("text_summary", Change.BY_UNIT, 0.18, 0.18, _WRITE, turn=4),
    Component("latest_text", Change.BY_UNIT, 0.18, 0.18, _WRITE, turn=3),
)
"""All that the steps which write prose see: what was made for their eyes, and what readers have read.

In the order of `prompts.render.PROSE_TAGS`. The text stands last, next to what goes on from it.
"""


def components_of(activity: Activity, role: str, profile: Profile) -> tuple[Component, ...]:
    """Return the components that an activity's prompts have, in order."""
    if profile.name is ProfileName.SMALL:
        return tuple(component for component in COMPONENTS if component.small_share)
    if activity is Activity.WRITE:
        is_planned = profile.name is not ProfileName.ECONOMY  # there the plan is the brief, an artefact
        return tuple(component for component in PROSE_COMPONENTS if is_planned or component.tag != "writers_brief")
    if role in SMALL_ROLES:
        return tuple(_with_tasks(component) for component in COMPONENTS if component.is_for_small_roles)
    shown = [component for component in COMPONENTS if activity in component.activities]
    if activity not in _UNIT:
        return tuple(map(_with_tasks, shown))
    if activity is Activity.DIVIDE:
        shown.sort(key=lambda component: component.tag in _NEW_WITH_EACH_PART)
    return tuple(shown)


def _with_tasks(component: Component) -> Component:
    return TREE_WITH_TASKS if component.tag == TREE_WITH_TASKS.tag else component


def lasts(component: Component, activity: Activity) -> bool:
    """True for what the unit's other activities have, too; where it is divided, for what each of its parts has."""
    if activity is Activity.DIVIDE:
        return component.tag not in _NEW_WITH_EACH_PART
    return component.change is Change.BY_UNIT


def with_secrets(components: tuple[Component, ...], activity: Activity, profile: Profile) -> tuple[Component, ...]:
    """Return the components of a book that keeps something from its readers; those who plan are told."""
    if profile.name is ProfileName.SMALL or COMPONENTS[0] not in components or activity not in SECRETS.activities:
        return components
    place = next(index for index, component in enumerate(components) if component.change is Change.BY_TASK)
    return (*components[:place], SECRETS, *components[place:])
