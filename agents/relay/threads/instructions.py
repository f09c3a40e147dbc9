"""What a unit's writer is to do: plant, reinforce, hint at or pay off a thread, and let a secret out.

In a chapter of several parts an order falls to one, so that not every part's writer is given it.

Source: DETAILS "Foreshadowing life cycle", instruction actions; REQUIREMENTS S2-035.
"""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

from pydantic import Field

from bookwright.agents.relay.secrets.coming_out import due_in_chapter, is_late
from bookwright.agents.relay.secrets.matching import Matcher
from bookwright.agents.relay.threads.foreshadowing import as_before, level_at, missing_prerequisites
from bookwright.models.codex.entries import Importance, Secret, Visibility, folded
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEventType, ThreadStatus
from bookwright.models.frozen import FrozenModel
from bookwright.models.tree.place import ChapterPart, Place, ReadingOrder
from bookwright.storage.index.ranking import terms


class ForeshadowAction(StrEnum):
    """What is to be done for a thread in one unit."""

    PLANT = "plant"
    REINFORCE = "reinforce"
    HINT = "hint"
    PAYOFF = "payoff"
    NONE = "none"


ORDERS = (ForeshadowAction.PAYOFF, ForeshadowAction.PLANT, ForeshadowAction.REINFORCE)
"""What a writer is told to do, the weightiest first; the others are left to them."""

_BASE_SUBTLETY = {
    ForeshadowAction.PLANT: 4,
    ForeshadowAction.REINFORCE: 6,
    ForeshadowAction.HINT: 8,
    ForeshadowAction.PAYOFF: 1,
    ForeshadowAction.NONE: 10,
}
_HIGH, _LOW, _SHIFT = 7, 3, 2

MOST_REPEATS = 3
"""Chapters after its own that are given an order which was not carried out; then only a person is told."""


class ForeshadowInstruction(FrozenModel):
    """What is to be done for one thread."""

    foreshadowing_id: str
    action: ForeshadowAction
    allowed_expressions: tuple[str, ...] = ()
    forbidden_expressions: tuple[str, ...] = ()
    note: str = ""
    """What is planted or touched: the seed."""
    payoff: str = ""
    """What it comes to; only where it is to be paid off."""
    is_unplanted: bool = False
    """It is to be paid off, and no page has shown the seed yet."""
    subtlety_target: int = Field(ge=1, le=10)
    """1 is plain, 10 almost invisible."""
    is_payoff_due: bool = False
    """The payoff is planned for this unit."""


class SceneCheck(FrozenModel):
    """Which threads a unit owes something, by id."""

    should_plant: tuple[str, ...] = ()
    should_reinforce: tuple[str, ...] = ()
    should_pay_off: tuple[str, ...] = ()
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

    `present` are the names and ids of the characters that appear in it. What the unit itself did in an earlier version,
    and all that comes after it, is left out of account. No instruction holds anything that the `matcher` finds there.
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
        should_pay_off=_doing(actions, ForeshadowAction.PAYOFF),
        approaching_payoff=tuple(thread.id for thread in before if _is_near(thread, at, reading, reminder)),
        waiting_for={t.id: tuple(missing) for t in planned if (missing := missing_prerequisites(t, before))},
    )


def _action(
    thread: Foreshadowing, at: str, reading: ReadingOrder, present: set[str], threads: list[Foreshadowing]
) -> ForeshadowAction:
    """The first condition that holds decides, in this order.

    In a chapter that has parts an order falls to one of them; the others have nothing to do for that thread.
    """
    if reading.holds_chapters(at) or thread.status in (ThreadStatus.REVEALED, ThreadStatus.ABANDONED):
        return ForeshadowAction.NONE
    if _is_payoff_due(thread, at, reading, threads):
        return _if_it_falls(ForeshadowAction.PAYOFF, thread, at, reading)
    if _is_plant_planned(thread, at, reading):
        missing = missing_prerequisites(thread, threads)
        return ForeshadowAction.NONE if missing else _if_it_falls(ForeshadowAction.PLANT, thread, at, reading)
    if thread.is_open and _is_reinforcement_planned(thread, at, reading):
        return _if_it_falls(ForeshadowAction.REINFORCE, thread, at, reading)
    if thread.status is ThreadStatus.PLANTED and present & set(map(folded, thread.related.characters)):
        return ForeshadowAction.HINT
    return ForeshadowAction.NONE


def _if_it_falls(action: ForeshadowAction, thread: Foreshadowing, at: str, reading: ReadingOrder) -> ForeshadowAction:
    is_payoff = action is ForeshadowAction.PAYOFF
    told = (thread.title, thread.seed.content, *thread.ai_visibility.allowed_expressions)
    words = "\n".join((*told, thread.payoff.content) if is_payoff else told)
    return action if falls_to(at, words, reading, is_ending=is_payoff) else ForeshadowAction.NONE


def _instruction(
    thread: Foreshadowing, action: ForeshadowAction, at: str, reading: ReadingOrder, matcher: Matcher
) -> ForeshadowInstruction:
    is_told = action is not ForeshadowAction.NONE
    is_known = level_at(thread, at, reading) >= Visibility.KNOW
    own, note = thread.ai_visibility, "\n".join(filter(None, (thread.seed.content, thread.seed.description)))
    paid = "\n".join(filter(None, (thread.payoff.content, thread.payoff.description)))
    return ForeshadowInstruction(
        foreshadowing_id=thread.id,
        action=action,
        allowed_expressions=matcher.free(own.allowed_expressions) if is_told else (),
        forbidden_expressions=matcher.free(own.forbidden_keywords) if is_told and is_known else (),
        note=matcher.redact(note) if is_told else "",
        payoff=matcher.redact(paid) if action is ForeshadowAction.PAYOFF else "",
        is_unplanted=action is ForeshadowAction.PAYOFF and not thread.is_open,
        subtlety_target=subtlety_target(action, thread.subtlety_level),
        is_payoff_due=action is ForeshadowAction.PAYOFF,
    )


def _is_plant_planned(thread: Foreshadowing, at: str, reading: ReadingOrder) -> bool:
    return thread.status is ThreadStatus.REGISTERED and _is_due(thread.seed.planned_at, at, reading)


def _is_payoff_due(thread: Foreshadowing, at: str, reading: ReadingOrder, threads: Iterable[Foreshadowing]) -> bool:
    """Whether it is to be paid off here; one that was never planted, too, unless it waits for another."""
    if not _is_due(thread.payoff.planned_at, at, reading):
        return False
    return thread.is_open or not missing_prerequisites(thread, threads)


def _is_due(place: Place | None, at: str, reading: ReadingOrder) -> bool:
    """Whether something planned for a place is to be done here: it lies here, or an earlier chapter did not do it."""
    if place is None or reading.is_here(place, at):
        return place is not None
    return 0 < reading.chapter_of(at) - reading.number(place) <= MOST_REPEATS


def _is_reinforcement_planned(thread: Foreshadowing, at: str, reading: ReadingOrder) -> bool:
    """Planned for here, and not done yet in an earlier part of the place it is planned for."""
    here = [place for place in thread.timeline.reinforce_at if reading.is_here(place, at)]
    done = [event.place for event in thread.timeline.events if event.type is ThreadEventType.REINFORCE]
    return any(not any(reading.is_here(place, event.label or "1") for event in done) for place in here)


def _is_near(thread: Foreshadowing, at: str, reading: ReadingOrder, reminder: int) -> bool:
    planned = thread.payoff.planned_at
    if planned is None or not thread.is_open:
        return False
    return reading.number(planned) - reading.chapter_of(at) <= reminder


def _doing(actions: dict[str, ForeshadowAction], action: ForeshadowAction) -> tuple[str, ...]:
    return tuple(identity for identity, own in actions.items() if own is action)


GRAVEST = tuple(Importance)
"""The gravest first."""


class Reveal(FrozenModel):
    """An order to let a secret out: what a reader is to know by the end of a unit."""

    secret: str
    content: str
    is_late: bool = False
    """An earlier chapter was to tell it and did not."""


def reveals_at(secrets: Iterable[Secret], at: str, reading: ReadingOrder, matcher: Matcher) -> tuple[Reveal, ...]:
    """Return what is to come out in the unit `at` itself, the gravest first; of a chapter in parts, mostly in the last.

    Nothing of what the `matcher` finds stands in it.
    """
    own = [secret for secret in secrets if comes_out_in(secret, at, reading)]
    return tuple(
        Reveal(secret=secret.id, content=content, is_late=is_late(secret, at, reading))
        for secret in sorted(own, key=lambda secret: GRAVEST.index(secret.importance))
        if (content := matcher.redact(secret.content))
    )


def comes_out_in(secret: Secret, at: str, reading: ReadingOrder) -> bool:
    """Whether it is for the unit `at` itself to let a secret out."""
    about = f"{secret.content}\n{secret.related_entity}"
    return due_in_chapter(secret, at, reading) and falls_to(at, about, reading, is_ending=True)


_LEAST_SHARED = 2
"""Words that a part's goal has of what is to come out in it, and most others have not."""
_NEARLY = 0.6
"""A later part is as fit for an ending as the fittest from this share of its words on."""


def falls_to(at: str, words: str, reading: ReadingOrder, *, is_ending: bool) -> bool:
    """Whether the unit `at` is the part of its chapter that an order falls to, or holds it, or is the chapter.

    It falls to the part whose goal names most of what it is about; where none does, to the first, or the last if it
    belongs at an ending. The same tree gives the same answer, so no two parts are given one order.
    """
    path = at.split(".")
    for siblings in reading.parts_at(at):
        if siblings:
            depth = siblings[0].label.count(".") + 1
            if _chosen(siblings, words, is_ending=is_ending).label != ".".join(path[:depth]):
                return False
    return True


def _chosen(siblings: Sequence[ChapterPart], words: str, *, is_ending: bool) -> ChapterPart:
    wanted = set(terms(words))
    held = [wanted & set(terms(part.told)) for part in siblings]
    common = set.intersection(*held) if len(held) > 1 else set()
    scores = [len(own - common) for own in held]
    best = max(scores)
    if not is_ending:
        return siblings[scores.index(best)] if best else siblings[0]
    if best < _LEAST_SHARED:
        return siblings[-1]
    fit = [part for part, score in zip(siblings, scores, strict=True) if score >= best * _NEARLY]
    return fit[-1]
