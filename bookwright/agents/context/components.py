"""The ten components of a context as data: who gets them, and how much room each has.

Source: DESIGN section 9; S3-127 to S3-136.
"""

from dataclasses import dataclass
from enum import StrEnum

from bookwright.models.profile import Profile, ProfileName
from bookwright.models.step import Activity

SMALL_ROLES = ("judge", "router", "questions")
"""Roles with a small prompt of their own, whatever their activity."""

_UNIT = frozenset({
    Activity.PLAN, Activity.DECOMPOSE, Activity.EXECUTE, Activity.AGGREGATE, Activity.DECIDE, Activity.DIVIDE,
    Activity.WRITE, Activity.CLOSE,
})  # fmt: skip
_ALL = frozenset(Activity)
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
    takes_more: bool = False
    """Has most of what a role may read more than a planner: who writes a scene has to know what happened."""
    stands_whole: bool = False
    """Where room is short it takes what there is before the others."""


COMPONENTS = (
    Component("book_level_design", Change.BY_UNIT, 0.20, 0.20, _UNIT | {Activity.PUBLISH}, turn=1, small_share=0.45),
    Component("global_state_summary", Change.BY_UNIT, 0.09, 0.09, _UNIT | {Activity.PUBLISH}, turn=2),
    Component("upper_level_design", Change.BY_UNIT, 0.15, 0.15, _UNIT, turn=3),
    Component("upper_level_search", Change.BY_UNIT, 0.06, 0.06, _MAKING, turn=4),
    Component("latest_text", Change.BY_UNIT, 0.11, 0.11, _MAKING, turn=5, small_share=0.20),
    Component("design_dependent", Change.BY_TASK, 0.12, 0.40, _MAKING, turn=6),
    Component("search_dependent", Change.BY_TASK, 0.05, 0.15, _MAKING, turn=7),
    Component("overall_planning", Change.BY_ACTIVITY, 0.09, 0.09, _TREE, turn=9, is_for_small_roles=True),
    Component("text_summary", Change.BY_ACTIVITY, 0.07, 0.10, _UNIT, turn=10, takes_more=True),
    Component(
        "current_task", Change.BY_ACTIVITY, 0.06, 0.25, _ALL, turn=8, small_share=0.35, is_for_small_roles=True,
        stands_whole=True,
    ),
)  # fmt: skip
"""In the order of `prompts.render.BLOCK_TAGS`: what changes least comes first."""


def components_of(activity: Activity, role: str, profile: Profile) -> tuple[Component, ...]:
    """Return the components that an activity's prompts have, in order."""
    if profile.name is ProfileName.SMALL:
        return tuple(component for component in COMPONENTS if component.small_share)
    if role in SMALL_ROLES:
        return tuple(component for component in COMPONENTS if component.is_for_small_roles)
    return tuple(component for component in COMPONENTS if activity in component.activities)
