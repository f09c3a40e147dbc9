"""How the room of a prompt is shared out among the components of its context."""

from collections.abc import Callable, Sequence

from bookwright.agents.context.components import (
    COMPONENTS,
    PROSE_COMPONENTS,
    SMALL_ROLES,
    Change,
    Component,
)
from bookwright.models.profile import Profile, ProfileName

OWN_PART = 900
"""Tokens of a prompt that are kept for the system frame and the step's own part."""

_BASE_ROLE = "planner"
"""The role whose budget sizes what all activities of a unit share, so that it is the same bytes in each."""


class Rooms:
    """The room of each component of one prompt, in tokens; asked for in the order in which they are filled.

    What changes with the unit only has its share of a room that is the same for all activities, and
    no more where others leave some; the unit's own results may take what that leaves; the rest
    goes to what changes with each activity.
    """

    def __init__(
        self, components: Sequence[Component], role: str, profile: Profile, frame: Callable[[Component], int],
        *, registers: tuple[Component, ...] = (),
    ) -> None:  # fmt: skip
        """`frame` is what a component's heading and tags take; `registers` are what the book has, shown or not."""
        self._components = components
        self._is_small = profile.name is ProfileName.SMALL
        self._left = self._room_of(role, profile) - sum(map(frame, components))
        # Of all components, shown or not: an activity that goes without some has the same bytes in the others.
        planning = (*COMPONENTS, *registers)
        family = PROSE_COMPONENTS if set(components) <= set(PROSE_COMPONENTS) else planning
        every = components if role in SMALL_ROLES else [other for other in family if self._share(other)]
        base = min(self._room_of(role, profile), self._room_of(_BASE_ROLE, profile))
        self._unit_of_share = (base - sum(map(frame, every))) / sum(map(self._share, every))
        self._spare = 0.0
        self._waiting = [component for component in components if component.change is Change.BY_ACTIVITY]

    def room_for(self, component: Component) -> int:
        """Return the room of a component; those that come before it have said what they took."""
        share = self._share(component)
        most = max(component.most, share)
        match component.change:
            case Change.BY_UNIT:
                part = share * self._unit_of_share
            case Change.BY_TASK:
                borrowed = self._spare * share / self._shares_of(Change.BY_TASK)
                part = min(share * self._unit_of_share + borrowed, most * self._unit_of_share)
            case Change.BY_ACTIVITY:
                still = sum(self._share(other) for other in self._waiting)
                of_left = 1.0 if component.stands_whole else share / still
                part = min(self._left * of_left, most * self._unit_of_share)
        return max(int(part), 0)

    def take(self, component: Component, used: int) -> None:
        """Say how much of its room a component has taken."""
        self._left -= used
        if component.change is Change.BY_UNIT:
            self._spare += self._share(component) * self._unit_of_share - used
        if component.change is Change.BY_ACTIVITY:
            self._waiting.remove(component)

    def _room_of(self, role: str, profile: Profile) -> int:
        """The budgets of `small` are those of the blocks alone; the others' hold the whole prompt."""
        budget = profile.context_budget["judge" if role == "router" else role]
        return budget if self._is_small else budget - OWN_PART

    def _share(self, component: Component) -> float:
        return component.small_share if self._is_small else component.share

    def _shares_of(self, change: Change) -> float:
        return sum(self._share(component) for component in self._components if component.change is change)
