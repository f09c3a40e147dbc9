"""Threads that are laid early and paid off late: what each is, where it stands, and what was done for it.

Source: DETAILS "002 The Relay", "Foreshadowing life cycle".
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from bookwright.models.codex.entries import Body, Name, Names, NonEmpty, Slug, VisibilityLevel
from bookwright.models.frozen import StrictModel
from bookwright.models.tree.place import Place


class ForeshadowingType(StrEnum):
    """What a thread pays off in."""

    CHARACTER_SECRET = "character_secret"
    PLOT_TWIST = "plot_twist"
    WORLD_REVEAL = "world_reveal"
    ITEM_SIGNIFICANCE = "item_significance"


class ThreadStatus(StrEnum):
    """Where a thread stands in its life."""

    REGISTERED = "registered"
    PLANTED = "planted"
    REINFORCED = "reinforced"
    REVEALED = "revealed"
    ABANDONED = "abandoned"


class ThreadEventType(StrEnum):
    """What a text did for a thread."""

    PLANT = "plant"
    REINFORCE = "reinforce"
    HINT = "hint"
    REVEAL = "reveal"


class ThreadVisibility(StrictModel):
    """What a writer may say of a thread before its payoff."""

    level: VisibilityLevel | None = None
    """A ceiling of the author's own; None leaves it to the thread's status and subtlety."""
    forbidden_keywords: Names = ()
    allowed_expressions: Names = ()


class Seed(StrictModel):
    """What is planted."""

    content: Body = Field(default="", max_length=4_000)
    description: Body = Field(default="", max_length=4_000)
    planned_at: Place | None = None


class Payoff(StrictModel):
    """What the thread comes to: secret until it is there."""

    content: Body = Field(default="", max_length=4_000)
    description: Body = Field(default="", max_length=4_000)
    planned_at: Place | None = None


class ThreadEvent(StrictModel):
    """What one unit did for a thread."""

    place: Place
    type: ThreadEventType
    date: Name = Field(default="", max_length=40)
    """When it was recorded, by the calendar; empty where nobody has said."""
    expression: Body = Field(default="", max_length=2_000)
    """The words in which it was done."""
    subtlety: int | None = Field(default=None, ge=1, le=10)


class Timeline(StrictModel):
    """What was planned for a thread and what was done."""

    registered_at: Place | None = None
    reinforce_at: tuple[Place, ...] = ()
    events: tuple[ThreadEvent, ...] = ()
    """In the order in which they were recorded."""


class Related(StrictModel):
    """What a thread touches, by names or ids of the codex."""

    characters: Names = ()
    plot_threads: Names = ()
    locations: Names = ()


Prerequisite = Annotated[Name, Field(pattern=r"^\w[\w.\-]*/(registered|planted|reinforced|revealed|abandoned)$")]
"""`"FS-010-ring/planted"`: another thread's id and the state it must have reached."""


class Foreshadowing(StrictModel):
    """One thread of foreshadowing."""

    id: Slug
    title: NonEmpty
    type: ForeshadowingType = ForeshadowingType.PLOT_TWIST
    status: ThreadStatus = ThreadStatus.REGISTERED
    subtlety_level: int = Field(default=5, ge=1, le=10)
    """1 is plain, 10 almost invisible."""
    ai_visibility: ThreadVisibility = ThreadVisibility()
    seed: Seed = Seed()
    payoff: Payoff = Payoff()
    timeline: Timeline = Timeline()
    related: Related = Related()
    prerequisite: tuple[Prerequisite, ...] = ()

    @property
    def is_open(self) -> bool:
        """True from its planting to its payoff: readers wait for it."""
        return self.status in (ThreadStatus.PLANTED, ThreadStatus.REINFORCED)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where something is planned to be done for it: its planting, what brings it back, its payoff."""
        planned = (self.seed.planned_at, *self.timeline.reinforce_at, self.payoff.planned_at)
        return tuple(place for place in planned if place is not None)
