"""The card of a leak review: all that the codex says of what is withheld in the unit."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bookwright.agents.relay.secrets.kept import Kept
from bookwright.agents.relay.secrets.matching import Matcher, Withholding
from bookwright.agents.relay.secrets.reviewing import kept_cards, pointed_at
from bookwright.agents.relay.threads.instructions import ForeshadowAction, ForeshadowInstruction, instruct
from bookwright.flows.activities.unit_facts import unit_card
from bookwright.flows.deps import Deps
from bookwright.models.tree.task import TaskNode
from bookwright.prompts import Card

_SHOWING = (ForeshadowAction.PLANT, ForeshadowAction.REINFORCE)


def review_card(text: str, unit: TaskNode, kept: Kept, deps: Deps) -> Card:
    """Return the card of a leak review: what is kept, how it may be felt, what was ordered, where code is in doubt."""
    with deps.stores() as stores:
        threads, reading = stores.codex.threads(), stores.codex.reading_order()
        orders = instruct(threads, unit.label, reading, Matcher(Withholding()))
    return replace(
        unit_card(unit, deps), secrets=kept_cards(kept), planted=tuple(_planted(orders)), bound=kept.public.wordings,
        spots=pointed_at(text, kept, deps.brief.language, deps.embedder),
    )  # fmt: skip


def _planted(orders: Iterable[ForeshadowInstruction]) -> Iterator[str]:
    """What the text was ordered to show for a later page, with its words and how finely that was to be done."""
    for order in orders:
        if order.action in _SHOWING:
            words = "; ".join(order.allowed_expressions)
            yield " | ".join(filter(None, (" ".join(order.note.split()), words, f"{order.subtlety_target}/10")))
