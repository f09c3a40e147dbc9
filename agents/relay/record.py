"""Prints the codex entries that a text is checked against: each with its phase, each fact with its place and time.

Source: DESIGN section 10, item 6; REQUIREMENTS S2-057.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bookwright.agents.relay.leaks.folding import Folded, fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.agents.relay.registers import Where
from bookwright.models.codex.entries import folded
from bookwright.models.codex.sight import SeenEntry, SeenSection
from bookwright.models.tree.place import ReadingOrder
from bookwright.prompts.render import render_no_room, render_record
from bookwright.storage.index.ranking import terms


@dataclass(frozen=True)
class RecordedFact:
    """One section of an entry, as a text is held against it."""

    name: str
    text: str
    phase: str = ""
    """The phase that it tells of, where that is not the present one."""
    is_over: bool = False
    """That phase is over; one that is not has still to begin."""
    known_from: Where | None = None
    """Where readers learn of it, if they do not know it yet."""
    when: str = ""
    """When it happens in the story."""


@dataclass(frozen=True)
class RecordedEntry:
    """An entry as a text is held against it."""

    kind: str
    names: tuple[str, ...]
    phase: str
    """The phase that it is in; empty without phases."""
    facts: tuple[RecordedFact, ...]
    left_out: int = 0
    """How many of its facts found no room."""


def record_lines(
    seen: Sequence[SeenEntry], text: str, reading: ReadingOrder, room: int, count: Callable[[str], int], locale: str
) -> tuple[str, ...]:
    """Return the entries that a text names, most often named first, each whole as long as there is room for it.

    `room` is counted in tokens. Of an entry that is too long the facts stay that share most words with the text; a
    last line says how many entries are left out.
    """
    if not seen:
        return ()
    draft, words = fold(text), set(terms(text))
    times = [(own, _mentions(own, draft)) for own in seen]
    named = [own for own, often in sorted(times, key=lambda pair: -pair[1]) if often]
    lines: list[str] = []
    left = room
    for own in named:
        if line := _fitting(_recorded(own, reading), words, left, count, locale):
            lines.append(line)
            left -= count(line) + 1
    missing = len(named) - len(lines)
    return (*lines, render_no_room(missing, locale)) if missing else tuple(lines)


def _mentions(own: SeenEntry, draft: Folded) -> int:
    return sum(1 for name in own.entry.names for _ in find_keyword(draft, name))


def _fitting(entry: RecordedEntry, words: set[str], room: int, count: Callable[[str], int], locale: str) -> str:
    """Print an entry whole, or with the facts that there is room for; empty if there is none for any."""
    whole = render_record(entry, locale)
    if count(whole) < room:
        return whole
    kept: list[RecordedFact] = []
    line = ""
    for fact in sorted(entry.facts, key=lambda fact: -len(words & set(terms(f"{fact.name} {fact.text}")))):
        shown = tuple(own for own in entry.facts if own in (*kept, fact))
        longer = render_record(replace(entry, facts=shown, left_out=len(entry.facts) - len(shown)), locale)
        if count(longer) < room:
            kept.append(fact)
            line = longer
    return line


def _recorded(own: SeenEntry, reading: ReadingOrder) -> RecordedEntry:
    facts = tuple(_fact(section, own, reading) for section in own.sections if section.section.text)
    return RecordedEntry(own.entry.kind.value, own.entry.names, own.phase or "", facts)


def _fact(seen: SeenSection, of: SeenEntry, reading: ReadingOrder) -> RecordedFact:
    own = seen.section
    is_other = own.phase is not None and folded(own.phase) != folded(of.phase or "")
    return RecordedFact(
        name=own.name, text=" ".join(own.text.split()), phase=own.phase or "" if is_other else "",
        is_over=is_other and _comes_before(own.phase or "", of),
        known_from=None if seen.reader_may_know else Where.of(own.known_from, reading),
        when=own.happens_at.when if own.happens_at else "",
    )  # fmt: skip


def _comes_before(phase: str, of: SeenEntry) -> bool:
    order: Sequence[str] = [folded(own.name) for own in of.entry.phases]
    return of.phase is not None and order.index(folded(phase)) < order.index(folded(of.phase))
