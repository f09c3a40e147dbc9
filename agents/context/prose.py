"""What stands before whoever writes a unit's prose: the order, how the book sounds, what is to happen, what to mind.

Source: DESIGN sections 9 and 10; C-13, C-26; S3-130.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from bookwright.agents.cards import book_card, node_card
from bookwright.agents.context import materials
from bookwright.agents.context.looking_back import LookingBack
from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.pruner import GAP, ContextPiece, Pruned, Pruner
from bookwright.agents.context.retrieval_cache import RetrievalCache
from bookwright.agents.relay.continuity import hint_lines
from bookwright.agents.relay.secrets.guard import Guard, OpenDesigns, guard_at, open_designs
from bookwright.agents.relay.times.setting import told_setting
from bookwright.agents.workflows import plans_in_brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.tree.depth import depth_under
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_part

_DESIGNS = ("book_design", "unit_designs")

_NEIGHBOURS = 5
"""Titles of units before this one that are told."""

_LEAST_PREMISE = 40
"""Tokens below which a part of a premise tells nothing."""


@dataclass(frozen=True)
class UnitPlace:
    """Where a unit stands among those of its kind."""

    number: int = 0
    """From 1; 0 for a book in one piece."""
    count: int = 0
    is_settled: bool = True
    """Whether there will be just so many, or about so many."""
    chapter: int = 0
    """The number of the chapter that the unit lies in; 0 for a chapter itself and what stands in its place."""
    before: tuple[str, ...] = ()
    """The titles of the last units before it, nearest last."""


@dataclass(frozen=True)
class ProseFilling:
    """Fills the components of the steps that write one unit's prose, held against what is kept from its writer."""

    kit: RetrievalCache
    place: ActivityPlace
    past: LookingBack

    def shows(self, tag: str) -> bool:
        """Whether a component has a place before this writer: the designs, or the brief that stands for them.

        Where the brief is a plan for the writer, the designs may stand beside it.
        """
        if tag in _DESIGNS:
            return bool(self._designs) and (self._brief_is_plan or self._writers_brief is None)
        return tag != "writers_brief" or not self._brief_is_plan

    @property
    def _brief_is_plan(self) -> bool:
        return plans_in_brief(self.kit.profile.name, depth_under(self.place.brief, self.place.unit.length))

    def fillers(self) -> dict[str, Callable[[int], Pruned]]:
        """Return what fills each component."""
        return {
            "order": self._order,
            "voice": lambda room: self._whole(DocumentKind.VOICE, room),
            "style_guide": lambda room: self._whole(DocumentKind.STYLE_GUIDE, room),
            "book_design": lambda room: self._page(self._designs.book, room),
            "unit_designs": self._unit_designs,
            "writers_brief": lambda room: self._page(self._writers_brief, room),
            "current_task": self._task,
            "search_dependent": self._findings,
            "hints": self._hints,
            "text_summary": self.past.summaries,
            "earlier_pages": self.past.earlier_pages,
        }

    def _order(self, room: int) -> Pruned:
        """The order for the book, whole but for a premise that has not room enough, and where the unit stands in it."""
        place = self.place
        book, stands = book_card(place.brief), _unit_place(place)

        def printed(premise: str) -> str:
            told = replace(book, premise=premise)
            return render_part("story/_book_order", place.locale, book=told, unit=node_card(place.unit), place=stands)

        left = room - self.kit.count(printed(""))
        if left < _LEAST_PREMISE:
            return Pruned(printed(""))
        premise = self.kit.short(place.brief.premise, left, place.stores)
        return Pruned(printed(self._pruner.condense(premise, left)))

    def _whole(self, kind: DocumentKind, room: int) -> Pruned:
        return self._page(self.place.stores.documents.latest(kind), room)

    def _page(self, document: Document | None, room: int) -> Pruned:
        if document is None:
            return Pruned()
        text = self._pruner.condense(document.text, room)
        return Pruned(text, frozenset([document.id]) if text else frozenset())

    def _unit_designs(self, room: int) -> Pruned:
        unit = self._designs.unit
        pieces = [materials.design_for_writer(own.document, own.task, self.place.locale) for own in unit]
        return self._pruner.evenly(pieces, room)

    def _task(self, room: int) -> Pruned:
        """The unit as it was planned, without the entries that tell what is kept back."""
        unit, kept = self.place.unit, self._kept
        open_points = () if self._writers_brief else unit.open_points  # a brief has settled them
        lists = (unit.instructions, unit.constraints, unit.acceptance_criteria, open_points)
        setting = "".join(kept((told_setting(unit.label, self.place.reading, self.place.locale),)))
        for most in (None, 8, 6, 4, 2, 1):
            happens, constraints, criteria, points = (kept(entries)[:most] for entries in lists)
            goal = "".join(kept((unit.goal,)))
            text = render_part(
                "story/_writers_task", self.place.locale, goal=goal, happens=happens, constraints=constraints,
                criteria=criteria, open_points=points, setting=setting,
            )  # fmt: skip
            if self.kit.count(text) <= room:
                return Pruned(text)
        return Pruned()

    def _kept(self, entries: tuple[str, ...]) -> tuple[str, ...]:
        """Return the entries that tell nothing of what is kept back."""
        return tuple(entry for entry in entries if not self._guard.violations(entry))

    def _findings(self, room: int) -> Pruned:
        """What was found out for the unit itself, and passages of what was found before that bear on it."""
        made = materials.findings_for_writer(self.place)
        own = self._pruner.evenly([self._clean(piece) for piece in made], room)
        left = room - self.kit.count(own.text) - 2
        return own.before(self.past.findings_before(left, self._clean))

    def _clean(self, piece: ContextPiece) -> ContextPiece:
        """Return a piece without the lines that tell what is kept back, with a mark where they stood."""
        kept: list[str] = []
        for line in piece.text.split("\n"):
            if not self._guard.violations(line):
                kept.append(line)
            elif kept[-1:] != [GAP]:
                kept.append(GAP)
        text = "\n".join(kept)
        return replace(piece, text=text if any(map(str.isalnum, text)) else "")

    def _hints(self, room: int) -> Pruned:
        place, unit = self.place, self.place.unit
        told = self._writers_brief.text if self._writers_brief else self._designs.plot_of(unit)
        sight = self.kit.director.sight(unit.label, place.stores.codex, place.brief, told=told or unit.goal)
        return Pruned("\n".join(self._pruner.fitting(hint_lines(sight, place.locale), room)))

    @cached_property
    def _pruner(self) -> Pruner:
        return Pruner(self.kit.count, self.place.unit_focus)

    @cached_property
    def _writers_brief(self) -> Document | None:
        return self.place.stores.documents.current(self.place.unit.key, DocumentKind.WRITERS_BRIEF)

    @cached_property
    def _designs(self) -> OpenDesigns:
        return open_designs(self.place.unit, self.place.stores, lambda: self._guard)

    @cached_property
    def _guard(self) -> Guard:
        return guard_at(self.place.stores, self.place.brief, self.place.unit)


def _unit_place(place: ActivityPlace) -> UnitPlace:
    """Return where a unit stands: a chapter in its book, a finer unit in what is right above it."""
    unit, above, nodes = place.unit, place.ancestors, place.stores.nodes
    if unit.parent is None:
        return UnitPlace()
    chapters = place.reading.chapters
    before = tuple(own.title for own in nodes.units_before(unit, _NEIGHBOURS, level=unit.level) if own.title)
    if unit.label in chapters and unit.depth > 1:
        number, count = chapters.index(unit.label) + 1, len(chapters)
        is_settled = all(own.is_last for own in (unit, *above[:-1]))
        return UnitPlace(number, _foreseen(number, count, above[-1], unit, is_settled), is_settled, before=before)
    siblings = nodes.child_units(above[0].key)
    number, is_settled = [own.key for own in siblings].index(unit.key) + 1, siblings[-1].is_last
    chapter = 0 if unit.label in chapters else place.reading.chapter_of(unit.label)
    count = _foreseen(number, len(siblings), above[0], unit, is_settled)
    return UnitPlace(number, count, is_settled, chapter, before)


def _foreseen(number: int, count: int, above: TaskNode, unit: TaskNode, is_settled: bool) -> int:
    """How many there are, or will be if all that the unit above holds is as long as this one."""
    if is_settled:
        return count
    likely = round((above.length or 1) / max(unit.length or 1, 1))
    return max(likely, count, number + 1)
