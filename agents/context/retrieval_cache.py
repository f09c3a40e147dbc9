"""Keeps what was retrieved for the units of a book, and finds the short forms of texts that have no room.

All activities of a unit read the same. A model condenses only what must be there and does not fit, once; it is found
again by its content. Source: DESIGN section 9, "Pruner".
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from bookwright.agents.context.allocation import OWN_PART
from bookwright.agents.context.components import BY_TAG
from bookwright.agents.context.pruner import Pruned
from bookwright.agents.relay.continuity import ContinuityDirector
from bookwright.models.profile import Profile
from bookwright.models.step import Activity
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.stores import Stores

_KNOWN_UNITS = 32


@dataclass
class RetrievalCache:
    """What the contexts of one book share: its index, its token counts, and the newest retrievals."""

    index: KnowledgeIndex
    count: Callable[[str], int]
    profile: Profile
    director: ContinuityDirector = field(default_factory=ContinuityDirector)
    _retrieved: OrderedDict[tuple[Hashable, ...], Pruned] = field(default_factory=OrderedDict, init=False)
    """What was retrieved once for a unit, by component, unit, revision, room and whatever else decides it."""
    _replaced: int = field(default=0, init=False)
    """How many times texts had been replaced when that was retrieved."""

    def forget_before(self, replaced: int) -> None:
        """Empty the cache if texts have been replaced since it was filled."""
        if replaced != self._replaced:
            self._retrieved.clear()
            self._replaced = replaced

    def once(self, key: tuple[Hashable, ...], retrieve: Callable[[], Pruned]) -> Pruned:
        """Return what was retrieved under this key, retrieving it first if need be."""
        if key not in self._retrieved:
            self._retrieved[key] = retrieve()
        self._retrieved.move_to_end(key)
        while len(self._retrieved) > _KNOWN_UNITS:
            self._retrieved.popitem(last=False)
        return self._retrieved[key]

    def short(self, text: str, room: int, stores: Stores) -> str:
        """Return a text, or where it does not fit the condensed form that a model made of it."""
        if self.count(text) <= room or not self.profile.condenses:
            return text
        return stores.steps.answer(Activity.CONDENSE, name_of(text, self.profile)) or text


_PART = 0.3
"""Of the block's room, for each of the two texts in it: the author's premise and the book's design.

What is left goes to the sentences of the whole design that bear most on the task in hand.
"""


def room_of(profile: Profile) -> int:
    """Return how many tokens of a premise, or of a book's design, a prompt of the walk has room for."""
    block = (profile.context_budget["planner"] - OWN_PART) * BY_TAG["book_level_design"].share
    return round(block * _PART)


def name_of(text: str, profile: Profile) -> str:
    """Return the journal's name for condensing a text: the same text for the same room is the same step."""
    return f"condense.{text_hash(text)[:16]}.{room_of(profile)}"
