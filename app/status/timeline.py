"""The time line of a book, and the times of its units as its author sets them."""

from bookwright.app.access import OpenBook, at_rest
from bookwright.app.node_lookup import find_node
from bookwright.models.errors import InvalidInput
from bookwright.models.story_time.timeline import StoryLine, StoryTurn, places_in
from bookwright.models.story_time.times import StoryTime


def read_timeline(opened: OpenBook) -> StoryLine:
    """Return when the units of a book are set, in the order of the story, with the slips of time that code finds."""
    from bookwright.agents.relay.times.timeline import timeline_of  # `tree` and `log` do without

    with opened.storage.read() as stores:
        return timeline_of(stores, opened.book.id, opened.book.brief.language)


def read_turns(opened: OpenBook) -> dict[str, StoryTurn]:
    """Return how units stand in the order of the story, by label; empty for a book in which no unit has a time."""
    with opened.storage.read() as stores:
        reading = stores.codex.reading_order()
    return {} if reading.clock.is_empty else {label: own.turn for label, own in places_in(reading).items()}


def set_time(opened: OpenBook, place: str, time: StoryTime | None) -> str:
    """Say when a unit of a resting book is set, and return its name; None takes back what was said.

    Raises:
        NodeNotFound: There is no such node.
        InvalidInput: The node is a task, or the time is counted from the unit itself.
    """
    with at_rest(opened.storage) as stores:
        unit = find_node(place, stores)
        if not unit.is_unit:
            raise InvalidInput(f"{stores.name_of(unit)} is a task and no part of the story; name a chapter or a scene")
        stores.nodes.change(unit.key, story_time=time)
        named = stores.name_of(unit)
        if unit.label in stores.codex.reading_order().clock.circles:
            raise InvalidInput(f"{str(time)!r} is counted from {named} itself; name another unit, a date or a day")
        return named


def is_compared(time: StoryTime) -> bool:
    """Whether a time can be set beside others; one that nobody can read stands in words alone."""
    from bookwright.models.story_time.reading import read_time  # whose patterns `tree` and `log` need not compile

    return time.order is not None or read_time(time.when).is_comparable
