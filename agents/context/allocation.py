"""How the room of a prompt is shared out among the components of its context."""

from collections.abc import Callable, Iterable, Sequence

from bookwright.agents.context.components import COMPONENTS, PROSE_COMPONENTS, SMALL_ROLES, ChangeRate, Component
from bookwright.models.profile import Profile

OWN_PART = 900
"""Tokens of a prompt that are kept for the system frame and the step's own part."""

_BASE_ROLE = "planner"
"""The role whose budget sizes what all activities of a unit share, so that it is the same bytes in each."""

_TASK = 0.12
"""Of the room: kept for the task in hand, which is told nowhere else."""

_WHOLE = 0.4
"""Of the room: what may be had by one component alone before the others have theirs."""

_MADE = 0.7
"""Tokens kept for what a unit's tasks will produce, for each word or character that the unit is to have."""


class TokenAllocation:
    """The token budget ("room") of each component of one prompt.

    Whoever plans has what changes with the unit in a room that is the same for all activities: a share for each, and
    what these leave goes on to those that have a wish. The unit's own results take what is left of that, and the rest
    goes to what changes with each activity. Whoever writes prose has a room for each writing of a unit alone: what
    stands whole is served first, the others share the rest, and what is left then goes to the same wishes.
    """

    def __init__(
        self, components: Sequence[Component], role: str, profile: Profile, frame: Callable[[Component], int],
        *, length: int = 0, registers: tuple[Component, ...] = (),
    ) -> None:  # fmt: skip
        """Measure the room.

        `frame` is what a component's heading and tags take; `length` is the unit's; `registers` are what the book has,
        shown or not.
        """
        self._components = components
        self._is_small = profile.is_small
        self._is_prose = set(components) <= set(PROSE_COMPONENTS)
        self._left = self._room_of(role, profile) - sum(map(frame, components))
        # Of all components, shown or not: an activity that goes without some has the same bytes in the others.
        family = components if self._is_prose else (*COMPONENTS, *registers)
        every = components if role in SMALL_ROLES else [other for other in family if self._share(other)]
        base = self._room_of(role, profile)
        if not self._is_prose:
            base = min(base, self._room_of(_BASE_ROLE, profile))
        self._unit_of_share = (base - sum(map(frame, every))) / sum(map(self._share, every))
        self._length = length
        self._spare, self._spare_of_tasks = 0.0, 0.0
        """What is left of the shares of what changes with the unit; and of those that grow with its tasks."""
        has_whole = any(own.stands_whole for own in _of(ChangeRate.BY_TASK, components))
        self._beyond = max(self._room_of(role, profile) - base, 0) if has_whole else 0
        """What the role's own budget has beyond the one that all activities of a unit share, for a unit's designs."""
        self._waiting = list(components)

    def room_for(self, component: Component) -> int:
        """Return the room of a component; those that come before it have said what they took."""
        share = self._share(component)
        most = max(component.most, share)
        if self._is_prose or component.change is ChangeRate.BY_ACTIVITY:
            most = most if component.stands_whole or not component.wish else share  # the rest as a wish
            others = _of(component.change, self._waiting)
            part_of_left = 1.0 if component.stands_whole else share / sum(map(self._share, others))
            part = min(self._left * part_of_left, self._part(min(most, _WHOLE)))
        elif component.change is ChangeRate.BY_UNIT:
            part = share * self._unit_of_share
        else:
            borrowed = self._spare * share / sum(map(self._share, _of(ChangeRate.BY_TASK, self._components)))
            part = min(share * self._unit_of_share + borrowed, most * self._unit_of_share)
            part += self._beyond if component.stands_whole else 0
        return max(int(part), 0)

    def take(self, component: Component, used: int) -> None:
        """Say how much of its room a component has taken."""
        left = self._share(component) * self._unit_of_share - used
        if component.change is ChangeRate.BY_TASK and component.stands_whole:
            left += min(self._beyond, max(-left, 0))
        if component.change is ChangeRate.BY_UNIT:
            self._spare += left
        elif component.change is ChangeRate.BY_TASK:
            self._spare_of_tasks += left
        if component in self._waiting:
            self._left -= used
            self._waiting.remove(component)

    def wider(self, component: Component, used: int) -> int:
        """Return the room of a component that took `used` of its own, with what the others have left."""
        kept = self._kept(ChangeRate.BY_ACTIVITY, self._part(_TASK))
        if not self._beyond:
            kept += self._kept(ChangeRate.BY_TASK, self._length * _MADE)
        left = self._left if self._is_prose else self._spare + self._spare_of_tasks - kept
        return max(min(used + int(left), int(self._part(component.most))), used)

    def widen(self, component: Component, more: int) -> None:
        """Say how much more than in its own room a component has taken."""
        self._left -= more if component in self._components else 0
        self._spare -= more

    def _kept(self, change: ChangeRate, wanted: float) -> float:
        """What those of a kind that are still to be filled need beyond their shares; below 0 where they can lend."""
        waiting = _of(change, self._waiting)
        most = self._part(sum(component.most for component in waiting))
        return min(wanted, most) - self._part(sum(map(self._share, waiting)))

    def _part(self, share: float) -> float:
        return share * self._unit_of_share

    def _room_of(self, role: str, profile: Profile) -> int:
        """The budgets of `small` are those of the blocks alone; the others' hold the whole prompt."""
        budget = profile.context_budget["judge" if role == "router" else role]
        return budget if self._is_small else budget - OWN_PART

    def _share(self, component: Component) -> float:
        return component.small_share if self._is_small else component.share


def _of(change: ChangeRate, components: Iterable[Component]) -> list[Component]:
    return [component for component in components if component.change is change]
