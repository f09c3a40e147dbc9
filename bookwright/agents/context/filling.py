"""Fills the components of one activity's context, each within its room."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from bookwright.agents.context import materials
from bookwright.agents.context.fisheye import tree_view
from bookwright.agents.context.materials import Place
from bookwright.agents.context.pruner import LEAST, Cut, Piece, Pruner
from bookwright.models.brief import Brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.prose import paragraphs
from bookwright.models.task import TaskNode
from bookwright.storage.knowledge import KnowledgeIndex
from bookwright.storage.passages import Passage
from bookwright.storage.stores import Stores

RETRIEVED = 30
"""Passages asked of the index for one component. Source: DETAILS, "Context values"."""

_BRIEF_SHARE = 0.5
"""Of the book's design, where there is one already."""

_ANCESTORS_SHARE = 0.6
"""Of the designs above: the units' own before what retrieval adds."""

_LAST_SUMMARY_SHARE = 0.5
"""Of the summaries: that of the unit right before."""

_KNOWN_UNITS = 32

_ENTRIES = (None, 4, 2, 1, 0)
"""Entries of each of a task's lists; the first number that fits is taken."""


@dataclass
class Tools:
    """What all activities of a book fill their contexts with."""

    index: KnowledgeIndex
    count: Callable[[str], int]
    locale: str
    retrieved: OrderedDict[tuple[str, int, int, int], Cut] = field(default_factory=OrderedDict)
    """What was retrieved once for a unit, by component, unit, revision and room."""

    @property
    def pruner(self) -> Pruner:
        """Cuts by this book's token counts."""
        return Pruner(self.count)


class Filling:
    """Fills the components of one activity. `latest_text` comes before `text_summary`, which adds to it."""

    def __init__(self, tools: Tools, place: Place, stores: Stores, brief: Brief) -> None:
        self._tools = tools
        self._count = tools.count
        self._pruner = tools.pruner
        self._place = place
        self._stores = stores
        self._brief = brief
        self._whole_leaves: set[int] = set()
        """Units whose whole prose stands in `latest_text`."""

    def fill(self, tag: str, room: int) -> Cut:
        """Return a component's text, at most `room` tokens of it, and the documents in it."""
        fillers: dict[str, Callable[[int], Cut]] = {
            "book_level_design": self._book_design,
            "global_state_summary": self._global_state,
            "upper_level_design": lambda room: self._once("upper_level_design", room, self._designs_above),
            "upper_level_search": lambda room: self._once("upper_level_search", room, self._findings_above),
            "overall_planning": self._tree,
            "design_dependent": lambda room: self._made_below(DocumentKind.DESIGN, room),
            "search_dependent": lambda room: self._made_below(DocumentKind.FINDINGS, room),
            "latest_text": self._latest_text,
            "text_summary": self._summaries,
            "current_task": self._task,
        }
        return fillers[tag](max(room, 0))

    def _book_design(self, room: int) -> Cut:
        design = self._stores.documents.latest(DocumentKind.BOOK_DESIGN)
        head = self._author_brief(int(room * _BRIEF_SHARE) if design else room)
        if design is None:
            return Cut(head)
        text = self._pruner.condense(design.text, self._place.unit_focus, room - self._count(head) - 2)
        return Cut(f"{head}\n\n{text}", frozenset([design.id]))

    def _author_brief(self, room: int) -> str:
        frame = self._count(materials.author_brief(self._brief, "", self._tools.locale))
        premise = self._pruner.condense(self._brief.premise, self._place.unit_focus, max(room - frame, LEAST))
        whole = materials.author_brief(self._brief, premise, self._tools.locale)
        return self._pruner.clip(whole, room)

    def _global_state(self, room: int) -> Cut:
        state = self._stores.documents.latest(DocumentKind.GLOBAL_STATE)
        if state is None:
            return Cut()
        return Cut(self._pruner.condense(state.text, self._place.unit_focus, room), frozenset([state.id]))

    def _once(self, tag: str, room: int, retrieve: Callable[[int], Cut]) -> Cut:
        """Retrieve for a unit once, so that all its activities have the same bytes."""
        unit = self._place.unit
        key = (tag, unit.key, unit.revision, room)
        known = self._tools.retrieved
        if key not in known:
            known[key] = retrieve(room)
        known.move_to_end(key)
        while len(known) > _KNOWN_UNITS:
            known.popitem(last=False)
        return known[key]

    def _designs_above(self, room: int) -> Cut:
        focus = self._place.unit_focus
        above = materials.designs_above(self._place, self._stores)
        own = self._pruner.evenly(above, focus, int(room * _ANCESTORS_SHARE))
        shown = [piece.node for piece in above if piece.document in own.sources]
        found = self._found_above(DocumentKind.DESIGN, shown)
        more = self._pruner.in_order(_pieces(found), focus, room - self._count(own.text) - 2)
        return _joined(own, more)

    def _findings_above(self, room: int) -> Cut:
        found = self._found_above(DocumentKind.FINDINGS, ())
        return self._pruner.in_order(_pieces(found), self._place.unit_focus, room)

    def _found_above(self, kind: DocumentKind, shown: Sequence[int]) -> list[Passage]:
        """Search what came before the unit in reading order; what is made in it or later has no part in this."""
        unit = self._place.unit
        if unit.parent is None:
            return []
        return self._tools.index.search(
            materials.queries(unit), [kind], RETRIEVED, exclude_nodes=shown, before=unit.order
        )

    def _tree(self, room: int) -> Cut:
        place = self._place
        return tree_view(place.node, place.unit, self._stores, room, self._count, self._tools.locale)

    def _made_below(self, kind: DocumentKind, room: int) -> Cut:
        made = Cut()
        for pieces, expected in materials.made_below(self._place, kind, self._stores):
            left = room - self._count(made.text) - 2
            made = _joined(made, self._pruner.growing(pieces, self._place.unit_focus, left, expected))
        return made

    def _latest_text(self, room: int) -> Cut:
        made = Cut()
        for leaf, prose in self._prose:
            left = room - self._count(made.text) - 2
            text = self._pruner.tail(prose.text, left)
            if not text:
                break
            made = _joined(Cut(text, frozenset([prose.id])), made)
            if paragraphs(text) != paragraphs(prose.text):
                break
            self._whole_leaves.add(leaf.key)
        return made

    def _summaries(self, room: int) -> Cut:
        place, focus = self._place, self._place.focus
        last = self._last_summary()
        pieces: list[Piece] = []
        if last is not None:
            text = self._pruner.condense(last.text, focus, int(room * _LAST_SUMMARY_SHARE))
            pieces.append(replace(last, text=text))
        shown = {*self._whole_leaves, *(piece.node for piece in pieces)}
        asked = dict.fromkeys([*materials.queries(place.node), *materials.queries(place.unit)])
        found = self._tools.index.search(
            list(asked), [DocumentKind.SUMMARY], RETRIEVED, exclude_nodes=shown, before=place.written_before
        )
        return self._pruner.in_order([*pieces, *_pieces(found)], focus, room)

    def _last_summary(self) -> Piece | None:
        """The summary of the unit right before, unless its whole prose is shown."""
        if not self._prose or self._prose[0][0].key in self._whole_leaves:
            return None
        return materials.summary_of(self._prose[0][0], self._stores)

    @cached_property
    def _prose(self) -> list[tuple[TaskNode, Document]]:
        return materials.latest_prose(self._place, self._stores)

    def _task(self, room: int) -> Cut:
        printed = ""
        for entries in _ENTRIES:
            printed = materials.printed_task(self._place, self._brief.length_unit, entries, self._tools.locale)
            if self._count(printed) <= room:
                return Cut(printed)
        return Cut(self._pruner.clip(printed, room))


def _pieces(passages: Sequence[Passage]) -> list[Piece]:
    return [materials.piece_of(passage) for passage in passages]


def _joined(first: Cut, second: Cut) -> Cut:
    text = "\n\n".join(part for part in (first.text, second.text) if part)
    return Cut(text, first.sources | second.sources)
