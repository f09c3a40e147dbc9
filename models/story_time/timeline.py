"""A book's times as data: when its units are set, in the order of the story, and what is told out of that order."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bookwright.models.frozen import FrozenModel
from bookwright.models.story_time.clock import StoryClock
from bookwright.models.story_time.times import ORDERS, Moment
from bookwright.models.tree.place import ReadingOrder, order_of


class StoryTurn(StrEnum):
    """How a unit stands in the order of the story, seen from the line that most of the book follows."""

    ON = "on"
    BACK = "flashback"
    AHEAD = "flash-forward"
    BESIDE = "parallel"
    """It tells of a time that an earlier unit told of, which is not the one right before it."""
    OPEN = "open"
    """Nobody can tell: it has no time, or one that cannot be compared."""


class StoryLineRow(FrozenModel):
    """A unit with its time."""

    label: str
    chapter: int
    """The number of its chapter, or of the one that it begins with."""
    title: str
    when: str = ""
    """Its time in words, its own or that of the unit above; empty where nobody has said."""
    is_own: bool = False
    """The unit itself was given that time."""
    turn: StoryTurn = StoryTurn.OPEN
    strand: int = 0
    """Rows with the same number can be put in order, and stand in that order in `StoryLine.rows`; 0 for open ones."""
    with_labels: tuple[str, ...] = ()
    """Labels of other units that are set at the same time."""
    written: int = 0

    @property
    def standing(self) -> str:
        """What is to be said of its place in the story; empty where the story simply goes on."""
        if self.turn is StoryTurn.BESIDE:
            return f"parallel to {', '.join(self.with_labels)}"
        if self.turn is StoryTurn.OPEN:
            return "not comparable" if self.when else "unknown"
        return "" if self.turn is StoryTurn.ON else self.turn.value


class TimeFinding(FrozenModel):
    """A slip of time that code has found."""

    label: str
    result: str
    """`"error"` or `"warning"`."""
    text: str
    record: str

    @property
    def line(self) -> str:
        """The slip in one line."""
        return f"{self.text}; {self.record}"


class StoryLine(FrozenModel):
    """When the units of a book are set."""

    rows: tuple[StoryLineRow, ...] = ()
    """In the order of the story, strand by strand; what nobody can order stands last, as it is told."""
    findings: tuple[TimeFinding, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if no unit has a time."""
        return not any(row.when for row in self.rows)


@dataclass(frozen=True)
class PlaceInTime:
    """Where a unit stands among the others in the story."""

    turn: StoryTurn
    strand: int = 0
    with_labels: tuple[str, ...] = ()


def places_in(reading: ReadingOrder) -> dict[str, PlaceInTime]:
    """Return where chapters, and other units with a time of their own, stand, by label in the order of the story."""
    clock, found = reading.clock, dict[str, PlaceInTime]()
    labels = sorted({*reading.chapters, *clock.labels}, key=order_of)
    left = [label for label in labels if clock.time_of(label) is not None or len(clock.at(label)) > 1]
    for strand, (axis, own) in enumerate(_strands(left, clock), 1):
        moments = {label: next(one for one in clock.at(label) if one.axis == axis) for label in own}
        main = {own[place] for place in _main_line([moments[label] for label in own])}
        together: dict[Moment, list[str]] = {}
        for label in own:
            together.setdefault(moments[label], []).append(label)
        for label in sorted(own, key=lambda each: (moments[each].low, moments[each].high, order_of(each))):
            same = tuple(other for other in together[moments[label]] if other != label)
            found[label] = PlaceInTime(_turn(label, own, moments, main, same), strand, same)
    return found | {label: PlaceInTime(StoryTurn.OPEN) for label in labels if label not in found}


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


def _main_line(moments: Sequence[Moment]) -> set[int]:
    """The places of the longest row of moments that goes on and never back; of two as long the one that begins first.

    Source: patience sorting, from the last moment to the first.
    """
    ends: list[float] = []
    at: list[int] = []
    after: dict[int, int] = {}
    for place in reversed(range(len(moments))):
        index = bisect_right(ends, -moments[place].low)
        after[place] = at[index - 1] if index else -1
        ends[index : index + 1] = [-moments[place].low]
        at[index : index + 1] = [place]
    line, place = set[int](), at[-1] if at else -1
    while place >= 0:
        line.add(place)
        place = after[place]
    return line


def _turn(label: str, own: Sequence[str], moments: dict[str, Moment], main: set[str], same: Sequence[str]) -> StoryTurn:
    """How a unit stands to the main line: behind it, ahead of it, or beside what was told before."""
    earlier = own[: own.index(label)]
    if any(other in same for other in earlier[:-1]) and earlier[-1] not in same:
        return StoryTurn.BESIDE
    if label in main or same:
        return StoryTurn.ON
    last = next((moments[other] for other in reversed(earlier) if other in main), None)
    return StoryTurn.BACK if last is not None and moments[label].low < last.low else StoryTurn.AHEAD
