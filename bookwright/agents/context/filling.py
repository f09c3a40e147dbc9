"""Fills the components of one activity's context, each within its room."""

from collections.abc import Callable
from functools import cached_property

from bookwright.agents.context import materials
from bookwright.agents.context.components import TREE_WITH_TASKS, Component
from bookwright.agents.context.condensing import name_of
from bookwright.agents.context.fisheye import task_view, tree_view, unit_view
from bookwright.agents.context.kit import Kit
from bookwright.agents.context.looking_back import LookingBack
from bookwright.agents.context.materials import Place
from bookwright.agents.context.pruner import GAP, LEAST, Cut
from bookwright.agents.relay.continuity import hint_lines
from bookwright.agents.relay.pieces import secrets_in_force
from bookwright.models.brief import Brief
from bookwright.models.codex import Secret
from bookwright.models.document import DocumentKind
from bookwright.models.plan import TaskType
from bookwright.models.step import Activity
from bookwright.prompts.render import render_secrets
from bookwright.storage.stores import Stores

_BRIEF_SHARE = 0.5
"""Of the book's design, where there is one already."""

_TASKS_SHARES = (0.35, 0.15, 0.0)
"""Of the task in hand: the list of its unit's tasks; the first share that leaves the task its room is taken."""


class Filling:
    """Fills the components of one activity, in the order of their turns: what comes later adds to what came before."""

    def __init__(self, kit: Kit, place: Place, stores: Stores, brief: Brief) -> None:
        self._kit = kit
        self._count = kit.count
        self._pruner = kit.pruner
        self._place = place
        self._stores = stores
        self._brief = brief
        self._past = LookingBack(kit, place, stores)
        self._has_unit_tree = False
        """Whether `overall_planning` ends with the unit, so that its tasks stand with the task in hand."""

    def fill(self, component: Component, room: int) -> Cut:
        """Return a component's text, at most `room` tokens of it, and the documents in it."""
        fillers: dict[str, Callable[[int], Cut]] = {
            "book_level_design": self._book_design,
            "global_state_summary": self._global_state,
            "upper_level_design": self._past.designs_above,
            "upper_level_search": self._past.findings_above,
            "overall_planning": self._tree if component is TREE_WITH_TASKS else self._unit_tree,
            "design_dependent": lambda room: self._made_below(DocumentKind.DESIGN, room),
            "search_dependent": lambda room: self._made_below(DocumentKind.FINDINGS, room),
            "latest_text": self._past.latest_text,
            "text_summary": self._past.summaries,
            "more_summary": self._past.more_summaries,
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
        frame = self._count(materials.author_brief(self._brief, "", self._kit.locale))
        short = self._short(self._brief.premise, room - frame)
        premise = self._pruner.condense(short, self._place.unit_focus, max(room - frame, LEAST))
        whole = materials.author_brief(self._brief, premise, self._kit.locale)
        return self._pruner.condense(whole, self._place.unit_focus, room)

    def _short(self, text: str, room: int) -> str:
        """Return what a model made of a text that does not fit, or the text itself."""
        if self._count(text) <= room or not self._kit.profile.condenses:
            return text
        return self._stores.steps.answer(Activity.CONDENSE, name_of(text, self._kit.profile)) or text

    def _global_state(self, room: int) -> Cut:
        state = materials.state_for(self._place, self._stores)
        if state is None:
            return Cut()
        return Cut(self._pruner.condense(state.text, self._place.unit_focus, room), frozenset([state.id]))

    def _tree(self, room: int) -> Cut:
        place = self._place
        return tree_view(place.node, place.unit, self._stores, room, self._count, self._kit.locale)

    def _unit_tree(self, room: int) -> Cut:
        self._has_unit_tree = True
        place = self._place
        return unit_view(place.node, place.unit, self._stores, room, self._count, self._kit.locale)

    def _made_below(self, kind: DocumentKind, room: int) -> Cut:
        made = Cut()
        for pieces, expected in materials.made_below(self._place, kind, self._stores, self._kit.locale):
            left = room - self._count(made.text) - 2
            made = made.before(self._pruner.growing(pieces, self._place.unit_focus, left, expected))
        return made

    def _writers_brief(self, room: int) -> Cut:
        brief = self._stores.documents.current(self._place.unit.key, DocumentKind.WRITERS_BRIEF)
        if brief is None:
            return Cut()
        return Cut(self._pruner.condense(brief.text, self._place.unit_focus, room), frozenset([brief.id]))

    def _hints(self, room: int) -> Cut:
        brief = self._stores.documents.current(self._place.unit.key, DocumentKind.WRITERS_BRIEF)
        told = brief.text if brief else self._place.unit.goal
        sight = self._kit.director.sight(self._place.unit.label, self._stores, self._brief, told=told)
        return Cut(self._pruner.fitting(hint_lines(sight, self._kit.locale), room))

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
            more = render_secrets([*shown, secret], self._kit.locale)
            if self._count(more) <= room:
                shown, text = [*shown, secret], more
        return Cut(text)

    def _style_guide(self, room: int) -> Cut:
        guide = self._stores.documents.latest(DocumentKind.STYLE_GUIDE)
        if guide is None:
            return Cut()
        return Cut(self._pruner.fitting(guide.text.splitlines(), room), frozenset([guide.id]))

    def _task(self, room: int) -> Cut:
        """The task in hand: whole if it fits, else without its unit's other tasks, else with fewer entries."""
        for share in _TASKS_SHARES:
            printed = self._printed_task(0, self._tasks(int(room * share)))
            if self._count(printed) <= room:
                return Cut(printed)
        for left_out in range(1, materials.entries_of(self._place) + 1):
            printed = self._printed_task(left_out, "")
            if self._count(printed) <= room:
                break
        return Cut(self._pruner.condense(printed, self._place.focus, room))

    def _printed_task(self, left_out: int, tasks: str) -> str:
        return materials.printed_task(self._place, self._brief.length_unit, left_out, tasks, self._kit.locale)

    def _tasks(self, room: int) -> str:
        """What is not done of the unit's tasks, where the tree ends with the unit."""
        place = self._place
        if not self._has_unit_tree or not room:
            return ""
        return task_view(place.node, place.unit, self._stores, room, self._count, self._kit.locale)


def _without_lines(text: str, shown: str) -> str:
    """Return a text without the lines that stand in another one already, whatever their bullets."""
    there = {line.lstrip("-* ") for line in shown.splitlines() if line.strip()}
    return "\n".join(line for line in text.splitlines() if line.lstrip("-* ") not in there)
