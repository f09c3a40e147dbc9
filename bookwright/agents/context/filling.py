"""Fills the components of one activity's context, each within its room."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from bookwright.agents.context import materials
from bookwright.agents.context.components import TREE_WITH_TASKS, Component
from bookwright.agents.context.condensing import name_of
from bookwright.agents.context.fisheye import task_view, tree_view, unit_view
from bookwright.agents.context.materials import Place
from bookwright.agents.context.pruner import GAP, LEAST, Cut, Piece, Pruner
from bookwright.agents.relay.continuity import ContinuityDirector, hint_lines
from bookwright.agents.relay.pieces import secrets_in_force
from bookwright.models.brief import Brief
from bookwright.models.codex import Secret
from bookwright.models.document import Document, DocumentKind
from bookwright.models.plan import TaskType
from bookwright.models.profile import Profile
from bookwright.models.prose import paragraphs
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.prompts.render import render_secrets
from bookwright.storage.knowledge import KnowledgeIndex
from bookwright.storage.passages import Passage
from bookwright.storage.stores import Stores

RETRIEVED = 30
"""Passages asked of the index for one component, at least. Source: DETAILS, "Context values"."""

_MOST_RETRIEVED = 400
_TOKENS_A_PASSAGE = 60
"""A passage has seldom fewer, so a large room asks for as many as it could hold."""

_BRIEF_SHARE = 0.5
"""Of the book's design, where there is one already."""

_ANCESTORS_SHARE = 0.6
"""Of the designs above: the units' own before what retrieval adds."""

_LAST_SUMMARY_SHARE = 0.35
"""Of the summaries: that of the unit right before."""

_TASKS_SHARE = 0.35
"""Of the task in hand: the list of its unit's tasks."""

_KNOWN_UNITS = 32

_LEAVES, _MOST_LEAVES = 3, 12
"""Units whose prose may stand in `latest_text`, where each is short; and where prompts have much room."""

_ROOMY = 20_000
"""Tokens of a writer's prompt from which on there is much room."""

_ENTRIES = (None, 4, 2, 1, 0)
"""Entries of each of a task's lists; the first number that fits is taken."""


@dataclass
class Tools:
    """What all activities of a book fill their contexts with."""

    index: KnowledgeIndex
    count: Callable[[str], int]
    locale: str
    profile: Profile
    director: ContinuityDirector = field(default_factory=ContinuityDirector)
    retrieved: OrderedDict[tuple[Hashable, ...], Cut] = field(default_factory=OrderedDict)
    """What was retrieved once for a unit, by component, unit, revision, room and what else it hung on."""
    replaced: int = 0
    """How many times texts had been replaced when that was retrieved."""

    def forget_before(self, replaced: int) -> None:
        """Let go of what was retrieved if texts have been replaced since."""
        if replaced != self.replaced:
            self.retrieved.clear()
            self.replaced = replaced

    @property
    def pruner(self) -> Pruner:
        """Cuts by this book's token counts."""
        return Pruner(self.count)


class Filling:
    """Fills the components of one activity.

    `latest_text` comes before `text_summary`, which adds to it, and that before `more_summary`.
    """

    def __init__(self, tools: Tools, place: Place, stores: Stores, brief: Brief) -> None:
        self._tools = tools
        self._count = tools.count
        self._pruner = tools.pruner
        self._place = place
        self._stores = stores
        self._brief = brief
        self._whole_leaves: set[int] = set()
        """Units whose whole prose stands in `latest_text`."""
        self._told = ""
        """What stands in `text_summary`."""
        self._has_unit_tree = False
        """Whether `overall_planning` ends with the unit, so that its tasks stand with the task in hand."""

    def fill(self, component: Component, room: int) -> Cut:
        """Return a component's text, at most `room` tokens of it, and the documents in it."""
        fillers: dict[str, Callable[[int], Cut]] = {
            "book_level_design": self._book_design,
            "global_state_summary": self._global_state,
            "upper_level_design": lambda room: self._once("upper_level_design", room, self._designs_above),
            "upper_level_search": lambda room: self._once("upper_level_search", room, self._findings_above),
            "overall_planning": self._tree if component is TREE_WITH_TASKS else self._unit_tree,
            "design_dependent": lambda room: self._made_below(DocumentKind.DESIGN, room),
            "search_dependent": lambda room: self._made_below(DocumentKind.FINDINGS, room),
            "latest_text": self._latest_text,
            "text_summary": self._summaries,
            "more_summary": self._more_summaries,
            "current_task": self._task,
            "writers_brief": self._writers_brief,
            "hints": self._hints,
            "style_guide": self._style_guide,
            "secrets": self._secrets,
        }
        return fillers[component.tag](max(room, 0))

    def _book_design(self, room: int) -> Cut:
        design = self._stores.documents.latest(DocumentKind.BOOK_DESIGN)
        head = self._author_brief(int(room * _BRIEF_SHARE) if design else room)
        if design is None:
            return Cut(head)
        left = room - self._count(head) - 2
        return Cut(f"{head}\n\n{self._design_within(design.text, left)}", frozenset([design.id]))

    def _design_within(self, design: str, room: int) -> str:
        """Return the design whole, or its gist for everybody and the sentences that bear on this unit."""
        gist = self._short(design, room)
        if gist == design:
            return self._pruner.condense(design, self._place.unit_focus, room)
        gist = self._pruner.condense(gist, self._place.unit_focus, room)
        left = room - self._count(gist) - 4
        rest = _without_lines(design, gist)
        more = self._pruner.condense(rest, self._place.unit_focus, left) if left >= LEAST else ""
        return f"{gist}\n\n{GAP}\n\n{more}" if more else gist

    def _author_brief(self, room: int) -> str:
        frame = self._count(materials.author_brief(self._brief, "", self._tools.locale))
        short = self._short(self._brief.premise, room - frame)
        premise = self._pruner.condense(short, self._place.unit_focus, max(room - frame, LEAST))
        whole = materials.author_brief(self._brief, premise, self._tools.locale)
        return self._pruner.clip(whole, room)

    def _short(self, text: str, room: int) -> str:
        """Return what a model made of a text that does not fit, or the text itself."""
        if self._count(text) <= room or not self._tools.profile.condenses:
            return text
        return self._stores.steps.answer(Activity.CONDENSE, name_of(text, self._tools.profile)) or text

    def _global_state(self, room: int) -> Cut:
        state = materials.state_for(self._place, self._stores)
        if state is None:
            return Cut()
        return Cut(self._pruner.condense(state.text, self._place.unit_focus, room), frozenset([state.id]))

    def _once(self, tag: str, room: int, retrieve: Callable[[int], Cut], *more: Hashable) -> Cut:
        """Retrieve for a unit once, so that all its activities have the same bytes."""
        unit = self._place.unit
        key = (tag, unit.key, unit.revision, room, *self._questions, *more)
        known = self._tools.retrieved
        if key not in known:
            known[key] = retrieve(room)
        known.move_to_end(key)
        while len(known) > _KNOWN_UNITS:
            known.popitem(last=False)
        return known[key]

    def _designs_above(self, room: int) -> Cut:
        focus = self._place.unit_focus
        above = materials.designs_above(self._place, self._stores, self._tools.locale)
        own = self._pruner.evenly(above, focus, int(room * _ANCESTORS_SHARE))
        shown = [piece.node for piece in above if piece.document in own.sources]
        found = self._found_above(DocumentKind.DESIGN, shown, room)
        more = self._pruner.in_order(self._pieces(found), focus, room - self._count(own.text) - 2)
        return _joined(own, more)

    def _findings_above(self, room: int) -> Cut:
        found = self._found_above(DocumentKind.FINDINGS, (), room)
        return self._pruner.in_order(self._pieces(found), self._place.unit_focus, room)

    def _found_above(self, kind: DocumentKind, shown: Sequence[int], room: int) -> list[Passage]:
        """Search what came before the unit in reading order; what is made in it or later has no part in this."""
        unit = self._place.unit
        if unit.parent is None:
            return []
        asked = [*self._questions, *materials.queries(unit)]
        return self._tools.index.search(
            asked, [kind], _count_for(room), exclude_nodes=shown, before=unit.order, known=self._people
        )

    def _tree(self, room: int) -> Cut:
        place = self._place
        return tree_view(place.node, place.unit, self._stores, room, self._count, self._tools.locale)

    def _unit_tree(self, room: int) -> Cut:
        self._has_unit_tree = True
        place = self._place
        return unit_view(place.node, place.unit, self._stores, room, self._count, self._tools.locale)

    def _made_below(self, kind: DocumentKind, room: int) -> Cut:
        made = Cut()
        for pieces, expected in materials.made_below(self._place, kind, self._stores, self._tools.locale):
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
        before = tuple(prose.id for _, prose in self._prose)  # more with each part of a unit that is being divided
        hangs_on = (self._place.written_before, frozenset(self._whole_leaves), before)
        cut = self._once("text_summary", room, self._summaries_for_unit, *hangs_on)
        self._told = cut.text
        return cut

    def _summaries_for_unit(self, room: int) -> Cut:
        focus = self._place.unit_focus
        last = self._last_summary()
        pieces: list[Piece] = []
        if last is not None:
            text = self._pruner.condense(last.text, focus, int(room * _LAST_SUMMARY_SHARE))
            pieces.append(replace(last, text=text))
        asked = [*self._questions, *materials.queries(self._place.unit)]
        found = self._happened(asked, room, {piece.node for piece in pieces})
        return self._pruner.in_order([*pieces, *self._pieces(found)], focus, room)

    def _more_summaries(self, room: int) -> Cut:
        """What a task of the unit asks for by itself and what is told to all of them does not hold."""
        if self._place.node.is_unit:
            return Cut()
        found = self._happened(materials.queries(self._place.node), room)
        fresh = [passage for passage in found if passage.text not in self._told]
        return self._pruner.in_order(self._pieces(fresh), self._place.focus, room)

    def _happened(self, asked: Sequence[str], room: int, shown: Collection[int] = ()) -> list[Passage]:
        """Search what was written before the place, but for what is shown in full or stands elsewhere."""
        unfinished = (unit.key for unit in self._place.ancestors)  # when this one was begun, though not when made again
        return self._tools.index.search(
            list(dict.fromkeys(asked)), [DocumentKind.SUMMARY], _count_for(room),
            exclude_nodes={*self._whole_leaves, *shown, *unfinished}, before=self._place.written_before,
            known=self._people,
        )  # fmt: skip

    def _last_summary(self) -> Piece | None:
        """The summary of the unit right before, unless its whole prose is shown."""
        if not self._prose or self._prose[0][0].key in self._whole_leaves:
            return None
        return materials.summary_of(self._prose[0][0], self._stores, self._tools.locale)

    @cached_property
    def _questions(self) -> list[str]:
        return materials.questions(self._place.unit, self._stores)

    @cached_property
    def _people(self) -> tuple[str, ...]:
        return materials.people(self._stores)

    @cached_property
    def _prose(self) -> list[tuple[TaskNode, Document]]:
        is_roomy = self._tools.profile.context_budget["writer"] >= _ROOMY
        return materials.latest_prose(self._place, self._stores, _MOST_LEAVES if is_roomy else _LEAVES)

    def _pieces(self, passages: Sequence[Passage]) -> list[Piece]:
        return [materials.piece_of(passage, self._tools.locale) for passage in passages]

    def _writers_brief(self, room: int) -> Cut:
        brief = self._stores.documents.current(self._place.unit.key, DocumentKind.WRITERS_BRIEF)
        if brief is None:
            return Cut()
        return Cut(self._pruner.condense(brief.text, self._place.unit_focus, room), frozenset([brief.id]))

    def _hints(self, room: int) -> Cut:
        brief = self._stores.documents.current(self._place.unit.key, DocumentKind.WRITERS_BRIEF)
        told = brief.text if brief else self._place.unit.goal
        sight = self._tools.director.sight(self._place.unit.label, self._stores, self._brief, told=told)
        return Cut(self._pruner.fitting(hint_lines(sight, self._tools.locale), room))

    @property
    def is_hiding(self) -> bool:
        """Whether the book keeps something from its readers where the unit stands."""
        return bool(self._kept)

    @property
    def tells_secrets(self) -> bool:
        """Whether the steps are told; who looks something up is not, as what they ask may leave the house."""
        return self.is_hiding and self._place.node.task_type is not TaskType.SEARCH

    @cached_property
    def _kept(self) -> list[Secret]:
        codex, at = self._stores.codex, self._place.unit.label
        return secrets_in_force(codex.secrets(), at, codex.reading_order()) if codex.secrets() else []

    def _secrets(self, room: int) -> Cut:
        """The secrets in force, the gravest first, as many as fit."""
        shown: list[Secret] = []
        text = ""
        for secret in self._kept:
            more = render_secrets([*shown, secret], self._tools.locale)
            if self._count(more) <= room:
                shown, text = [*shown, secret], more
        return Cut(text)

    def _style_guide(self, room: int) -> Cut:
        guide = self._stores.documents.latest(DocumentKind.STYLE_GUIDE)
        if guide is None:
            return Cut()
        return Cut(self._pruner.fitting(guide.text.splitlines(), room), frozenset([guide.id]))

    def _task(self, room: int) -> Cut:
        printed, tasks = "", self._tasks(int(room * _TASKS_SHARE))
        for entries in _ENTRIES:
            printed = materials.printed_task(self._place, self._brief.length_unit, entries, tasks, self._tools.locale)
            if self._count(printed) <= room:
                return Cut(printed)
        return Cut(self._pruner.clip(printed, room))

    def _tasks(self, room: int) -> str:
        """What is not done of the unit's tasks, where the tree ends with the unit."""
        place = self._place
        if not self._has_unit_tree:
            return ""
        return task_view(place.node, place.unit, self._stores, room, self._count, self._tools.locale)


def _without_lines(text: str, shown: str) -> str:
    """Return a text without the lines that stand in another one already, whatever their bullets."""
    there = {line.lstrip("-* ") for line in shown.splitlines() if line.strip()}
    return "\n".join(line for line in text.splitlines() if line.lstrip("-* ") not in there)


def _count_for(room: int) -> int:
    """How many passages a room of so many tokens could hold, within bounds."""
    return min(max(room // _TOKENS_A_PASSAGE, RETRIEVED), _MOST_RETRIEVED)


def _joined(first: Cut, second: Cut) -> Cut:
    text = "\n\n".join(part for part in (first.text, second.text) if part)
    return Cut(text, first.sources | second.sources)
