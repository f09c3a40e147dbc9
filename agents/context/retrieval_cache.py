"""What all activities of a book fill their contexts with, and what was retrieved for its units so far."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from bookwright.agents.context.condensing import name_of
from bookwright.agents.context.pruner import Pruned, Pruner
from bookwright.agents.relay.continuity import ContinuityDirector
from bookwright.models.profile import Profile
from bookwright.models.step import Activity
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.stores import Stores

_KNOWN_UNITS = 32


@dataclass
class RetrievalCache:
    """What all activities of a book fill their contexts with."""

    index: KnowledgeIndex
    count: Callable[[str], int]
    locale: str
    profile: Profile
    director: ContinuityDirector = field(default_factory=ContinuityDirector)
    _retrieved: OrderedDict[tuple[Hashable, ...], Pruned] = field(default_factory=OrderedDict, init=False)
    """What was retrieved once for a unit, by component, unit, revision, room and what else it hung on."""
    _replaced: int = field(default=0, init=False)
    """How many times texts had been replaced when that was retrieved."""

    def forget_before(self, replaced: int) -> None:
        """Let go of what was retrieved if texts have been replaced since."""
        if replaced != self._replaced:
            self._retrieved.clear()
            self._replaced = replaced

    def once(self, key: tuple[Hashable, ...], retrieve: Callable[[], Pruned]) -> Pruned:
        """Retrieve what goes by this key, or give what was retrieved for it before."""
        if key not in self._retrieved:
            self._retrieved[key] = retrieve()
        self._retrieved.move_to_end(key)
        while len(self._retrieved) > _KNOWN_UNITS:
            self._retrieved.popitem(last=False)
        return self._retrieved[key]

    def short(self, text: str, room: int, stores: Stores) -> str:
        """Return what a model made of a text that does not fit, or the text itself."""
        if self.count(text) <= room or not self.profile.condenses:
            return text
        return stores.steps.answer(Activity.CONDENSE, name_of(text, self.profile)) or text

    @property
    def pruner(self) -> Pruner:
        """Cuts by this book's token counts."""
        return Pruner(self.count)
