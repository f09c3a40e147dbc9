"""The clock of a story: when each unit of a book happens, and which of two times comes first."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from bookwright.models.story_time.times import (
    BEGINNING,
    CALENDAR,
    DAYS,
    ORDERS,
    Comparison,
    Moment,
    Moments,
    StoryTime,
    TimeReading,
    compare,
    stated,
    whenever,
)

_CHAIN = 8
"""Units from which a time is told how far it is, where each is counted from the one before."""
_DEEPEST = 100
"""Units that may be counted from each other forwards before it is taken for a circle."""

TimedUnits = Sequence[tuple[str, StoryTime]]
"""Labels of units that have a time of their own, with it."""


class StoryClock:
    """The times of a book's units.

    A unit without a time has that of the unit above, or the one that its parts cover. A time of which nobody knows how
    it stands to the others is an axis of its own: what is counted from it can be compared with it and nothing else.
    """

    def __init__(self, times: TimedUnits = (), chapters: Sequence[str] = ()) -> None:
        """Take the units that have a time, in reading order, and the labels of the chapters."""
        self._times = dict(times)
        self.labels = tuple(self._times)
        """The units that have a time of their own, in reading order."""
        self._orders = [_order(label) for label in self.labels]
        self._chapters = chapters
        self._shift: float | None = next(filter(None, map(_link, self._times.values())), None)
        self._found: dict[str, Moments] = {}
        self._open: list[str] = []
        self._is_read = False
        self._circles: list[str] = []

    @property
    def circles(self) -> tuple[str, ...]:
        """Labels of units whose time is counted from itself, over whatever way."""
        self._read_all()
        return tuple(self._circles)

    @property
    def is_empty(self) -> bool:
        """True if no unit has a time."""
        return not self._times

    def own(self, label: str) -> StoryTime | None:
        """Return the time that a unit was given; None for one that has none of its own."""
        return self._times.get(label)

    def time_of(self, label: str) -> StoryTime | None:
        """Return the time of a unit, its own or that of the unit above; None where nobody has said."""
        return next((self._times[each] for each in upward(label) if each in self._times), None)

    def at(self, label: str) -> Moments:
        """Return when a unit happens."""
        self._read_all()
        timed = next((each for each in upward(label) if each in self._times), None)
        return self._of_unit(timed) if timed else (*self._spanned(label), whenever(label))

    def of(self, time: StoryTime, at: str = "", *, told_in: str = "") -> Moments:
        """Return when a time is: that of the unit `at`, one that is told in a unit, or one that a record has.

        Where it is counted from nothing that it names, that is the unit told before `at`, the unit `told_in`, or where
        the story begins.
        """
        found = stated(_read(time)) or self.counted(time, at, told_in=told_in)
        found = self._linked(found) or (Moment(f"“{' '.join(time.when.casefold().split())}”", 0.0, 1.0),)
        return found if time.order is None else (Moment(ORDERS, time.order, time.order), *found)

    def counted(self, time: StoryTime, at: str = "", *, told_in: str = "") -> Moments:
        """Return when a time is by what it is counted from; empty for one that is counted from nothing."""
        reading = _read(time)
        if reading.offset is None:
            return ()
        anchor = self._anchor(reading.offset.anchor or told_in or ("" if at else BEGINNING), at)
        if anchor and anchor == at and at not in self._circles:
            self._circles.append(at)
        start = self.at(anchor) if anchor and anchor != at else ()
        return tuple(own.moved(reading.offset).at(reading.part) for own in _nearest(start))

    def compare(self, one: str, other: str) -> Comparison | None:
        """Return how the time of one unit stands to that of another."""
        return compare(self.at(one), self.at(other))

    def has_come(self, time: StoryTime, label: str) -> bool | None:
        """Whether a time has come where a unit is set; None where nobody can tell."""
        found = compare(self.of(time), self.at(label))
        return None if found is None else found is not Comparison.AFTER

    def was_told(self, time: StoryTime, label: str) -> bool:
        """Whether the manuscript, up to a unit, has a unit that is set as late as a time."""
        moment = self.of(time)
        told = (self.at(each) for each in self.labels[: bisect_left(self._orders, _order(label)) + 1])
        return any(compare(moment, then) in (Comparison.BEFORE, Comparison.SAME) for then in told)

    def _read_all(self) -> None:
        """Read the units in their order, once: so no chain that leads back is followed deep."""
        if not self._is_read:
            self._is_read = True
            for label in self.labels:
                self._of_unit(label)

    def _of_unit(self, label: str) -> Moments:
        """A unit's own time."""
        if label in self._open:
            self._circles += [each for each in self._open[self._open.index(label) :] if each not in self._circles]
            return ()
        if len(self._open) > _DEEPEST:
            return ()
        if label not in self._found:
            self._open.append(label)
            found = self.of(self._times[label], label)
            self._open.pop()
            self._found[label] = (*found, whenever(label))
        return self._found[label]

    def _anchor(self, anchor: str, at: str) -> str:
        """The label that an anchor means; empty where there is no such unit."""
        if anchor == BEGINNING:
            return next((label for label in (*self._chapters, *self.labels) if label != at), "")
        if anchor.startswith("#"):
            number = int(anchor[1:])
            return self._chapters[number - 1] if 1 <= number <= len(self._chapters) else ""
        return anchor or self._before(at)

    def _before(self, at: str) -> str:
        """The last unit told before one that has a time and is not above it, or else the one above."""
        place = bisect_left(self._orders, _order(at))
        earlier = (label for label in reversed(self.labels[:place]) if not at.startswith(f"{label}."))
        return next(earlier, next((each for each in upward(at) if each != at and each in self._times), ""))

    def _spanned(self, label: str) -> Moments:
        """The time that a unit's parts cover together, on the axes that all of them have."""
        below = [self._of_unit(each) for each in self.labels if each.startswith(f"{label}.")]
        shared = set.intersection(*({one.axis for one in moments} for moments in below)) if below else set()
        spans = {axis: [one for moments in below for one in moments if one.axis == axis] for axis in sorted(shared)}
        return tuple(Moment(axis, min(o.low for o in all_), max(o.high for o in all_)) for axis, all_ in spans.items())

    def _linked(self, moments: Moments) -> Moments:
        """The same moments, on the calendar and in counted days where the book ties the two."""
        known = next((one for one in moments if one.axis in (CALENDAR, DAYS)), None)
        if self._shift is None or known is None or len({one.axis for one in moments} & {CALENDAR, DAYS}) > 1:
            return moments
        axis, shift = (DAYS, -self._shift) if known.axis == CALENDAR else (CALENDAR, self._shift)
        return (*moments, Moment(axis, known.low + shift, known.high + shift))


def _nearest(moments: Moments) -> list[Moment]:
    """What of a time is carried on to another that is counted from it: of a chain of units the nearest."""
    stated = [one for one in moments if one.axis != ORDERS and not one.is_from_unit]
    return [*stated, *[one for one in moments if one.is_from_unit][-_CHAIN:]]


def _order(label: str) -> tuple[int, ...]:
    return tuple(map(int, label.split(".")))


def upward(label: str) -> Iterator[str]:
    """A unit's label and those of all units above it."""
    while label:
        yield label
        label = label.rpartition(".")[0]


def _read(time: StoryTime) -> TimeReading:
    from bookwright.models.story_time.reading import read_time  # whose patterns a look at a book need not compile

    return read_time(time.when)


def _link(time: StoryTime) -> float | None:
    """How many days the calendar is ahead of the story's own count, if a time says both of one day."""
    reading = _read(time)
    found = {moment.axis: moment for moment in stated(reading)}
    return found[CALENDAR].low - found[DAYS].low if reading.day is not None and len(found) > 1 else None
