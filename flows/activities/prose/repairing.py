"""Repairing a text that stands: an editor's orders are carried out passage by passage, and its length is made right."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bookwright.agents.agent import Agent
from bookwright.agents.readers import REPAIR
from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.relay.secrets.reviewing import is_rejected, span_of
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import LENGTHEN, SHORTEN
from bookwright.flows.activities.outcomes import no_move, replace_prose, try_step
from bookwright.flows.activities.prompt_sizes import is_first_try
from bookwright.flows.activities.prose.brief import guard_of
from bookwright.flows.activities.prose.leak_review import CUT, Find, cut_leaks, finder
from bookwright.flows.activities.told_books import is_told
from bookwright.flows.activities.unit_facts import allowed_lengths, begin_activity, measured, unit_card, wanted_lengths
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind
from bookwright.models.step import Activity
from bookwright.models.story.retelling import RepairOrder, RepairOrders
from bookwright.models.text.binding import binding_lines
from bookwright.models.text.changes import Change, Changes, repaired, shortened
from bookwright.models.text.language import Language
from bookwright.models.text.length import LengthRange
from bookwright.models.text.prose import lengthened, numbered_paragraphs, numbered_sentences, read_insertions
from bookwright.models.tree.task import TaskNode
from bookwright.prompts.card import Card
from bookwright.prompts.render import render_problem
from bookwright.storage.steps.journal import Move

_GRAVITY = {"critical": 9, "warning": 3, "info": 1}

ROUNDS = 3
"""How often a text is mended at most: each time for the true amount, then for what that left."""


@dataclass(frozen=True)
class RepairTarget:
    """A text that orders are to be carried out in."""

    unit: TaskNode
    text: str
    orders: tuple[RepairOrder, ...]

    @property
    def weight(self) -> int:
        """How grave its orders are together."""
        return sum(_GRAVITY[order.severity] for order in self.orders)


def targets(
    parts: list[tuple[TaskNode, str]], orders: RepairOrders, most: int, is_all: bool, deps: Deps
) -> list[RepairTarget]:
    """Share the orders out among the texts that their quotations stand in, or give `is_all` to one; no author's."""

    def is_meant(order: RepairOrder, text: str) -> bool:
        return is_all or (bool(order.quote) and span_of(text, order.quote) is not None)

    found = (
        RepairTarget(part, text, tuple(order for order in orders.here if is_meant(order, text)))
        for part, text in parts
        if not is_by_hand(part, deps)
    )
    ordered = (target for target in found if target.orders)
    gravest = sorted(ordered, key=lambda target: -target.weight)[: max(most, 0)]
    return sorted(gravest, key=lambda target: target.unit.order)


def is_by_hand(part: TaskNode, deps: Deps) -> bool:
    """True for a unit whose text its author wrote."""
    prose = deps.document(part, DocumentKind.PROSE, with_text=False)
    return prose is not None and prose.origin.is_by_hand


def readable(order: RepairOrder, guard: Guard) -> str:
    """The order as the writer of a text may read it: without its reason where that tells what is kept back there."""
    return order.cure if guard.violations(order.line) else order.line


@dataclass(frozen=True)
class TextRewording:
    """A unit's text that a model may change passage by passage, within its length and giving nothing away."""

    unit: TaskNode
    text: str
    run: ActivityRun
    limits: LengthRange
    find: Find
    language: Language

    def gives_away(self, words: str) -> bool:
        """True for words that the checks of the unit reject."""
        return is_rejected(self.find(words))

    def applied(self, changes: Sequence[Change]) -> str:
        """The text with those of the changes that may be made."""
        return repaired(self.text, changes, self.limits, self.language, self.gives_away)

    def surplus(self, changes: Sequence[Change]) -> int:
        """How much too long the text would be with all of the changes that give nothing away; 0 if they fit."""
        free = replace(self.limits, low=1, high=sys.maxsize)
        length = self.language.measure(repaired(self.text, changes, free, self.language, self.gives_away))
        return max(length - max(self.limits.high, self.language.measure(self.text)), 0)


def begin_rewording(
    unit: TaskNode, text: str, next_activity: str, deps: Deps, orders: Iterable[RepairOrder] = ()
) -> TextRewording:
    """Put a text with its sentences numbered before whoever is to change it, with what is ordered."""
    guard = guard_of(unit, deps)
    known = guard.beside((text,))
    card = replace(unit_card(unit, deps), spots=tuple(readable(order, known) for order in orders))
    card = measured(card, text, unit, deps)
    limits = allowed_lengths(unit, card.is_last, deps)
    card = replace(card, low_length=limits.low, high_length=limits.high)
    run = begin_activity(
        Activity.WRITE, unit, deps, "write_plan", card, round_=1, next_activity=next_activity, guard=guard
    )
    if is_told(unit, deps):  # its writer knows it by its pages, and not by what a context finds
        run.narrow_to("order")
    run.lead_with("text", numbered_sentences(text))
    return TextRewording(unit, text, run, limits, finder(unit, deps), deps.brief.language)


def repair(target: RepairTarget, step: str, deps: Deps) -> None:
    """Have one text put right; a change that gives something away is left out, and one that twice breaks the length."""
    rewording = begin_rewording(target.unit, target.text, "close", deps, target.orders)

    def too_long(answer: Changes) -> str:
        surplus = rewording.surplus(answer.changes)
        if not surplus or not is_first_try(rewording.run, step, deps):
            return ""
        return render_problem("long_changes", deps.desk.locale, surplus=surplus, unit=deps.brief.length_unit)

    def put_right(answer: Changes) -> Move:
        text = rewording.applied(answer.changes)
        is_kept = text == target.text or rewording.gives_away(text)
        return no_move if is_kept else replace_prose(text, target.unit, deps)

    run = rewording.run
    if try_step(run, REPAIR, put_right, step=step, check=too_long) or not (first := run.first_answer(REPAIR, step)):
        return
    fits = rewording.applied(first.changes)
    run.by_code(f"{step}.{CUT}", fits, "what fits of the answer that was sent back", put_right(first))


@dataclass(frozen=True)
class Mending:
    """A text whose length is off, and what may be done about it."""

    text: str
    unit: TaskNode
    card: Card
    deps: Deps
    find: Find

    @property
    def agent(self) -> Agent:
        """Who is asked."""
        return LENGTHEN if self._missing > 0 else SHORTEN

    @property
    def shown(self) -> str:
        """The text with numbers for what may be named in the answer."""
        return numbered_paragraphs(self.text) if self._missing > 0 else numbered_sentences(self.text)

    @property
    def asking(self) -> Card:
        """The card of the step."""
        card = measured(self.card, self.text, self.unit, self.deps)
        return replace(card, missing_length=max(abs(self._missing), 1), ask_length=self.card.ask_length)

    def applied(self, answer: str | Changes) -> str:
        """The text after an answer, without what of it gives something away; as it is if nothing else will do."""
        language = self.deps.brief.language
        if isinstance(answer, Changes):
            free = [change for change in answer.changes if not (change.text and is_rejected(self.find(change.text)))]
            limits = wanted_lengths(self.unit, self.card.is_last, self.deps)
            new = shortened(self.text, free, limits, language, _bound_lines(self.unit, self.deps))
        else:
            found = read_insertions(answer)
            pieces = [replace(one, text=cut_leaks(one.text, self.find)[0]) for one in found]
            new = lengthened(self.text, pieces, self.unit.length or 1, language)
        return self.text if is_rejected(self.find(new)) else new

    @property
    def _missing(self) -> int:
        return (self.unit.length or 1) - self.deps.brief.language.measure(self.text)


def _bound_lines(unit: TaskNode, deps: Deps) -> Sequence[str]:
    """Return the lines that bind whoever writes a unit: the book's own, those of its designs, and its brief's."""
    with deps.stores() as stores:
        units = [unit, *stores.nodes.ancestors(unit)]
        tasks = [task.key for one in units for task in stores.nodes.design_tasks(one.key)]
        found = [
            stores.documents.latest(DocumentKind.BOOK_DESIGN),
            stores.documents.current(unit.key, DocumentKind.WRITERS_BRIEF),
            *stores.documents.of_nodes(tasks, DocumentKind.DESIGN),
        ]
    texts = [deps.brief.premise, *(document.text for document in found if document)]
    return tuple(dict.fromkeys(line for text in texts for line in binding_lines(text)))
