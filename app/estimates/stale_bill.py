"""What making stale documents anew would take, told by what making them has taken."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from bookwright.app.orders.bill import Bill
from bookwright.app.wording import money, tokens
from bookwright.flows.revision.refresh import AMENDED_KINDS
from bookwright.models.document import Document
from bookwright.models.staleness import StaleDocument
from bookwright.storage.repositories.staleness import MakingStep
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class RefreshBill:
    """Two figures between which a refresh is likely to end."""

    low: Bill
    """What is directly stale alone, where every answer is a result at once and changes nothing further on."""
    high: Bill
    """That with every attempt it once took, and everything that could become stale on the way."""

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {"low": asdict(self.low), "high": asdict(self.high)}

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{_said(self.low)}; at most about {_said(self.high)}"


def bill_of(found: Iterable[StaleDocument], stores: Stores) -> RefreshBill:
    """Add up the journal's own rows of the activities that made some documents; nothing if none is directly stale."""
    listed = list(found)
    if not any(stale.is_direct for stale in listed):
        return RefreshBill(Bill(), Bill())
    making = stores.staleness.calls_behind(stale.document.step for stale in listed if stale.document.step)
    least: dict[int, MakingStep] = {}
    most: dict[int, MakingStep] = {}
    for stale in listed:
        calls = making.get(stale.document.step or 0, [])
        most |= {call.id: call for call in calls}
        if stale.is_direct:
            is_amended = stale.document.kind in AMENDED_KINDS
            standing = [call for call in calls if call.is_standing]
            least |= {call.id: call for call in (standing[-1:] if is_amended else standing)}
    return RefreshBill(_sum(least.values()), _sum(most.values()))


def bill_of_making(document: Document, stores: Stores) -> RefreshBill | None:
    """Return what changing a document is likely to take, by what it took to make it; None where no model made it."""
    making = stores.staleness.calls_behind([document.step]) if document.step else {}
    calls = making.get(document.step or 0, [])
    standing = [call for call in calls if call.is_standing]
    return RefreshBill(_sum(standing[-1:]), _sum(calls)) if calls else None


def _sum(calls: Iterable[MakingStep]) -> Bill:
    asked = (call for call in calls if call.input_tokens)  # what code did by itself asked nobody
    return sum((Bill(1, call.input_tokens, call.output_tokens, call.cost) for call in asked), Bill())


def _said(bill: Bill) -> str:
    price = "a price unknown" if bill.cost_micros is None else money(bill.cost_micros)
    return f"{bill.calls:,} calls, {tokens(bill.input_tokens + bill.output_tokens)} tokens, {price}"
