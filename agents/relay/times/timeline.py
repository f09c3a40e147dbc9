"""Makes the time line of a book: its units in the order of the story, with flashbacks and parallel plots."""

from bookwright.agents.relay.times.slips import timeframe
from bookwright.models.story_time.timeline import StoryLine, StoryLineRow, TimeFinding, places_in
from bookwright.models.text.language import Language
from bookwright.storage.stores import Stores
from bookwright.storage.tree.reading_order import read_units


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
