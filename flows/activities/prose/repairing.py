"""Carrying out an editor's orders in what stands: in which texts, and what their writers read of the orders."""

from dataclasses import dataclass, replace

from bookwright.agents.readers import REPAIR
from bookwright.agents.relay.secrets.guard import Guard
from bookwright.agents.relay.secrets.reviewing import is_rejected, review_by_code, span_of
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.flows.activities.prose.acceptance import exchange
from bookwright.flows.activities.prose.brief import guard_of
from bookwright.flows.activities.surroundings import allowed_lengths, kept_in, measured, unit_card
from bookwright.flows.activities.told_books import is_told
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.step import Activity
from bookwright.models.story.retelling import RepairOrder, RepairOrders
from bookwright.models.text.changes import Changes, repaired
from bookwright.models.text.prose import numbered_sentences
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move

_GRAVITY = {"critical": 9, "warning": 3, "info": 1}


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


def _stands_in(text: str, order: RepairOrder) -> bool:
    return bool(order.quote) and span_of(text, order.quote) is not None


def targets(
    parts: list[tuple[TaskNode, str]], orders: RepairOrders, most: int, is_all: bool, deps: Deps
) -> list[RepairTarget]:
    """Share the orders out among the texts that their quotations stand in, or give `is_all` to one.

    What an author wrote is left as it is.
    """
    own = [(part, text) for part, text in parts if not _is_by_hand(part, deps)]
    found = [
        RepairTarget(part, text, tuple(one for one in orders.here if is_all or _stands_in(text, one)))
        for part, text in own
    ]
    ordered = (target for target in found if target.orders)
    gravest = sorted(ordered, key=lambda target: -target.weight)[: max(most, 0)]
    return sorted(gravest, key=lambda target: target.unit.order)


def _is_by_hand(part: TaskNode, deps: Deps) -> bool:
    with deps.stores() as stores:
        prose = stores.documents.current(part.key, DocumentKind.PROSE, with_text=False)
    return prose is not None and prose.origin.is_by_hand


def readable(order: RepairOrder, guard: Guard) -> str:
    """The order as the writer of a text may read it: without its reason where that tells what is kept back there."""
    return order.cure if guard.violations(order.line) else order.line


def repair(target: RepairTarget, step: str, deps: Deps) -> None:
    """Have one text put right; a change that gives something away or breaks the length is left out."""
    part, kept, guard = target.unit, kept_in(target.unit, deps), guard_of(target.unit, deps)
    spots = (readable(order, guard.beside((target.text,))) for order in target.orders)
    card = replace(unit_card(part, deps), spots=tuple(spots))
    card = measured(card, target.text, part, deps)
    limits = allowed_lengths(part, card.is_last, deps)
    card = replace(card, low_length=limits.low, high_length=limits.high)
    run = ActivityRun(
        deps.desk, Activity.WRITE, part, part, card, context="write_plan", round_=1, next_activity="close",
        guard=guard,
    )  # fmt: skip
    if is_told(part, deps):  # its writer knows it by its pages, and not by what a context finds
        run.narrow_to("order")
    run.lead_with("text", numbered_sentences(target.text))
    if run.failures(step) > deps.desk.settings.max_repairs:
        return

    def tells(words: str) -> bool:
        return is_rejected(review_by_code(words, kept, deps.brief.language, deps.embedder))

    def put_right(answer: Changes) -> Move:
        text = repaired(target.text, answer.changes, limits, deps.brief.language, tells)
        text = target.text if tells(text) else text
        if text == target.text:
            return lambda stores, made: None
        return exchange(text, part, deps, DocumentOrigin.REPAIR)

    try:
        run.run(REPAIR, put_right, step=step)
    except (NoResult, RequestRejected):
        return
