"""Fills the components about what came before a unit: designs and findings above it, latest text, summaries."""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from functools import cached_property

from bookwright.agents.context import materials
from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import BREAK, ContextPiece, Pruned, Pruner
from bookwright.agents.context.retrieval_cache import RetrievalCache
from bookwright.agents.context.shortfall import Shortfall
from bookwright.models.document import Document, DocumentKind
from bookwright.models.text.prose import paragraphs
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.passages import Passage

_RETRIEVED = 30
"""Passages asked of the index for one component, at least. Source: DETAILS, "Context values"."""

_MOST_RETRIEVED = 400
_TOKENS_A_PASSAGE = 60
"""A passage has seldom fewer, so a large room asks for as many as it could hold."""

_ANCESTORS_SHARE = 0.6
"""Of the designs above: the units' own before what retrieval adds."""

_LAST_SUMMARY_SHARE = 0.35
"""Of the summaries: that of the unit right before."""

_MOST_SUMMARIES, _MOST_WRITTEN = 60, 64_000
"""Units whose summaries may all be told, and a book's most for that: 64 000 characters or some 40 000 English words."""

_MOST_PAGES = 12
"""Passages of earlier prose that are looked at for one unit; its room holds fewer."""

_LEAVES, _MOST_LEAVES = 3, 12
"""Units whose prose may stand in `latest_text`, where each is short; and where prompts have much room."""

_ROOMY = 20_000
"""Tokens of a writer's prompt from which on there is much room."""


class LookingBack:
    """What came before one activity's unit; what a unit's activities share is retrieved once for all of them.

    `latest_text` is to be asked for before `summaries`, which adds to it, and that before `more_summaries`; before
    `earlier_pages`, too.
    """

    def __init__(self, kit: RetrievalCache, place: ActivityPlace, shortfall: Shortfall) -> None:
        self._kit = kit
        self._shortfall = shortfall
        self._count = kit.count
        self._pruner = Pruner(kit.count, place.unit_focus)
        self._place = place
        self._whole_leaves: set[int] = set()
        """Units whose whole prose stands in the latest text."""
        self._quoted: set[int] = set()
        """Units of whose prose anything stands there."""
        self._told = ""
        """What stands in the summaries."""
        self._found: dict[Hashable, list[Passage]] = {}
        self._printed: frozenset[str] = frozenset()
        """Lines that stand in the design of the whole book; they are not retrieved again."""

    def has_printed(self, text: str) -> None:
        """Note what the design of the whole book shows, so that the designs above do not repeat it."""
        self._printed = frozenset(map(materials.wording, text.splitlines()))

    def designs_above(self, room: int) -> Pruned:
        """The designs of the units above, and what retrieval adds to them."""
        return self._once("upper_level_design", room, self._designs_above, self._printed)

    def findings_above(self, room: int) -> Pruned:
        """The findings that were made for what comes before the unit."""
        return self._once("upper_level_search", room, lambda room: self.findings_before(room, lambda piece: piece))

    def _once(self, tag: str, room: int, retrieve: Callable[[int], Pruned], *more: Hashable) -> Pruned:
        """Retrieve for a unit once, so that all its activities have the same bytes."""
        unit = self._place.unit
        key = (tag, unit.key, unit.revision, room, *self._questions, *more)
        return self._kit.once(key, lambda: retrieve(room))

    def _designs_above(self, room: int) -> Pruned:
        above = materials.designs_above(self._place)
        own = self._pruner.evenly(above, int(room * _ANCESTORS_SHARE))
        shown = [piece.node for piece in above if piece.document in own.sources]
        told = self._printed | frozenset(map(materials.wording, own.text.splitlines()))
        found = self._pieces(self._found_above(DocumentKind.DESIGN, shown, room))
        fresh = [piece for piece in found if materials.wording(piece.text) not in told]
        return own.before(self._pruner.in_order(fresh, room - self._count(own.text) - 2))

    def findings_before(self, room: int, clean: Callable[[ContextPiece], ContextPiece]) -> Pruned:
        """What was found out before the unit and bears on it, each piece as `clean` leaves it."""
        pieces = map(clean, self._pieces(self._found_above(DocumentKind.FINDINGS, (), room)))
        return self._pruner.in_order([piece for piece in pieces if piece.text], room)

    def _found_above(self, kind: DocumentKind, shown: Sequence[int], room: int) -> list[Passage]:
        """Search what came before the unit in reading order; what is made in it or later has no part in this."""
        unit = self._place.unit
        if unit.parent is None:
            return []
        asked = [*self._questions, *materials.queries(unit)]
        return self._searched(asked, kind, room, shown, unit.order)

    def latest_text(self, room: int, own: int | None = None) -> Pruned:
        """The end of what was written before the place, back to where the room ends.

        Of a room that is wider than the component's `own` only the unit right before has the use.
        """
        made = Pruned()
        self._whole_leaves, self._quoted = set(), set()
        for leaf, prose in self._prose:
            left = room - self._count(made.text) - 2
            text = self._pruner.tail(prose.text, left)
            if not text:
                break
            made = Pruned(text, frozenset([prose.id])).before(made)
            self._quoted.add(leaf.key)
            if paragraphs(text) != paragraphs(prose.text):
                break
            self._whole_leaves.add(leaf.key)
            room = room if own is None else own
        return made

    def summaries(self, room: int) -> Pruned:
        """What happened before the place, as far as it bears on the unit and the latest text does not tell it."""
        before = tuple(prose.id for _, prose in self._prose)  # more with each part of a unit that is being divided
        hangs_on = (self._place.written_before, frozenset(self._whole_leaves), before)
        cut = self._once("text_summary", room, self._summaries_for_unit, *hangs_on)
        self._told = cut.text
        return cut

    def _summaries_for_unit(self, room: int) -> Pruned:
        every = self._every_summary()
        if every and sum(self._count(piece.block) + BREAK for piece in every) <= room:
            return self._pruner.in_order(every, room)
        last = self._last_summary(int(room * _LAST_SUMMARY_SHARE))
        asked = [*self._questions, *materials.queries(self._place.unit)]
        found = self._happened(asked, room, {piece.node for piece in last})
        return self._pruner.in_order([*last, *self._pieces(found)], room)

    def _every_summary(self) -> list[ContextPiece]:
        """The summaries of all that is written before the place and not shown whole; none where that is too much."""
        whole = (self._place.unit, *self._place.ancestors)[-1]
        if whole.written > _MOST_WRITTEN or len(self._before) > _MOST_SUMMARIES:
            return []
        told = [unit for unit in self._before if unit.key not in self._whole_leaves]
        return materials.summaries_of(told, self._place)

    def earlier_pages(self, room: int) -> Pruned:
        """Passages of what readers have read that bear on the unit, word for word, so that a phrase can return.

        To be asked for after `latest_text`: nothing of what that quotes is quoted here.
        """
        before = tuple(prose.id for _, prose in self._prose)
        return self._once(
            "earlier_pages", room, self._pages, self._place.written_before, frozenset(self._quoted), before
        )

    def _pages(self, room: int) -> Pruned:
        asked = [*self._questions, *materials.queries(self._place.unit)]
        found = self._searched(asked, DocumentKind.PROSE, room, self._quoted, self._place.written_before)
        return self._pruner.in_order(self._pieces(found[:_MOST_PAGES]), room)

    def more_summaries(self, room: int) -> Pruned:
        """What a task of the unit asks for by itself and what is told to all of them does not hold."""
        if self._place.node.is_unit:
            return Pruned()
        found = self._happened(materials.queries(self._place.node), room)
        told = frozenset(map(materials.wording, self._told.splitlines()))
        fresh = [piece for piece in self._pieces(found) if materials.wording(piece.text) not in told]
        return Pruner(self._count, self._place.focus).in_order(fresh, room)

    def _happened(self, asked: Sequence[str], room: int, shown: Collection[int] = ()) -> list[Passage]:
        """Search what was written before the place, but for what is shown in full or stands elsewhere."""
        unfinished = (unit.key for unit in self._place.ancestors)  # when this one was begun, though not when made again
        shown = {*self._whole_leaves, *shown, *unfinished}
        return self._searched(list(dict.fromkeys(asked)), DocumentKind.SUMMARY, room, shown, self._place.written_before)

    def _searched(
        self, asked: Sequence[str], kind: DocumentKind, room: int, shown: Collection[int], before: tuple[int, ...]
    ) -> list[Passage]:
        """Search the index; a component that is filled a second time asks the same once."""
        key = (tuple(asked), kind, _count_for(room), frozenset(shown), before)
        if key not in self._found:
            self._found[key] = self._shortfall.without(
                f"what the index has of {kind}",
                lambda: self._kit.index.search(
                    asked, [kind], _count_for(room), exclude_nodes=shown, before=before, known=self._people
                ),
                [],
            )
        return self._found[key]

    def _last_summary(self, room: int) -> list[ContextPiece]:
        """The summary of the unit right before, unless there is none or its whole prose is shown."""
        before = [leaf for leaf, _ in self._prose[:1] if leaf.key not in self._whole_leaves]
        found = materials.summaries_of(before, self._place)
        return [replace(piece, text=self._pruner.condense(piece.text, room)) for piece in found]

    @cached_property
    def _before(self) -> list[TaskNode]:
        units_before = self._place.stores.nodes.units_before
        return units_before(self._place.unit, _MOST_SUMMARIES + 1, with_own=self._place.is_dividing)

    @cached_property
    def _questions(self) -> list[str]:
        """What a model asked about the unit before it was begun; empty where none was asked."""
        asked = self._place.stores.documents.current(self._place.unit.key, DocumentKind.QUESTIONS)
        return asked.text.splitlines() if asked else []

    @cached_property
    def _people(self) -> tuple[str, ...]:
        return materials.people(self._place.stores)

    @cached_property
    def _prose(self) -> list[tuple[TaskNode, Document]]:
        """The last written units before the place with their prose, nearest first."""
        count = _MOST_LEAVES if self._kit.profile.context_budget["writer"] >= _ROOMY else _LEAVES
        stores = self._place.stores
        leaves = stores.nodes.units_before(self._place.unit, count, with_own=self._place.is_dividing)
        found = ((leaf, stores.documents.current(leaf.key, DocumentKind.PROSE)) for leaf in reversed(leaves))
        return [(leaf, document) for leaf, document in found if document is not None]

    def _pieces(self, passages: Sequence[Passage]) -> list[ContextPiece]:
        return materials.pieces_of(passages, self._place)


def _count_for(room: int) -> int:
    """How many passages a room of so many tokens could hold, within bounds."""
    return min(max(room // _TOKENS_A_PASSAGE, _RETRIEVED), _MOST_RETRIEVED)
