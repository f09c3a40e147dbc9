"""The living units of a book in reading order: where its chapters end, and when its units happen."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Self

from sqlalchemy import Connection, bindparam, select

from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.decision import Decision
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ChapterPart, Place, ReadingOrder, order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.tables import IS_LIVING, IS_UNIT, nodes

_FEWEST = 3
"""Chapters that a book is thought to have at least, as long as it has none and is not to be written at once."""

_COARSE = frozenset(level.value for level in Level if level.is_at_least(Level.ACT))
"""Levels whose units hold whole chapters."""

_BOOK = "1"


class UnitShare(NamedTuple):
    """What of a unit decides where it stands."""

    label: str
    level: str
    length: int | None
    written: int
    status: str
    is_last: bool
    decision: str | None
    story_time: str | None = None
    """As JSON; None for a unit without a time of its own."""

    @classmethod
    def of(cls, unit: TaskNode) -> Self:
        """Return the row of a unit."""
        when = unit.story_time.model_dump_json() if unit.story_time else None
        return cls(unit.label, unit.level, unit.length, unit.written, unit.status, unit.is_last, unit.decision, when)

    @property
    def standing(self) -> int:
        """How much of the book it takes: as it was written, or else as it was planned."""
        return self.written if self.written and self.status != NodeStatus.OPEN else self.length or 0


Times = tuple[tuple[str, StoryTime], ...]


def chapters_of(levels: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the chapters' labels in reading order, by the levels of all units; without chapters the highest units'."""
    known = list(levels)
    labels = [label for label, level in known if level == Level.CHAPTER]
    return tuple(sorted(labels or [label for label, _ in known if label.count(".") == 1], key=order_of))


class UnitTable:
    """The living units of a book by their labels, with what has been worked out of their order.

    With each change it is worked out anew from the changed unit on. What is worked out is never changed in place, so a
    copy shares it until one of the two takes something in.
    """

    def __init__(self, rows: dict[str, UnitShare]) -> None:
        self.rows = rows
        self._chapters: tuple[str, ...] | None = None
        self._has_chapters = False
        self._coarse: tuple[str, ...] | None = None
        self._times: Times | None = None
        self._known = 0
        """Chapters, from the first on, of which the following four are true."""
        self._standing: list[int] = [0]
        """What stands before each chapter, and before the next one to come."""
        self._planned: list[int] = [0]
        self._ends: list[float] = []
        self._reached: list[float] = []
        self._whole = 0
        """The length of the book that the ends are shares of."""
        self._closed = 0
        """Chapters, from the first on, none of which is open."""
        self.last_read: ReadingOrder | None = None
        """The order that was last made of it, whose own findings may hold for the next."""

    def __contains__(self, label: object) -> bool:
        """Whether there is a living unit with a label."""
        return label in self.rows

    def copy(self) -> "UnitTable":
        """Return one that others may change."""
        made = UnitTable(dict(self.rows))
        made.__dict__ |= {name: value for name, value in self.__dict__.items() if name != "rows"}
        return made

    @property
    def chapters(self) -> tuple[str, ...]:
        """The chapters' labels in reading order; without chapters those of the highest units."""
        if self._chapters is None:
            self._chapters = chapters_of((label, row.level) for label, row in self.rows.items())
            self._has_chapters = any(self.rows[label].level == Level.CHAPTER for label in self._chapters[:1])
        return self._chapters

    def take_in(self, changed: Iterable[TaskNode]) -> None:
        """Take in how units stand that were added or changed."""
        for unit in changed:
            before = self.rows.pop(unit.label, None) if unit.status is NodeStatus.VOID else self.rows.get(unit.label)
            after = UnitShare.of(unit) if unit.is_unit and unit.status is not NodeStatus.VOID else None
            if after is not None:
                self.rows[unit.label] = after
            if before != after:
                self._note(unit.label, before, after)

    def first_open(self) -> str | None:
        """Return the first chapter that is not written yet."""
        chapters = self.chapters
        while self._closed < len(chapters) and self.rows[chapters[self._closed]].status != NodeStatus.OPEN:
            self._closed += 1
        return chapters[self._closed] if self._closed < len(chapters) else None

    def order(self) -> ReadingOrder:
        """Return the chapters with their ends; what happens in their parts is told elsewhere."""
        chapters, root, times = self.chapters, self.rows.get(_BOOK), self._timed()
        if root is None:
            return ReadingOrder(chapters=chapters, times=times)
        is_whole = not chapters and (root.decision == Decision.PROCEED_TO_WRITE or root.status != NodeStatus.OPEN)
        self._bring_up_to_date()
        ends, reached = tuple(self._ends), tuple(self._reached)
        if chapters and self._is_complete():
            ends, reached = (*ends[:-1], 100.0), (*reached[:-1], max((100.0, *reached[-2:-1])))
        return ReadingOrder.model_construct(  # all of it is of this program's own making
            chapters=chapters, ends=ends, reached=reached, usual=0.0 if is_whole else self._usual(),
            coarse=() if is_whole else self._holders(), times=times,
        )  # fmt: skip

    def _note(self, label: str, before: UnitShare | None, after: UnitShare | None) -> None:
        """Forget what rests on a unit that was changed."""
        if (before and before.story_time) != (after and after.story_time):
            self._times = None
        if before is None or after is None or before.level != after.level:
            self._note_place(label, before, after)
        number = ReadingOrder.model_construct(chapters=self._chapters or ()).number_of(label)
        if number is not None:
            self._known, self._closed = min(self._known, number - 1), min(self._closed, number - 1)

    def _note_place(self, label: str, before: UnitShare | None, after: UnitShare | None) -> None:
        """Take in that a unit came or went: behind the last chapter, beside all of them, or anywhere among them."""
        levels = {row.level for row in (before, after) if row is not None}
        if levels & _COARSE:
            self._coarse = None
        is_highest = label.count(".") == 1 and not self._has_chapters
        if self._chapters is None or not (is_highest or Level.CHAPTER in levels):
            return
        is_like_them = self._has_chapters == (Level.CHAPTER in levels)
        if self._chapters and before is None and is_like_them and order_of(label) > order_of(self._chapters[-1]):
            self._chapters = (*self._chapters, label)
        else:
            self._chapters = self._coarse = None
            self._known = self._closed = 0

    def _bring_up_to_date(self) -> None:
        """Work out where the chapters end: what stands before each as it was written, itself as it was planned.

        So a chapter that turns out longer or shorter moves none of those before it, nor its own end.
        """
        whole = self._length
        known = self._known if whole == self._whole else 0
        if known == len(self.chapters) == len(self._ends):
            return
        standing, planned = self._standing[: known + 1], self._planned[: known + 1]
        ends, reached = self._ends[:known], self._reached[:known]
        for row in map(self.rows.__getitem__, self.chapters[known:]):
            ends.append(round(100 * (standing[-1] + (row.length or 0)) / whole, 3))
            reached.append(max(ends[-1:] + reached[-1:]))
            standing.append(standing[-1] + row.standing)
            planned.append(planned[-1] + (row.length or 1))
        self._standing, self._planned, self._ends, self._reached = standing, planned, ends, reached
        self._known, self._whole = len(ends), whole

    @property
    def _length(self) -> int:
        return max(self.rows[_BOOK].length or 1, 1)

    def _usual(self) -> float:
        if not self.chapters:
            return round(100 * min(Level.CHAPTER.usual_length / self._length, 1 / _FEWEST), 3)
        if self._is_complete():
            return 0.0
        return round(100 * self._planned[-1] / len(self.chapters) / self._length, 3)

    def _is_complete(self) -> bool:
        """True once the last chapter is there."""
        if self.rows[_BOOK].status != NodeStatus.OPEN:
            return True
        steps = self.chapters[-1].split(".")
        path = (".".join(steps[:depth]) for depth in range(2, len(steps) + 1))
        return all(self.rows[label].is_last for label in path if label in self.rows)

    def _holders(self) -> tuple[str, ...]:
        if self._coarse is None:
            own = set(self.chapters)
            self._coarse = tuple(label for label, row in self.rows.items() if row.level in _COARSE and label not in own)
        return self._coarse

    def _timed(self) -> Times:
        if self._times is None:
            timed = sorted(
                (order_of(row.label), row.label, row.story_time) for row in self.rows.values() if row.story_time
            )
            self._times = tuple((label, StoryTime.model_validate_json(when)) for _, label, when in timed)
        return self._times


_MOST_READ = 60
"""Chapters whose parts are read with what is to happen in them."""

_LIVING = (nodes.c.book == bindparam("book"), IS_UNIT, IS_LIVING)
_UNITS = Prepared(select(*(nodes.c[name] for name in UnitShare._fields)).where(*_LIVING))
_LEVELS = Prepared(select(nodes.c.label, nodes.c.level).where(*_LIVING))


def _below_chapters() -> Prepared:
    """The units below some chapters, found by their parents: so what stands elsewhere in the tree is not looked at."""
    of_chapters = nodes.c.label.in_(bindparam("chapters", expanding=True))
    told, part = ("key", "label", "title", "goal"), nodes.alias()
    chapter = select(*(nodes.c[name] for name in told)).where(*_LIVING, of_chapters).cte(recursive=True)
    is_living = (part.c.task_type == TaskType.WRITE.value, part.c.status != NodeStatus.VOID.value)
    parts = select(*(part.c[name] for name in told)).where(part.c.parent == chapter.c.key, *is_living)
    below = chapter.union_all(parts)
    return Prepared(select(below).where(below.c.label.not_in(bindparam("chapters", expanding=True))))


_PARTS = _below_chapters()


def read_units(connection: Connection, book: str) -> UnitTable:
    """Return the living units of a book."""
    return UnitTable({row.label: UnitShare(*row) for row in _UNITS.execute(connection, {"book": book})})


def read_names(connection: Connection, book: str) -> ReadingOrder:
    """Return the chapters alone, as they are numbered in names: one short query, however long the book is."""
    return ReadingOrder(chapters=chapters_of(_LEVELS.execute(connection, {"book": book})))


def read_order(connection: Connection, book: str, units: UnitTable, places: Iterable[Place]) -> ReadingOrder:
    """Return the chapters as far as they are there, or the highest units of a book without chapters.

    `places` are those at which the codex has something due: only there it is told what happens in a chapter's parts.
    """
    order = units.order()
    due = {order.number(place) for place in places}
    found = order.model_copy(update={"parts": _parts(connection, book, _wanted(order.chapters, due, units))})
    if units.last_read is not None:
        found.takes_over(units.last_read)
    units.last_read = found
    return found


def _wanted(chapters: Sequence[str], due: Collection[int], units: UnitTable) -> list[str]:
    """The chapter that is being written, and those in which something may be due."""
    if not due:
        return []
    here = units.first_open()
    there = [chapters[number - 1] for number in sorted(due) if number <= len(chapters)]
    return list(dict.fromkeys([*([here] if here else []), *there[-_MOST_READ:]]))


def _parts(connection: Connection, book: str, wanted: list[str]) -> tuple[ChapterPart, ...]:
    """The units below some chapters, in reading order."""
    below = _PARTS.execute(connection, {"book": book, "chapters": wanted}) if wanted else ()
    found = (ChapterPart(label=row.label, told=f"{row.title}\n{row.goal}") for row in below)
    return tuple(sorted(found, key=lambda part: order_of(part.label)))
