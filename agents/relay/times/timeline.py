"""Makes the time line of a book: its units in the order of the story, with flashbacks and parallel plots."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from bookwright.agents.relay.times.gathering import timeframe
from bookwright.models.story.timeline import Timeline, TimelineFinding, TimelineRow, Turn
from bookwright.models.story_time.clock import StoryClock
from bookwright.models.story_time.moment import ORDERS, Moment
from bookwright.models.text.language import Language
from bookwright.models.tree.place import ReadingOrder, order_of
from bookwright.storage.stores import Stores
from bookwright.storage.tree.reading import read_units


def timeline_of(stores: Stores, book: str, language: Language) -> Timeline:
    """Return the time line of a book, with the slips of time that code finds."""
    reading = stores.codex.reading_order()
    units = read_units(stores.connection, book)
    placed = {label: own for label, own in places_in(reading).items() if label in units}
    titles = {label: stores.nodes.by_label(label) for label in placed}
    rows = [
        TimelineRow(
            label=label, chapter=reading.chapter_of(label), title=titles[label].title, when=str(when) if when else "",
            is_own=reading.clock.own(label) is not None, turn=own.turn, strand=own.strand, with_labels=own.with_labels,
            written=titles[label].written,
        )
        for label, own in placed.items()
        for when in [reading.clock.time_of(label)]
    ]  # fmt: skip
    found = [
        TimelineFinding(label=own.label, result=own.check.result, text=own.check.text, record=own.check.record)
        for own in timeframe(stores, language).slips()
    ]
    return Timeline(rows=tuple(rows), findings=tuple(found))


@dataclass(frozen=True)
class PlaceInTime:
    """Where a unit stands among the others in the story."""

    turn: Turn
    strand: int = 0
    with_labels: tuple[str, ...] = ()


def places_in(reading: ReadingOrder) -> dict[str, PlaceInTime]:
    """Return where chapters, and other units with a time of their own, stand, by label in the order of the story."""
    clock, found = reading.clock, dict[str, PlaceInTime]()
    labels = sorted({*reading.chapters, *clock.labels}, key=order_of)
    left = [label for label in labels if _is_known(label, clock)]
    for strand, (axis, own) in enumerate(_strands(left, clock), 1):
        moments = {label: _on(axis, label, clock) for label in own}
        line = _main_line([moments[label] for label in own])
        main = {own[place] for place in line}
        together: dict[Moment, list[str]] = {}
        for label in own:
            together.setdefault(moments[label], []).append(label)
        for label in sorted(own, key=lambda each: (moments[each].low, moments[each].high, order_of(each))):
            same = tuple(other for other in together[moments[label]] if other != label)
            found[label] = PlaceInTime(_turn(label, own, moments, main, same), strand, same)
    return found | {label: PlaceInTime(Turn.OPEN) for label in labels if label not in found}


def _is_known(label: str, clock: StoryClock) -> bool:
    return clock.time_of(label) is not None or len(clock.at(label)) > 1


def _strands(labels: Sequence[str], clock: StoryClock) -> list[tuple[str, list[str]]]:
    """The axes on which units can be ordered, the one with most units first; each unit on the first that it has."""
    left, strands = list(labels), list[tuple[str, list[str]]]()
    while left:
        axes = [one.axis for label in left for one in clock.at(label)]
        axis = max(dict.fromkeys(axes), key=lambda each: (axes.count(each), each == ORDERS))
        own = [label for label in left if any(one.axis == axis for one in clock.at(label))]
        if len(own) < 2:
            break
        strands.append((axis, own))
        left = [label for label in left if label not in own]
    return strands


def _on(axis: str, label: str, clock: StoryClock) -> Moment:
    return next(one for one in clock.at(label) if one.axis == axis)


def _main_line(moments: Sequence[Moment]) -> set[int]:
    """The places of the longest row of moments that goes on and never back."""
    ends: list[float] = []
    at: list[int] = []
    before: list[int] = []
    for place, moment in enumerate(moments):
        index = bisect_right(ends, moment.low)
        before.append(at[index - 1] if index else -1)
        ends[index : index + 1] = [moment.low]
        at[index : index + 1] = [place]
    line, place = set[int](), at[-1] if at else -1
    while place >= 0:
        line.add(place)
        place = before[place]
    return line


def _turn(label: str, own: Sequence[str], moments: dict[str, Moment], main: set[str], same: Sequence[str]) -> Turn:
    """How a unit stands to the main line: behind it, ahead of it, or beside what was told before."""
    earlier = own[: own.index(label)]
    if any(other in same for other in earlier[:-1]) and earlier[-1] not in same:
        return Turn.BESIDE
    if label in main or same:
        return Turn.ON
    last = next((moments[other] for other in reversed(earlier) if other in main), None)
    return Turn.BACK if last is not None and moments[label].low < last.low else Turn.AHEAD
