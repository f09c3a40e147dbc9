"""The life of a thread of foreshadowing: how it moves, how much of it may be told, how finely.

Source: DETAILS "Foreshadowing life cycle".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from bookwright.models.codex.entries import Visibility
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEvent, ThreadEventType, ThreadStatus
from bookwright.models.errors import InvalidEntry
from bookwright.models.tree.place import ReadingOrder

_S = ThreadStatus
_NEXT: dict[ThreadStatus, frozenset[ThreadStatus]] = {
    _S.REGISTERED: frozenset({_S.REGISTERED, _S.PLANTED, _S.ABANDONED}),
    _S.PLANTED: frozenset({_S.PLANTED, _S.REINFORCED, _S.REVEALED, _S.ABANDONED}),
    _S.REINFORCED: frozenset({_S.REINFORCED, _S.PLANTED, _S.REVEALED, _S.ABANDONED}),
    _S.REVEALED: frozenset({_S.REVEALED}),
    _S.ABANDONED: frozenset({_S.ABANDONED, _S.REGISTERED}),
}
_LEVELS = {
    _S.REGISTERED: Visibility.HIDDEN,
    _S.PLANTED: Visibility.KNOW,
    _S.REINFORCED: Visibility.KNOW,
    _S.REVEALED: Visibility.USE,
    _S.ABANDONED: Visibility.HIDDEN,
}
_MOVES = {
    ThreadEventType.PLANT: _S.PLANTED,
    ThreadEventType.REINFORCE: _S.REINFORCED,
    ThreadEventType.HINT: None,
    ThreadEventType.REVEAL: _S.REVEALED,
}
_STAGES = (_S.REGISTERED, _S.PLANTED, _S.REINFORCED, _S.REVEALED)
_ALMOST_INVISIBLE = 8
"""From this subtlety on a thread is no longer known, only felt to be there."""


class Technique(StrEnum):
    """By what means a thread may be touched."""

    STATEMENT = "statement"
    DIALOGUE = "dialogue"
    ACTION = "action"
    OBJECT = "object"
    SCENERY = "scenery"
    HABIT = "habit"
    ABSTRACT = "abstract"


_T = Technique


@dataclass(frozen=True)
class SubtletyBand:
    """A stretch of the subtlety scale, with what it leaves to a writer."""

    name: str
    last: int
    """The highest level of the band."""
    allowed: tuple[Technique, ...]

    @property
    def forbidden(self) -> tuple[Technique, ...]:
        """The means that would be too plain."""
        return tuple(technique for technique in Technique if technique not in self.allowed)


BANDS = (
    SubtletyBand("plain", 2, (_T.STATEMENT, _T.DIALOGUE, _T.ACTION, _T.OBJECT, _T.SCENERY, _T.HABIT)),
    SubtletyBand("standard", 4, (_T.DIALOGUE, _T.ACTION, _T.OBJECT, _T.SCENERY, _T.HABIT)),
    SubtletyBand("fine", 6, (_T.ACTION, _T.OBJECT, _T.SCENERY, _T.HABIT)),
    SubtletyBand("hidden", 8, (_T.SCENERY, _T.HABIT)),
    SubtletyBand("almost invisible", 10, (_T.ABSTRACT,)),
)


def moved(thread: Foreshadowing, status: ThreadStatus) -> Foreshadowing:
    """Return the thread with another status.

    Raises:
        InvalidEntry: There is no way from its own one.
    """
    if status not in _NEXT[thread.status]:
        ways = ", ".join(sorted(way for way in _NEXT[thread.status] if way is not thread.status)) or "nothing else"
        raise InvalidEntry(f"{thread.id!r} is {thread.status} and cannot become {status}; it can become {ways}")
    return thread.model_copy(update={"status": status})


def recorded(thread: Foreshadowing, event: ThreadEvent) -> Foreshadowing:
    """Return the thread after a text did something for it.

    A hint moves nothing, and neither does what an earlier unit, written anew, does once more.

    Raises:
        InvalidEntry: A thread that stands where this one does cannot be planted, reinforced or revealed.
    """
    present, status = thread.status, _MOVES[event.type]
    is_past = status and present in _STAGES and _STAGES.index(status) < _STAGES.index(present)
    after = thread if status is None or is_past else moved(thread, status)
    return _with_events(after, (*thread.timeline.events, event))


def as_before(thread: Foreshadowing, at: str, reading: ReadingOrder) -> Foreshadowing:
    """Return a thread as it stood before the unit `at` was written: what it or a later one did is taken back.

    An abandoned thread stays so, and one whose status a person set without an event keeps it.
    """
    events = tuple(event for event in thread.timeline.events if reading.is_before(event.place, at))
    if len(events) == len(thread.timeline.events) or thread.status is _S.ABANDONED:
        return thread
    return _with_events(thread, events).model_copy(update={"status": _status_after(thread, events)})


def with_later(before: Foreshadowing, thread: Foreshadowing, at: str, reading: ReadingOrder) -> Foreshadowing:
    """Return a thread as it stood before the unit `at`, or after it, with what later units of `thread` did for it."""
    later = tuple(
        event
        for event in thread.timeline.events
        if not (reading.is_before(event.place, at) or reading.is_here(event.place, at))
    )
    if not later or thread.status is _S.ABANDONED:
        return before
    events = (*before.timeline.events, *later)
    after = _with_events(before, events)
    return after.model_copy(update={"status": _status_after(after, events)})


def without_unit(thread: Foreshadowing, at: str, reading: ReadingOrder) -> Foreshadowing:
    """Return a thread without what the unit `at` did for it."""
    return with_later(as_before(thread, at, reading), thread, at, reading)


def level_of(thread: Foreshadowing) -> Visibility:
    """Return how much of a thread's payoff may be told before it is due.

    The smaller of what its status and its subtlety allow, under the author's ceiling; revealed is always USE.
    """
    if thread.status is _S.REVEALED:
        return Visibility.USE
    by_subtlety = Visibility.AWARE if thread.subtlety_level >= _ALMOST_INVISIBLE else Visibility.KNOW
    ceiling = thread.ai_visibility.level
    return min(_LEVELS[thread.status], by_subtlety, Visibility.USE if ceiling is None else ceiling)


def level_at(thread: Foreshadowing, at: str, reading: ReadingOrder) -> Visibility:
    """Return the level in the unit `at`: a thread whose payoff has come must be told to be paid off, planted or not."""
    before = as_before(thread, at, reading)
    revealed = [event.place for event in thread.timeline.events if event.type is ThreadEventType.REVEAL]
    planned = [] if thread.payoff.planned_at is None else [thread.payoff.planned_at]
    has_come = any(reading.has_come(place, at) for place in (*planned, *revealed))
    is_due = has_come and (before.is_open or before.status is _S.REGISTERED)
    return Visibility.USE if is_due else level_of(before)


def missing_prerequisites(thread: Foreshadowing, threads: Iterable[Foreshadowing]) -> list[str]:
    """Return the prerequisites that do not hold yet: another thread has not come as far, or is not there."""
    status = {other.id: other.status for other in threads}
    return [wanted for wanted in thread.prerequisite if not _holds(wanted, status)]


def _holds(wanted: str, status: dict[str, ThreadStatus]) -> bool:
    other, _, name = wanted.rpartition("/")
    present, needed = status.get(other), ThreadStatus(name)
    if present not in _STAGES or needed not in _STAGES:
        return present is needed
    return _STAGES.index(present) >= _STAGES.index(needed)


def _with_events(thread: Foreshadowing, events: tuple[ThreadEvent, ...]) -> Foreshadowing:
    return thread.model_copy(update={"timeline": thread.timeline.model_copy(update={"events": events})})


def _status_after(thread: Foreshadowing, events: Iterable[ThreadEvent]) -> ThreadStatus:
    """The status that some of a thread's events leave it in; it was planted by hand if none of them all planted it."""
    moves = [event.type for event in thread.timeline.events if event.type is not ThreadEventType.HINT]
    if not moves:
        return thread.status
    first = _S.REGISTERED if ThreadEventType.PLANT in moves else _S.PLANTED
    stages = [_STAGES.index(status) for event in events if (status := _MOVES[event.type]) is not None]
    return _STAGES[max([_STAGES.index(first), *stages])]
