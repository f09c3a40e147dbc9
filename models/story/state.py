"""The state of the story so far as structure: aim, conflict, relations, promises and what readers wait for.

Source: S3-126; CRAFT section 5, "Maintainers".
"""

from enum import StrEnum
from itertools import count
from typing import Annotated

from pydantic import Field, StringConstraints

from bookwright.models.frozen import FrozenModel

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=400)]
Told = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]


class Relation(FrozenModel):
    """How two people stand to each other now."""

    who: Told
    to: Told
    now: Told
    since: Line = ""
    """The event that made it so, with its unit."""


class Promise(FrozenModel):
    """Something readers were led to expect, and have not got yet."""

    id: Line = ""
    """`"1.4-2"`, given by code when the promise is first entered; a new one has none yet."""
    promise: Told
    born: Line = ""
    """The unit it was made in."""
    touched: Line = ""
    """The unit that last came back to it."""
    due: Line = ""
    """Between which points of the book readers will look for it."""
    is_overdue: bool = False


class Ending(StrEnum):
    """How a promise leaves the list."""

    KEPT = "kept"
    BROKEN = "broken"
    WITHDRAWN = "withdrawn"
    """It was no promise after all, or stands in another one."""


class Settled(FrozenModel):
    """A promise that leaves the list, and why."""

    id: Told
    ending: Ending
    where: Line = ""


class Waiting(FrozenModel):
    """What readers want as the last text ends."""

    at_once: Line = ""
    further_off: Line = ""
    by_the_end: Line = ""


class GlobalState(FrozenModel):
    """The whole state; each version replaces the one before it."""

    aim: Told
    """The lead's central aim."""
    conflict: Told
    relations: tuple[Relation, ...] = Field(default=(), max_length=40)
    promises: tuple[Promise, ...] = Field(default=(), max_length=60)
    waiting: Waiting = Waiting()
    settled: tuple[Settled, ...] = Field(default=(), max_length=60)
    """What this version takes off the list of promises."""

    def numbered(self, before: "GlobalState | None", unit: str) -> "GlobalState":
        """Return the state with an id of ours for each promise: `"1.4-2"` is the second that unit `"1.4"` brought."""
        known = {promise.id for promise in before.promises} if before else set()
        free = (name for number in count(1) if (name := f"{unit}-{number}") not in known)
        seen: set[str] = set()
        named = []
        for promise in self.promises:
            name = promise.id if promise.id in known and promise.id not in seen else next(free)
            seen.add(name)
            named.append(promise.model_copy(update={"id": name}))
        return self.model_copy(update={"promises": tuple(named)})

    def as_shown(self) -> str:
        """Return the state as its keeper is shown it: what an earlier version settled is over."""
        return self.model_copy(update={"settled": ()}).model_dump_json(exclude_defaults=True)


def lost_promises(before: GlobalState, after: GlobalState) -> list[Promise]:
    """Return the promises that a new state neither carries on nor settles."""
    told = {promise.id for promise in after.promises} | {gone.id for gone in after.settled}
    return [promise for promise in before.promises if promise.id not in told]
