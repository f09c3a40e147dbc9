"""Checking an accepted chapter against the story's clock: its times are recorded, contradictions are findings."""

import re
from dataclasses import replace

from bookwright.agents.relay.secrets.knowing import unknown_yet
from bookwright.agents.relay.times.people import ages_in
from bookwright.agents.relay.times.setting import setting_lines
from bookwright.agents.relay.times.slips import ToldTimes, timeframe
from bookwright.flows.deps import Deps
from bookwright.models.codex.entries import CodexEntry, EntryKind, folded
from bookwright.models.codex.extraction import Extraction, FoundCheck, FoundEntry, FoundPerson
from bookwright.models.codex.names import named
from bookwright.models.story_time.moment import Comparison, stated
from bookwright.models.story_time.reading import read_time
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.prompts import Card
from bookwright.storage.stores import Stores

_MOST_PEOPLE = 16
_DATELINE = 60
"""Letters of a first line that may be nothing but a time."""
_SENTENCE = re.compile(r"[.!?。！？…”」]\s*$")


def timed(card: Card, unit: TaskNode, deps: Deps) -> Card:
    """Return the card of whoever holds a chapter against the record with what it has to know of the story's clock."""
    with deps.stores() as stores:
        reading = stores.codex.reading_order()
        unknown = unknown_yet(stores.codex.secrets(), unit.label, reading)
    return replace(card, times=setting_lines(unit.label, reading, deps.desk.locale), unknown_yet=unknown)


def as_of_then(found: FoundEntry, unit: TaskNode, stores: Stores) -> FoundEntry:
    """Return what a chapter says of somebody as it is to be filed: what a flashback tells replaces nothing of now.

    Where it says otherwise of an aspect, that is another one with the time in its name; no phase begins there.
    """
    reading = stores.codex.reading_order()
    time = reading.clock.time_of(unit.label)
    if time is None or not _goes_back(unit.label, reading):
        return found
    old = named(stores.codex.entries(), found.name)
    known = {folded(own.name) for own in old.sections} if isinstance(old, CodexEntry) else set()
    facts = (
        fact.model_copy(update={"aspect": f"{fact.aspect} ({time.when})"}) if folded(fact.aspect) in known else fact
        for fact in found.facts
    )
    return found.model_copy(update={"facts": tuple(facts), "phase": ""})


def _goes_back(label: str, reading: ReadingOrder) -> bool:
    """Whether the manuscript told of a later time before."""
    before = reading.chapters[: reading.chapter_of(label) - 1]
    return any(reading.clock.compare(label, other) is Comparison.BEFORE for other in before)


def said_in_time(
    unit: TaskNode, text: str, said: Extraction, stores: Stores, reading: ReadingOrder
) -> tuple[Extraction, tuple[FoundCheck, ...]]:
    """Return what a chapter says with the times and ages that code finds in it, and its slips of time."""
    if reading.clock.is_empty:
        return said, ()
    entries = stores.codex.entries()
    names = [own.names for own in entries if own.kind is EntryKind.CHARACTER]
    people = _with_ages(said.people, list(ages_in(text, names)))
    said = said.model_copy(update={"when": said.when or _dateline(text), "people": people[:_MOST_PEOPLE]})
    language = stores.books.get(unit.book).brief.language
    frame = timeframe(stores, language, now=ToldTimes(unit.label, said.when, said.people))
    return said, tuple(slip.check for slip in frame.slips() if _lies_in(slip.label, unit.label))


def _lies_in(label: str, unit: str) -> bool:
    return label == unit or label.startswith(f"{unit}.")


def _with_ages(people: tuple[FoundPerson, ...], found: list[FoundPerson]) -> tuple[FoundPerson, ...]:
    """What a model saw, with ages that code read where the model gave none."""
    ages = {folded(own.name): own for own in found}

    def aged(own: FoundPerson) -> FoundPerson:
        read = ages.get(folded(own.name))
        return own.model_copy(update={"age": read.age}) if own.age is None and read else own

    known = {folded(own.name) for own in people}
    return (*map(aged, people), *(own for name, own in ages.items() if name not in known))


def _dateline(text: str) -> str:
    """The first line, if it is nothing but a time; empty where it is a sentence or a title."""
    first = text.strip().partition("\n")[0].strip(" *_#—-")
    if len(first) > _DATELINE or _SENTENCE.search(first):
        return ""
    return first if stated(read_time(first)) else ""
