"""The time line of a book: its units in the order of the story, and the slips of time that code can find.

Slips are of ages, the dead, who knows what when, days of the week, and times that contradict. Each needs two facts
that can be compared by the story's clock; where they cannot, nothing is said. A flashback is no slip: what it tells
is held against the time that it is set in.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import floor
from typing import Literal

from pydantic import ValidationError

from bookwright.agents.relay.secrets.coming_out import is_yet_to_happen, may_know
from bookwright.agents.relay.times.people import Life, lives_of, same_person
from bookwright.models.codex.entries import Secret, TellingType, folded
from bookwright.models.codex.extraction import ConsistencyReport, FoundCheck, FoundPerson
from bookwright.models.document import DocumentKind
from bookwright.models.story_time.reading import read_time
from bookwright.models.story_time.timeline import StoryLine, StoryLineRow, TimeFinding, places_in
from bookwright.models.story_time.times import CALENDAR, YEAR, Comparison, compare, days_between, stated
from bookwright.models.text.language import Language
from bookwright.models.tree.place import ReadingOrder, order_of
from bookwright.storage.stores import Stores
from bookwright.storage.tree.reading_order import read_units

_COUNTED_FROM_ONE = {Language.EN: 0, Language.JA: 1, Language.ZH: 1, Language.KO: 2}
"""Years by which ages may be off because a language also counts them from the birth as one."""
_WEEK = 7
_COUNTED_FROM_ELSE = re.compile(r"\bday\b.*\bof\b|的第|の.*日目|의 .*[날째]", re.IGNORECASE)
"""Days that pages count from something else than the story does: "the third day of the storm"."""


@dataclass(frozen=True)
class Slip:
    """Something that cannot happen at the time at which the text sets it."""

    label: str
    """The unit that it was found in."""
    check: FoundCheck


@dataclass(frozen=True)
class ToldTimes:
    """What a chapter tells of times and people."""

    label: str
    when: str = ""
    people: tuple[FoundPerson, ...] = ()


@dataclass(frozen=True)
class Timeframe:
    """All that a book's times are checked by."""

    reading: ReadingOrder
    told: Sequence[ToldTimes] = ()
    """Of the chapters in reading order."""
    lives: Sequence[Life] = ()
    secrets: Sequence[Secret] = ()
    language: Language = Language.EN

    def slips(self) -> list[Slip]:
        """Return all slips, in the order of the units, each once."""
        found = [
            *self._settings(), *self._weekdays(), *self._told_times(), *self._ages_off(), *self._dead(),
            *self._knowing(), *self._told_too_early(),
        ]  # fmt: skip
        order = {label: place for place, label in enumerate(self.reading.chapters)}
        return sorted(dict.fromkeys(found), key=lambda slip: order.get(slip.label, len(order)))

    def _settings(self) -> Iterator[Slip]:
        """Times of units that say two things, or that are counted from themselves."""
        clock = self.reading.clock
        for label in clock.circles:
            yield _slip(label, str(clock.own(label)), "it is counted from itself, over other units")
        for label in clock.labels:
            time = clock.own(label)
            reading = read_time(time.when) if time else None
            if time is None or reading is None or reading.offset is None or not reading.offset.anchor:
                continue
            if compare(stated(reading), clock.counted(time, label)) in (Comparison.BEFORE, Comparison.AFTER):
                yield _slip(label, time.when, "the date and the distance do not fit each other")

    def _weekdays(self) -> Iterator[Slip]:
        """Days of the week that do not fit the date, or the days between two units."""
        clock = self.reading.clock
        sure: dict[str, tuple[str, int]] = {CALENDAR: ("the calendar", 1)}  # day 1 of year 1 was a Monday
        for label in clock.labels:
            time = clock.own(label)
            weekday = read_time(time.when).weekday if time else None
            days = {own.axis: floor(own.low) for own in clock.at(label) if own.high - own.low <= 1}
            if weekday is None:
                continue
            against = next(
                (sure[axis] for axis in days if axis in sure and (days[axis] - sure[axis][1] - weekday) % _WEEK), None
            )
            if against is not None:
                yield _slip(label, str(time), f"by {against[0]} that is another day of the week")
            else:
                name = _name(self.reading, label)
                sure = {axis: (name, day - weekday) for axis, day in days.items()} | sure

    def _told_times(self) -> Iterator[Slip]:
        """What the pages say of when they are set, against what was planned."""
        clock = self.reading.clock
        for own in self.told:
            if not own.when or clock.time_of(own.label) is None or _COUNTED_FROM_ELSE.search(own.when):
                continue
            said = stated(read_time(own.when))  # "two days later" may go on with what another unit left
            if compare(said, clock.at(own.label)) in (Comparison.BEFORE, Comparison.AFTER):
                yield _slip(own.label, own.when, f"it is set at: {clock.time_of(own.label)}")

    def _ages_off(self) -> Iterator[Slip]:
        for name, ages in self._ages_of_people():
            life = self._life_of(name)
            first = self.reading.chapters[0] if self.reading.chapters else ""
            sure: list[tuple[str, int]] = []
            if life is not None and life.age_at_first is not None and first:
                sure.append((first, life.age_at_first))
            for label, age in ages:
                against = self._against_birth(life, label, age) if life else ""
                against = against or next(filter(None, (self._against(one, label, age) for one in sure)), "")
                if against:
                    yield _slip(label, f"{name}, {age}", against)
                else:
                    sure.append((label, age))

    def _ages_of_people(self) -> Iterable[tuple[str, list[tuple[str, int]]]]:
        found: dict[str, tuple[str, list[tuple[str, int]]]] = {}
        for own in self.told:
            for person in own.people:
                if person.age is not None:
                    life = self._life_of(person.name)
                    name = life.name if life else person.name
                    found.setdefault(folded(name), (name, []))[1].append((own.label, person.age))
        return found.values()

    def _against_birth(self, life: Life, label: str, age: int) -> str:
        span = days_between(life.birth, self.reading.clock.at(label)) if life.birth else None
        slack = _COUNTED_FROM_ONE[self.language]
        if span is None or (span[0] / YEAR < age + 1 and age - slack <= span[1] / YEAR):
            return ""
        return f"{life.birth_words}: about {max(round((span[0] + span[1]) / 2 / YEAR), 0)} by then"

    def _against(self, known: tuple[str, int], label: str, age: int) -> str:
        clock = self.reading.clock
        span = days_between(clock.at(known[0]), clock.at(label))
        if span is None:
            return ""
        later = (span[0] - YEAR, span[1] + YEAR)
        if later[0] < (age - known[1]) * YEAR < later[1]:
            return ""
        years = round((span[0] + span[1]) / 2 / YEAR)
        way = "before" if years > 0 else "after"
        return f"{known[1]} in {_name(self.reading, known[0])}, {abs(years)} years {way} this"

    def _life_of(self, name: str) -> Life | None:
        return next((life for life in self.lives if same_person(name, life)), None)

    def _dead(self) -> Iterator[Slip]:
        """Who is there after their death, or before their birth."""
        for own in self.told:
            now = self.reading.clock.at(own.label)
            for person in own.people:
                life = self._life_of(person.name)
                if life is None or not person.is_present:
                    continue
                if compare(life.death, now) is Comparison.BEFORE:
                    yield _slip(own.label, f"{life.name} is there", f"dead by then: {life.death_words}", "characters")
                if compare(life.birth, now) is Comparison.AFTER:
                    yield _slip(own.label, f"{life.name} is there", f"not born yet: {life.birth_words}", "characters")

    def _knowing(self) -> Iterator[Slip]:
        """Who knows a secret before it happens, or before they come to know it."""
        secrets = {folded(secret.id): secret for secret in self.secrets}
        for own in self.told:
            for person in own.people:
                for name in person.knows:
                    secret = secrets.get(folded(name))
                    reason = self._too_early(secret, person.name, own.label) if secret else ""
                    if reason:
                        yield _slip(own.label, f"{person.name} knows {name}", reason)

    def _too_early(self, secret: Secret, name: str, label: str) -> str:
        if is_yet_to_happen(secret, label, self.reading):
            return f"it happens later: {secret.happens_at}"
        life = self._life_of(name) or Life(name=name, names=(name,))
        known = next((own for own in secret.known_by if same_person(own.name, life)), None)
        late = known is not None and not may_know(known, label, self.reading)
        return f"{name} comes to know it later: {known.since}" if known and late else ""

    def _told_too_early(self) -> Iterator[Slip]:
        """Secrets that came out in a unit that is set before they happen: somebody foretells, or it is a slip."""
        for secret in self.secrets:
            for event in secret.events:
                label = self.reading.label_at(event.place)
                if event.type is TellingType.TOLD and label and is_yet_to_happen(secret, label, self.reading):
                    words = event.expression or secret.id
                    yield _slip(label, words, f"it happens later: {secret.happens_at}", result="warning")


def timeframe(stores: Stores, language: Language, *, now: ToldTimes | None = None) -> Timeframe:
    """Return what the records of a book say of its times; `now` is told by a chapter that has no record yet.

    A book in which no unit has a time has nothing to be checked, and nothing is read of it.
    """
    reading = stores.codex.reading_order()
    if reading.clock.is_empty:
        return Timeframe(reading)
    told = {own.label: own for own in _told_on_record(stores)} | ({now.label: now} if now else {})
    ordered = sorted(told.values(), key=lambda own: order_of(own.label))
    return Timeframe(reading, ordered, lives_of(stores.codex.entries(), reading), stores.codex.secrets(), language)


def _told_on_record(stores: Stores) -> list[ToldTimes]:
    found = stores.documents.labelled(DocumentKind.CONSISTENCY)
    reports = stores.documents.data_of_all([document for _, document in found])
    told = []
    for (label, _), data in zip(found, reports, strict=True):
        try:
            report = ConsistencyReport.model_validate_json(data)
        except ValidationError:  # in a form that this version does not know
            continue
        told.append(ToldTimes(label, report.when, report.people))
    return told


def _slip(
    label: str, text: str, record: str, check: Literal["timeline", "characters"] = "timeline",
    result: Literal["warning", "error"] = "error",
) -> Slip:  # fmt: skip
    return Slip(label, FoundCheck(check=check, text=text, record=record, result=result))


def _name(reading: ReadingOrder, label: str) -> str:
    return f"chapter {reading.chapter_of(label)}"


def timeline_of(stores: Stores, book: str, language: Language) -> StoryLine:
    """Return the time line of a book, with the slips of time that code finds."""
    reading = stores.codex.reading_order()
    units = read_units(stores.connection, book)
    placed = {label: own for label, own in places_in(reading).items() if label in units}
    titles = {label: stores.nodes.by_label(label) for label in placed}
    rows = [
        StoryLineRow(
            label=label, chapter=reading.chapter_of(label), title=titles[label].title, when=str(when) if when else "",
            is_own=reading.clock.own(label) is not None, turn=own.turn, strand=own.strand, with_labels=own.with_labels,
            written=titles[label].written,
        )
        for label, own in placed.items()
        for when in [reading.clock.time_of(label)]
    ]  # fmt: skip
    found = [
        TimeFinding(label=own.label, result=own.check.result, text=own.check.text, record=own.check.record)
        for own in timeframe(stores, language).slips()
    ]
    return StoryLine(rows=tuple(rows), findings=tuple(found))
