"""What a text did for the threads of the register: found in code by their words, then as the Extract Agent says.

Source: DETAILS "Foreshadowing life cycle"; DESIGN section 10, item 6.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.agents.relay.leaks.folding import Folded, fold
from bookwright.agents.relay.leaks.keywords import first_certain
from bookwright.agents.relay.secrets.reviewing import span_of
from bookwright.agents.relay.secrets.tellings import standing_close
from bookwright.agents.relay.threads.foreshadowing import as_before, missing_prerequisites, recorded, with_later
from bookwright.models.codex.entries import folded
from bookwright.models.codex.extraction import FoundTouch
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadEvent, ThreadEventType, ThreadStatus
from bookwright.models.errors import InvalidEntry
from bookwright.models.tree.place import Place, ReadingOrder

_STRENGTH = (ThreadEventType.HINT, ThreadEventType.REINFORCE, ThreadEventType.PLANT, ThreadEventType.REVEAL)
_LONGEST_SEED = 80
"""Characters: a longer one describes what is planted and is not found word for word."""


@dataclass(frozen=True)
class Touched:
    """The register after a text, and what could not be entered."""

    threads: tuple[Foreshadowing, ...] = ()
    """Those that changed."""
    refused: tuple[str, ...] = ()


def place_of(label: str) -> Place:
    """Return a unit's place; a book that is one unit is its own first chapter."""
    return Place(label=label) if "." in label else Place(chapter=1)


def touched_by(
    text: str, said: Iterable[FoundTouch], threads: Iterable[Foreshadowing], at: str, reading: ReadingOrder,
    *, is_judged: bool = True,
) -> Touched:  # fmt: skip
    """Enter what the text of the unit `at` did for each thread.

    What an earlier version of the unit did is taken back first, what later units did stays. What is said counts
    where its words stand in the text, and before what code found; a thread moves only where its life cycle allows it.
    Without `is_judged`, when no model was asked, what is due here counts as done if most of its words stand together.
    """
    known = list(threads)
    before = [as_before(thread, at, reading) for thread in known]
    draft, spoken = fold(text), list(said)
    changed, refused = [], []
    for old, thread in zip(known, before, strict=True):
        event = _event_said(text, spoken, thread, at) or _event_found(draft, thread, at, reading)
        if event is None and not is_judged:
            event = _event_in_other_words(text, thread, at, reading)
        entered, reason = _entered(_planted_first(thread, event, at, reading), event, before)
        after = with_later(entered, old, at, reading)
        if after != old:
            changed.append(after)
        refused += [reason] if reason else []
    return Touched(tuple(changed), tuple(refused))


def _entered(
    thread: Foreshadowing, event: ThreadEvent | None, threads: list[Foreshadowing]
) -> tuple[Foreshadowing, str]:
    """Return the thread after an event, and what is wrong with that; empty if nothing is."""
    if event is None or thread.status in (ThreadStatus.REVEALED, ThreadStatus.ABANDONED):
        return thread, ""
    try:
        after = recorded(thread, event)
    except InvalidEntry as error:
        return thread, f"{event.place}: {error}"
    missing = missing_prerequisites(thread, threads) if event.type is ThreadEventType.PLANT else []
    return after, f"{thread.title!r} was planted before {', '.join(missing)}" if missing else ""


def _planted_first(thread: Foreshadowing, event: ThreadEvent | None, at: str, reading: ReadingOrder) -> Foreshadowing:
    """Return a thread as planted that no page had planted before the one that is to pay it off did both."""
    is_both = event is not None and event.type is ThreadEventType.REVEAL and thread.status is ThreadStatus.REGISTERED
    if event is None or not is_both or not _is_payoff_here(thread, at, reading):
        return thread
    return recorded(thread, event.model_copy(update={"type": ThreadEventType.PLANT}))


def _is_payoff_here(thread: Foreshadowing, at: str, reading: ReadingOrder) -> bool:
    planned = thread.payoff.planned_at
    return planned is not None and (reading.is_here(planned, at) or reading.has_come(planned, at))


def _event_in_other_words(text: str, thread: Foreshadowing, at: str, reading: ReadingOrder) -> ThreadEvent | None:
    """What was to be done here and seems to be done, in whatever words."""
    if _is_payoff_here(thread, at, reading) and (words := standing_close(text, thread.payoff.content)):
        return ThreadEvent(place=place_of(at), type=ThreadEventType.REVEAL, expression=words)
    is_due = thread.status is ThreadStatus.REGISTERED and reading.has_come(thread.seed.planned_at, at)
    if is_due and thread.seed.planned_at and (words := standing_close(text, thread.seed.content)):
        return ThreadEvent(place=place_of(at), type=ThreadEventType.PLANT, expression=words)
    return None


def _event_said(text: str, said: list[FoundTouch], thread: Foreshadowing, at: str) -> ThreadEvent | None:
    """The strongest thing that is said of a thread with words that stand in the text."""
    own = [touch for touch in said if folded(touch.thread) in (folded(thread.id), folded(thread.title))]
    proved = [touch for touch in own if span_of(text, touch.quote) is not None]
    if not proved:
        return None
    touch = max(proved, key=lambda one: _STRENGTH.index(one.did))
    kind = _fitting_type(touch.did, thread.status)
    return ThreadEvent(place=place_of(at), type=kind, expression=touch.quote, subtlety=touch.subtlety)


def _fitting_type(kind: ThreadEventType, status: ThreadStatus) -> ThreadEventType:
    """A first touch plants, and what is planted already is brought back."""
    if kind in (ThreadEventType.REINFORCE, ThreadEventType.HINT) and status is ThreadStatus.REGISTERED:
        return ThreadEventType.PLANT
    if kind is ThreadEventType.PLANT and status is not ThreadStatus.REGISTERED:
        return ThreadEventType.REINFORCE
    return kind


def _event_found(draft: Folded, thread: Foreshadowing, at: str, reading: ReadingOrder) -> ThreadEvent | None:
    """What the words of a thread show by themselves: its payoff's reveal it, its own plant it or bring it back."""
    own, may_reveal = thread.ai_visibility, thread.is_open or _is_payoff_here(thread, at, reading)
    if may_reveal and (words := first_certain(draft, _known_by(own.forbidden_keywords, thread.payoff.content))):
        return ThreadEvent(place=place_of(at), type=ThreadEventType.REVEAL, expression=words)
    words = first_certain(draft, _known_by(own.allowed_expressions, thread.seed.content))
    if not words or (thread.status is ThreadStatus.REGISTERED and not reading.has_come(thread.seed.planned_at, at)):
        return None
    is_planned = any(reading.is_here(place, at) for place in thread.timeline.reinforce_at)
    kind = ThreadEventType.REINFORCE if is_planned else ThreadEventType.HINT
    return ThreadEvent(place=place_of(at), type=_fitting_type(kind, thread.status), expression=words)


def _known_by(listed: tuple[str, ...], content: str) -> list[str]:
    """What a seed or a payoff is known by: the words listed for it, and its content where that is short."""
    return [*listed, *([content] if 0 < len(content) <= _LONGEST_SEED else [])]
