"""What a unit's writer is to do for each thread: plant, reinforce, hint, or nothing.

Source: DETAILS "Foreshadowing life cycle", instruction actions; REQUIREMENTS S2-035.
"""

from collections.abc import Collection, Iterable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from bookwright.agents.relay.foreshadowing import as_before, level_at, missing_prerequisites
from bookwright.agents.relay.matching import Matcher
from bookwright.models.codex import Visibility, folded
from bookwright.models.foreshadowing import EventType, Foreshadowing, ThreadStatus
from bookwright.models.place import ReadingOrder


class ForeshadowAction(StrEnum):
    """What is to be done for a thread in one unit."""

    PLANT = "plant"
    REINFORCE = "reinforce"
    HINT = "hint"
    NONE = "none"


_BASE_SUBTLETY = {
    ForeshadowAction.PLANT: 4,
    ForeshadowAction.REINFORCE: 6,
    ForeshadowAction.HINT: 8,
    ForeshadowAction.NONE: 10,
}
_HIGH, _LOW, _SHIFT = 7, 3, 2


class ForeshadowInstruction(BaseModel):
    """What is to be done for one thread."""

    model_config = ConfigDict(frozen=True)

    foreshadowing_id: str
    action: ForeshadowAction
    allowed_expressions: tuple[str, ...] = ()
    forbidden_expressions: tuple[str, ...] = ()
    note: str = ""
    """What is planted or touched: the seed, never the payoff."""
    subtlety_target: int = Field(ge=1, le=10)
    """1 is plain, 10 almost invisible."""
    is_payoff_due: bool = False
    """The payoff is planned for this unit."""


class SceneCheck(BaseModel):
    """Which threads a unit owes something, by id."""

    model_config = ConfigDict(frozen=True)

    should_plant: tuple[str, ...] = ()
    should_reinforce: tuple[str, ...] = ()
    approaching_payoff: tuple[str, ...] = ()
    waiting_for: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Threads that were to be planted here, and the prerequisites that keep them back."""


def subtlety_target(action: ForeshadowAction, subtlety_level: int) -> int:
    """Return how finely an action is to be done, 1 to 10; a plain thread is done more plainly."""
    shift = _SHIFT if subtlety_level >= _HIGH else -_SHIFT if subtlety_level <= _LOW else 0
    return min(10, max(1, _BASE_SUBTLETY[action] + shift))


def instruct(
    threads: Iterable[Foreshadowing], at: str, reading: ReadingOrder, matcher: Matcher, present: Collection[str] = ()
) -> list[ForeshadowInstruction]:
    """Return what the unit `at` is to do for each thread, those with nothing to do included.

    `present` are the names and ids of the characters that appear in it. What the unit itself did in
    an earlier version, and all that comes after it, is left out of account. No instruction holds
    anything that the `matcher` finds there.
    """
    before = [as_before(thread, at, reading) for thread in threads]
    names = {folded(name) for name in present}
    return [_instruction(t, _action(t, at, reading, names, before), at, reading, matcher) for t in before]


def check_foreshadowing_for_scene(
    threads: Iterable[Foreshadowing], at: str, reading: ReadingOrder, reminder: int
) -> SceneCheck:
    """Return what is due at the unit `at`, and which payoffs are at most `reminder` chapters away."""
    before = [as_before(thread, at, reading) for thread in threads]
    actions = {thread.id: _action(thread, at, reading, set(), before) for thread in before}
    planned = [thread for thread in before if _is_plant_planned(thread, at, reading)]
    return SceneCheck(
        should_plant=_doing(actions, ForeshadowAction.PLANT),
        should_reinforce=_doing(actions, ForeshadowAction.REINFORCE),
        approaching_payoff=tuple(thread.id for thread in before if _is_near(thread, at, reading, reminder)),
        waiting_for={t.id: tuple(missing) for t in planned if (missing := missing_prerequisites(t, before))},
    )


def _action(
    thread: Foreshadowing, at: str, reading: ReadingOrder, present: set[str], threads: list[Foreshadowing]
) -> ForeshadowAction:
    """The first condition that holds decides, in this order."""
    if _is_plant_planned(thread, at, reading):
        return ForeshadowAction.NONE if missing_prerequisites(thread, threads) else ForeshadowAction.PLANT
    if thread.is_open and _is_reinforcement_planned(thread, at, reading):
        return ForeshadowAction.REINFORCE
    if thread.status is ThreadStatus.PLANTED and present & set(map(folded, thread.related.characters)):
        return ForeshadowAction.HINT
    if thread.is_open and reading.is_here(thread.payoff.planned_at, at):
        return ForeshadowAction.REINFORCE
    return ForeshadowAction.NONE


def _instruction(
    thread: Foreshadowing, action: ForeshadowAction, at: str, reading: ReadingOrder, matcher: Matcher
) -> ForeshadowInstruction:
    is_told = action is not ForeshadowAction.NONE
    is_known = level_at(thread, at, reading) >= Visibility.KNOW
    own, note = thread.ai_visibility, "\n".join(filter(None, (thread.seed.content, thread.seed.description)))
    return ForeshadowInstruction(
        foreshadowing_id=thread.id,
        action=action,
        allowed_expressions=matcher.free(own.allowed_expressions) if is_told else (),
        forbidden_expressions=matcher.free(own.forbidden_keywords) if is_told and is_known else (),
        note=matcher.redact(note) if is_told else "",
        subtlety_target=subtlety_target(action, thread.subtlety_level),
        is_payoff_due=thread.is_open and reading.is_here(thread.payoff.planned_at, at),
    )


def _is_plant_planned(thread: Foreshadowing, at: str, reading: ReadingOrder) -> bool:
    return thread.status is ThreadStatus.REGISTERED and reading.is_here(thread.seed.planned_at, at)


def _is_reinforcement_planned(thread: Foreshadowing, at: str, reading: ReadingOrder) -> bool:
    """Planned for here, and not done yet in an earlier part of the place it is planned for."""
    here = [place for place in thread.timeline.reinforce_at if reading.is_here(place, at)]
    done = [event.place for event in thread.timeline.events if event.type is EventType.REINFORCE]
    return any(not any(reading.is_here(place, event.label or "1") for event in done) for place in here)


def _is_near(thread: Foreshadowing, at: str, reading: ReadingOrder, reminder: int) -> bool:
    planned = thread.payoff.planned_at
    if planned is None or not thread.is_open:
        return False
    return reading.number(planned) - reading.chapter_of(at) <= reminder


def _doing(actions: dict[str, ForeshadowAction], action: ForeshadowAction) -> tuple[str, ...]:
    return tuple(identity for identity, own in actions.items() if own is action)
