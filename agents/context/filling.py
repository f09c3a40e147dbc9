"""Fills the components of one activity's context, each within its room."""

from collections.abc import Callable, Sequence
from functools import cached_property

from bookwright.agents.context import materials
from bookwright.agents.context.components import CODEX, SECRETS, THREADS, TREE_WITH_TASKS, Component
from bookwright.agents.context.fisheye import task_view, tree_view
from bookwright.agents.context.looking_back import LookingBack
from bookwright.agents.context.place import ActivityPlace
from bookwright.agents.context.prose import ProseFilling
from bookwright.agents.context.pruner import GAP, LEAST, Pruned, Pruner
from bookwright.agents.context.retrieval_cache import RetrievalCache
from bookwright.agents.context.shortfall import Shortfall
from bookwright.agents.relay.registers import place_of_plan, planned_entries, planned_secrets, planned_threads
from bookwright.agents.relay.times.setting import told_setting
from bookwright.models.document import DocumentKind
from bookwright.models.tree.place import hierarchical_position
from bookwright.prompts.render import render_no_room, render_part

_BRIEF_SHARE = 0.5
"""Of the book's design, where there is one already."""

_OPTIONAL = frozenset(
    ("text_summary", "more_summary", "global_state_summary", "upper_level_search", "search_dependent", "threads")
)
"""Past summaries, reference material and threads: what fails of them is left out, with a warning. Source: S2-074."""

_TASKS_SHARES = (0.35, 0.15, 0.0)
"""Of the task in hand: the list of its unit's tasks; the first share that leaves the task its room is taken."""


class Filling:
    """Fills the components of one activity, in the order of their turns: what comes later adds to what came before."""

    def __init__(self, kit: RetrievalCache, place: ActivityPlace, shortfall: Shortfall) -> None:
        self._kit = kit
        self._count = kit.count
        self._pruner = Pruner(kit.count, place.unit_focus)
        self._place = place
        self._shortfall = shortfall
        self._past = LookingBack(kit, place, shortfall)
        is_prose = place.is_for_writer and not kit.profile.is_small
        self._prose = ProseFilling(kit, place, self._past) if is_prose else None
        self._has_unit_tree = False
        """Whether `overall_planning` ends with the unit, so that its tasks stand with the task in hand."""

    def chosen(self, components: Sequence[Component]) -> tuple[Component, ...]:
        """Return the components that have a place here: designs, or a brief that stands for them."""
        return tuple(own for own in components if self._prose is None or self._prose.shows(own.tag))

    def fill(self, component: Component, room: int, own: int | None = None) -> Pruned:
        """Return a component's text, at most `room` tokens of it, and the documents in it.

        `own` is its own part of that room, where the others have left some of theirs. One that may be done without
        is empty where it fails.
        """
        if component.tag in _OPTIONAL:
            return self._shortfall.without(component.tag, lambda: self._filled(component, room, own), Pruned())
        return self._filled(component, room, own)

    def _filled(self, component: Component, room: int, own: int | None) -> Pruned:
        if component.tag == "latest_text":
            return self._past.latest_text(max(room, 0), own)
        fillers = self._prose.fillers() if self._prose else self._fillers(component)
        return fillers[component.tag](max(room, 0))

    def _fillers(self, component: Component) -> dict[str, Callable[[int], Pruned]]:
        return {
            "book_level_design": self._book_design,
            "global_state_summary": self._global_state,
            "upper_level_design": self._past.designs_above,
            "upper_level_search": self._past.findings_above,
            "overall_planning": lambda room: self._tree(room, has_tasks=component is TREE_WITH_TASKS),
            "design_dependent": lambda room: self._made_below(DocumentKind.DESIGN, room),
            "search_dependent": lambda room: self._made_below(DocumentKind.FINDINGS, room),
            "text_summary": self._past.summaries,
            "more_summary": self._past.more_summaries,
            "current_task": self._task,
            "codex": self._codex,
            "threads": self._threads,
            "secrets": self._secrets,
        }

    def _book_design(self, room: int) -> Pruned:
        design = self._place.stores.documents.latest(DocumentKind.BOOK_DESIGN)
        made = Pruned(self._author_brief(int(room * _BRIEF_SHARE) if design else room))
        if design:
            left = room - self._count(made.text) - 2
            made = Pruned(f"{made.text}\n\n{self._design_within(design.text, left)}", frozenset([design.id]))
        self._past.has_printed(made.text)
        return made

    def _design_within(self, design: str, room: int) -> str:
        """Return the design whole, or its gist for everybody and the sentences that bear on this unit."""
        gist = self._kit.short(design, room, self._place.stores)
        if gist == design:
            return self._pruner.condense(design, room)
        gist = self._pruner.condense(gist, room)
        left = room - self._count(gist) - 4
        rest = _without_lines(design, gist)
        more = self._pruner.condense(rest, left) if left >= LEAST else ""
        return f"{gist}\n\n{GAP}\n\n{more}" if more else gist

    def _author_brief(self, room: int) -> str:
        frame = self._count(materials.author_brief(self._place, ""))
        short = self._kit.short(self._place.brief.premise, room - frame, self._place.stores)
        premise = self._pruner.condense(short, max(room - frame, LEAST))
        whole = materials.author_brief(self._place, premise)
        return self._pruner.condense(whole, room)

    def _global_state(self, room: int) -> Pruned:
        state = materials.state_for(self._place)
        return Pruned(self._pruner.condense(state.text, room), frozenset([state.id])) if state else Pruned()

    def _tree(self, room: int, *, has_tasks: bool) -> Pruned:
        self._has_unit_tree = not has_tasks
        return tree_view(self._place, room, self._count, has_tasks=has_tasks)

    def _made_below(self, kind: DocumentKind, room: int) -> Pruned:
        made = Pruned()
        for pieces, expected in materials.made_below(self._place, kind):
            left = room - self._count(made.text) - 2
            made = made.before(self._pruner.growing(pieces, left, expected))
        return made

    @property
    def registers(self) -> tuple[Component, ...]:
        """The registers that hold anything, whether this activity is shown them or not."""
        codex = self._place.stores.codex
        has = {CODEX: codex.entries(), THREADS: codex.threads(), SECRETS: codex.secrets()}
        return tuple(component for component, records in has.items() if records)

    @cached_property
    def _at(self) -> str:
        return place_of_plan(self._place.unit.label, self._place.reading, is_dividing=self._place.is_dividing)

    def _codex(self, room: int) -> Pruned:
        """Who and what is on record, those whom the unit names first."""
        entries = planned_entries(self._place.stores.codex, self._at, self._place.plan_words)
        return self._listed([render_part("story/_codex", self._place.locale, entries=[own]) for own in entries], room)

    def _threads(self, room: int) -> Pruned:
        """The threads, what is to be done here first."""
        threads = planned_threads(self._place.stores.codex.threads(), self._at, self._place.reading)
        return self._listed([render_part("story/_threads", self._place.locale, threads=[own]) for own in threads], room)

    def _secrets(self, room: int) -> Pruned:
        """The secrets, what is to come out here first, then the gravest."""
        secrets = planned_secrets(self._place.stores.codex.secrets(), self._at, self._place.reading)
        return self._listed([render_part("story/_secrets", self._place.locale, secrets=[own]) for own in secrets], room)

    def _listed(self, entries: list[str], room: int) -> Pruned:
        """Return the entries that fit, each whole or not at all, and say how many do not."""
        left = room - self._count(render_no_room(len(entries), self._place.locale)) - 1
        kept = self._pruner.fitting(entries, left)
        missing = len(entries) - len(kept)
        return Pruned("\n".join([*kept, *([render_no_room(missing, self._place.locale)] if kept and missing else [])]))

    def _task(self, room: int) -> Pruned:
        """The task in hand: whole if it fits, else without its unit's other tasks, else with fewer entries."""
        place = self._place
        position = hierarchical_position(place.unit, place.ancestors, place.reading, place.brief.language)
        setting = told_setting(place.unit.label, place.reading, place.locale)
        for share in _TASKS_SHARES:
            printed = materials.printed_task(place, position, setting, 0, self._tasks(int(room * share)))
            if self._count(printed) <= room:
                return Pruned(printed)
        for left_out in range(1, materials.entries_of(place) + 1):
            printed = materials.printed_task(place, position, setting, left_out, "")
            if self._count(printed) <= room:
                break
        return Pruned(Pruner(self._count, place.focus).condense(printed, room))

    def _tasks(self, room: int) -> str:
        """What is not done of the unit's tasks, where the tree ends with the unit."""
        return task_view(self._place, room, self._count) if self._has_unit_tree and room else ""


def _without_lines(text: str, shown: str) -> str:
    """Return a text without the lines that stand in another one already, whatever their bullets."""
    there = {line.lstrip("-* ") for line in shown.splitlines() if line.strip()}
    return "\n".join(line for line in text.splitlines() if line.lstrip("-* ") not in there)
