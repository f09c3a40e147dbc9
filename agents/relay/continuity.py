"""The continuity director: gathers what one unit's writer may know of codex, threads and the story so far.

Source: DESIGN section 10, item 1; REQUIREMENTS S2-016 to S2-039, S2-067 to S2-074.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from bookwright.agents.context.shortfall import FAILURES, Shortfall, in_short
from bookwright.agents.relay.history.codex_then import CodexReader
from bookwright.agents.relay.leaks.folding import Folded, fold
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.agents.relay.scene import SceneIdentifier, scene_of
from bookwright.agents.relay.secrets.guard import guard_at, plot_of
from bookwright.agents.relay.secrets.kept import ForbiddenKeywords, kept_of
from bookwright.agents.relay.secrets.matching import Matcher
from bookwright.agents.relay.secrets.public import Public, named_by, order_of
from bookwright.agents.relay.secrets.visibility import (
    Hint,
    KnownFact,
    VisibleCodex,
    VisibleEntry,
    collect_hints,
    filter_codex,
)
from bookwright.agents.relay.threads.instructions import ORDERS, ForeshadowInstruction, Reveal, instruct, reveals_at
from bookwright.models.brief import Brief
from bookwright.models.codex.entries import EntryKind
from bookwright.models.document import Document, DocumentKind
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.render import render_part
from bookwright.storage.index.ranking import terms
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class CodexSight:
    """The codex and the threads as they stand for one unit."""

    codex: VisibleCodex = field(default_factory=VisibleCodex)
    orders: tuple[ForeshadowInstruction, ...] = ()
    """For every thread, those with nothing to do included."""
    reveals: tuple[Reveal, ...] = ()
    """Secrets that are to come out in this very unit."""
    hints: tuple[Hint, ...] = ()
    keywords: ForbiddenKeywords = field(default_factory=ForbiddenKeywords)

    @property
    def due(self) -> tuple[ForeshadowInstruction, ...]:
        """What is to be paid off, planted and brought back here, in that order; hints stand among the hints."""
        return tuple(order for act in ORDERS for order in self.orders if order.action is act)


@dataclass(frozen=True)
class FilteredContext:
    """Plot, past, people and world as the unit's writer may know them; empty where there is nothing."""

    scene_id: str
    current_phase: str | None = None
    plot_l1: str = ""
    """The whole book: its order, without what is secret."""
    plot_l2: str = ""
    """The unit above."""
    plot_l3: str = ""
    """The unit itself: its writer's brief."""
    summary_l1: str = ""
    """The story so far."""
    summary_l2: str = ""
    """The last larger unit."""
    summary_l3: str = ""
    """The unit right before."""
    characters: dict[str, VisibleEntry] = field(default_factory=dict)
    world_settings: dict[str, VisibleEntry] = field(default_factory=dict)
    style_guide: str = ""


@dataclass(frozen=True)
class ContextBuildResult:
    """The Relay's context of one unit."""

    scene: SceneIdentifier
    context: FilteredContext
    visibility_context: VisibleCodex
    """With `excluded_sections`, which are for the reviewer."""
    foreshadow_instructions: tuple[ForeshadowInstruction, ...] = ()
    forbidden_keywords: tuple[str, ...] = ()
    """Of all sources, for the reviewer; a writer reads `CodexSight.keywords.shown`."""
    hints: tuple[Hint, ...] = ()
    errors: tuple[str, ...] = ()
    """Why the unit cannot be written so."""
    warnings: tuple[str, ...] = ()
    """What is missing that it can be written without."""


MAX_CACHE_SIZE = 128
"""Entries of each cache, by scene. Source: S2-067."""

_MOST_FACTS = 8
_FRESH = 3
"""Chapters for which what came out stays before every writer; after that it comes back with whom it is about."""
_ALIKE = 2
"""Words of a fact in what is to happen that bring it back."""

_Value = TypeVar("_Value")


class _Cache(OrderedDict[str, tuple[object, object]]):
    """Keeps what was made last for a scene, as long as what it was made of stands."""

    def get_or_make(self, key: str, made_of: object, make: Callable[[], _Value]) -> _Value:
        known = self.get(key)
        if known is None or known[0] != made_of:
            self[key] = known = (made_of, make())
        self.move_to_end(key)
        while len(self) > MAX_CACHE_SIZE:
            self.popitem(last=False)
        return known[1]  # type: ignore[return-value]  # a cache holds one kind of value


class ContinuityDirector:
    """Builds the Relay's context of the units of one book; what it made for a scene it makes once."""

    def __init__(self) -> None:
        self._instructions, self._forbidden_results = _Cache(), _Cache()

    def build_context(self, unit: TaskNode, stores: Stores, brief: Brief) -> ContextBuildResult:
        """Return all that a unit's writer may know beside its brief, and what was not to be found.

        What cannot be done without is an error, anything else that is missing or fails a warning; it goes on with
        what there is in either case.
        """
        scene, sight, shortfall = SceneIdentifier(unit.label), CodexSight(), Shortfall()
        context, errors = FilteredContext(scene_id=scene.key), list[str]()
        try:
            scene = scene_of(unit.label, stores.codex.reading_order())
            plot = plot_of(unit, stores, brief)
            errors += [] if plot else [f"Plot L3 not found for {scene}"]
            sight = self.sight(unit.label, stores.codex, brief, told=plot or None, shortfall=shortfall)
            context = _filtered(unit, stores, brief, scene, plot, sight, shortfall)
        except FAILURES as error:
            errors.append(f"Context integration failed: {in_short(error)}")
        return ContextBuildResult(
            scene=scene, context=context, visibility_context=sight.codex, foreshadow_instructions=sight.orders,
            forbidden_keywords=sight.keywords.all, hints=sight.hints, errors=tuple(errors), warnings=shortfall.warnings,
        )  # fmt: skip

    def sight(
        self, at: str, of: CodexReader, brief: Brief, story_now: StoryTime | None = None, *,
        told: str | None = None, shortfall: Shortfall | None = None,
    ) -> CodexSight:  # fmt: skip
        """Return what the writer of the unit `at` may know of the codex.

        `told` is what is to happen there: who or what it does not name is left out. Without it all is shown. Orders
        for threads, hints and lists of words that fail are left out, and the `shortfall` says so; what is kept back
        is kept all the same.
        """
        shortfall = shortfall or Shortfall()
        secrets, threads, entries = of.secrets(), of.threads(), of.entries()
        if not (secrets or threads or entries or brief.forbidden_keywords):
            return CodexSight()
        reading, seen = of.reading_order(), of.seen_at(at, story_now)
        kept = kept_of(seen, secrets, threads, at, reading, brief.forbidden_keywords)
        matcher = Matcher(kept.withheld, Public(order=order_of(brief), named=named_by(brief)))
        codex = filter_codex(kept, matcher)
        codex = codex if told is None else _bearing_on(codex, told, reading.chapter_of(at))
        present = tuple(name for entry in codex.entries for name in (entry.id, *_names(entry)))
        made_of = (reading, seen, secrets, threads, brief.forbidden_keywords)
        key = scene_of(at, reading).key

        def orders() -> tuple[ForeshadowInstruction, ...]:
            return self._instructions.get_or_make(
                key, (*made_of, present), lambda: tuple(instruct(threads, at, reading, matcher, present))
            )

        def words() -> ForbiddenKeywords:
            return self._forbidden_results.get_or_make(key, made_of, lambda: kept.keywords)

        nothing: tuple[ForeshadowInstruction, ...] = ()
        found = shortfall.without("orders for threads", orders, nothing)
        return CodexSight(
            codex=codex, orders=found, reveals=reveals_at(secrets, at, reading, matcher),
            hints=shortfall.without("hints", lambda: collect_hints(codex, found), ()),
            keywords=shortfall.without("forbidden words", words, ForbiddenKeywords()),
        )  # fmt: skip


def hint_lines(sight: CodexSight, locale: str) -> list[str]:
    """Return what a writer reads of it, the weightiest first, a line each that stands alone."""
    return [line for line in render_part("story/_hints", locale, sight=sight).splitlines() if line.strip()]


def _filtered(
    unit: TaskNode, stores: Stores, brief: Brief, scene: SceneIdentifier, plot: str, sight: CodexSight,
    shortfall: Shortfall,
) -> FilteredContext:  # fmt: skip
    above = stores.nodes.ancestors(unit)
    guard = guard_at(stores, brief, unit)
    guide, entries = stores.documents.latest(DocumentKind.STYLE_GUIDE), sight.codex.entries
    past = {name: guard.redact(text) for name, text in _past(unit, above, stores, scene, shortfall).items()}
    return FilteredContext(
        scene_id=scene.key,
        current_phase=scene.current_phase,
        plot_l1=guard.redact(brief.premise),
        plot_l2=guard.redact((above[0] if above else unit).goal),
        plot_l3=guard.redact(plot),
        **past,
        characters={entry.name: entry for entry in entries if entry.kind is EntryKind.CHARACTER},
        world_settings={entry.name: entry for entry in entries if entry.kind is EntryKind.WORLD},
        style_guide=guide.text if guide else brief.style,
    )


def _past(
    unit: TaskNode, above: list[TaskNode], stores: Stores, scene: SceneIdentifier, shortfall: Shortfall
) -> dict[str, str]:
    """The three summaries; what is not there although something was written before is a warning."""
    before = stores.nodes.units_before(unit, 1)
    elder = _elder(above, stores)
    makers: dict[str, Callable[[], str]] = {
        "summary_l1": lambda: _text(stores.documents.latest(DocumentKind.GLOBAL_STATE)),
        "summary_l2": lambda: _summary(elder, stores),
        "summary_l3": lambda: _summary(before[-1] if before else None, stores),
    }
    found = {}
    for name, make in makers.items():
        title = f"Summary {name[-2:].upper()}"
        found[name] = shortfall.without(title, make, "")
        if before and not found[name] and (name != "summary_l2" or elder is not None):
            shortfall.warn(f"{title} not found for {scene}")
    return found


def _bearing_on(codex: VisibleCodex, words: str, here: int) -> VisibleCodex:
    """Keep who and what is named or belongs to nobody; of the facts, those that still matter in chapter `here`."""
    told = fold(words)
    entries = tuple(entry for entry in codex.entries if any(find_keyword(told, name) for name in _names(entry)))
    names = {"", *(entry.name for entry in entries)}
    return codex.model_copy(
        update={
            "entries": entries,
            "facts": _needed_facts(codex.facts, told, set(terms(words)), here),
            "restricted": tuple(known for known in codex.restricted if known.about in names),
            "notices": tuple(notice for notice in codex.notices if notice.about in names),
        }
    )


def _needed_facts(facts: Iterable[KnownFact], told: Folded, words: set[str], here: int) -> tuple[KnownFact, ...]:
    """The facts a writer needs, those that came out last first: of those on stage, of now, or named by what happens."""
    kept = [
        fact
        for fact in facts
        if (fact.told_in is not None and here - fact.told_in <= _FRESH)
        or (fact.about and find_keyword(told, fact.about))
        or len(words & set(terms(fact.text))) >= _ALIKE
    ]
    return tuple(sorted(kept, key=lambda fact: -(fact.told_in or 0))[:_MOST_FACTS])


def _names(entry: VisibleEntry) -> Iterable[str]:
    return (entry.name, *entry.aliases)


def _elder(above: list[TaskNode], stores: Stores) -> TaskNode | None:
    """The unit that ended last before the one above this began; the reader's last larger piece."""
    if not above or above[0].parent is None:
        return None
    before = [node for node in stores.nodes.child_units(above[0].parent) if node.order < above[0].order]
    return before[-1] if before else None


def _summary(unit: TaskNode | None, stores: Stores) -> str:
    return _text(stores.documents.current(unit.key, DocumentKind.SUMMARY) if unit else None)


def _text(document: Document | None) -> str:
    return document.text if document else ""
