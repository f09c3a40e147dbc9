"""Builds the context of an activity: what an agent may know, chosen, cut and printed in order.

Source: DESIGN section 9; S3-127 to S3-136.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from bookwright.agents.context.allocation import TokenAllocation
from bookwright.agents.context.components import ChangeRate, Component, components_of, in_groups, lasts, with_registers
from bookwright.agents.context.filling import Filling
from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import Pruned
from bookwright.agents.context.retrieval_cache import RetrievalCache
from bookwright.agents.context.shortfall import FAILURES, Shortfall, in_short
from bookwright.models.errors import FatalContextError
from bookwright.models.profile import Profile
from bookwright.models.step import Activity
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_part
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.stores import BookStorage

_KNOWN_COUNTS = 8_192

_SLACK = 2
"""Tokens that a block may have more than its frame and its text counted apart."""


@dataclass(frozen=True)
class Context:
    """The context blocks of one activity, as they stand in each of its prompts."""

    blocks: tuple[str, ...]
    """In the order of `COMPONENTS`, or of `PROSE_COMPONENTS` for who writes prose."""
    sources: tuple[int, ...]
    """Ids of the documents whose text stands in the blocks, in ascending order."""
    stable: int
    """How many leading blocks all activities of the unit share; of a division's, all divisions of the unit."""
    warnings: tuple[str, ...] = ()
    """What had to be left out because it failed, a line each."""


class ContextBuilder:
    """Builds the contexts of one book.

    `count_tokens` should give a text the same count each time: what a unit's activities share has
    to be cut alike in all of them, also after a restart.
    """

    def __init__(
        self,
        storage: BookStorage,
        index: KnowledgeIndex,
        profile: Profile,
        locale: str,
        count_tokens: Callable[[str], int],
    ) -> None:
        self._storage = storage
        self._profile = profile
        self._locale = locale
        self._count = lru_cache(_KNOWN_COUNTS)(count_tokens)
        self._kit = RetrievalCache(index, self._count, profile)

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, *only: str) -> Context:
        """Return what the steps of one activity of `node`, which serves `unit`, may know.

        Where `only` has tags, their blocks are all that is returned. Node and unit are read anew, so that a walk that
        holds an older state asks what a restarted one would. The knowledge index has to have caught up. `role` is one
        of the profile's budgets.

        What may be done without and fails is left out, with a warning.

        Raises:
            FatalContextError: What nothing can be planned or written without cannot be made.
        """
        try:
            return self._built(node, unit, activity, role, only)
        except FAILURES as error:
            raise FatalContextError(
                f"the context of {unit.label} cannot be made: {in_short(error)}",
                "`bookwright doctor` looks for what is damaged",
            ) from error

    def _built(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, only: Collection[str]) -> Context:
        self._kit.forget_before(self._storage.replaced)
        with self._storage.look() as stores:
            node, unit = stores.nodes.get(node.key), stores.nodes.get(unit.key)
            above, brief = tuple(stores.nodes.ancestors(unit)), stores.books.get(unit.book).brief
            place = ActivityPlace(node, unit, activity, above, stores, brief, self._locale)
            shortfall = Shortfall()
            filling = Filling(self._kit, place, shortfall)
            components = filling.chosen(components_of(activity, role, self._profile))
            if node.task_type is not TaskType.SEARCH:  # what is asked to look something up may leave the house
                components = with_registers(components, filling.registers, activity, self._profile)
            cuts = self._cuts(components, role, place, filling, only)
        shown = [own for own in components if (not only or own.tag in only) and cuts[own].text]
        return Context(
            blocks=tuple(self._block(component, cuts[component].text) for component in shown),
            sources=tuple(sorted({source for component in shown for source in cuts[component].sources})),
            stable=len(list(takewhile(lambda component: lasts(component, activity), shown))),
            warnings=shortfall.warnings,
        )

    def _block(self, component: Component, text: str) -> str:
        return render_part("story/block", self._locale, tag=component.tag, text=text)

    def _frame(self, component: Component) -> int:
        return self._count(self._block(component, "")) + _SLACK

    def _cuts(
        self, components: Sequence[Component], role: str, place: ActivityPlace, filling: Filling, only: Collection[str]
    ) -> dict[Component, Pruned]:
        """Fill the components, group by group; in each, those that have a wish once more with what the others left.

        The registers are counted in also where they are not shown, so that all a unit's activities have the same room.
        Where only some are asked for, nothing is filled after the last of them.
        """
        registers, length = filling.registers, place.unit.length or 0
        rooms = TokenAllocation(components, role, self._profile, self._frame, length=length, registers=registers)
        is_making = any(component.change is ChangeRate.BY_TASK for component in components)
        untold = [own for own in registers if is_making and own not in components]
        cuts: dict[Component, Pruned] = {}
        groups = in_groups((*components, *untold), place.activity)
        wanted = [component for group in groups for component in group if component.tag in only]
        last = wanted[-1] if wanted and not any(component.wish for component in wanted) else None
        for group in groups:
            own = {}
            for component in group:
                own[component] = rooms.room_for(component)
                cuts[component] = filling.fill(component, own[component])
                if component is last:
                    return cuts
                rooms.take(component, self._count(cuts[component].text))
            wishing = [] if self._profile.is_small else [own for own in group if own.wish]
            for component in sorted(wishing, key=lambda component: component.wish):
                used = self._count(cuts[component].text)
                cuts[component] = filling.fill(component, rooms.wider(component, used), own[component])
                rooms.widen(component, self._count(cuts[component].text) - used)
        return cuts
