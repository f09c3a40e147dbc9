"""What of a book is stale, and what making it anew would take, told by what making it has taken."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bookwright.agents.backends.tokens import TokenCounter
from bookwright.app.access import OpenBook
from bookwright.app.estimates.bill import Bill, Confirmable, priced
from bookwright.flows.book_models import model_of
from bookwright.flows.revision.refresh import AMENDED_KINDS, RefreshScope
from bookwright.flows.revision.staleness import Staleness
from bookwright.models.brief import Brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.staleness import StaleDocument
from bookwright.storage.repositories.staleness import MakingStep
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import Stores

_READ_BESIDE = 3
"""A writer reads about so many times what they write."""


@dataclass(frozen=True)
class RefreshBill:
    """Two figures between which a refresh is likely to end."""

    low: Bill
    """What is directly stale alone, where every answer is a result at once and changes nothing further on."""
    high: Bill
    """That with every attempt it once took, and everything that could become stale on the way."""

    @classmethod
    def exactly(cls, bill: Bill) -> "RefreshBill":
        """Return one whose two figures are the same."""
        return cls(bill, bill)

    def facts(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {"low": asdict(self.low), "high": asdict(self.high)}

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.low}; at most about {self.high}"


@dataclass(frozen=True)
class RefreshPreview(Confirmable):
    """What a refresh would do, with its bill."""

    subject = "What is stale"

    wanted: RefreshScope
    found: Sequence[StaleDocument]
    bill: RefreshBill

    @property
    def direct(self) -> list[StaleDocument]:
        """What is directly stale."""
        return [one for one in self.found if one.is_direct]

    def shown(self) -> tuple[object, ...]:
        """Return the scope, the list and the bill."""
        listed = [(one.document.id, one.is_direct) for one in self.found]
        return self.wanted.label, self.wanted.is_anew, listed, self.bill.facts()


def refresh_preview(stores: Stores, brief: Brief, wanted: RefreshScope) -> RefreshPreview:
    """Look what is stale within a scope, and what making it anew would take.

    Raises:
        NodeNotFound: The scope's node is none of the book.
    """
    stores.nodes.by_label(wanted.label)
    found = [one for one in Staleness(brief).all(stores) if wanted.holds(one)]
    return RefreshPreview(wanted, found, bill_of(found, stores, is_anew=wanted.is_anew))


def bill_of(found: Iterable[StaleDocument], stores: Stores, *, is_anew: bool = False) -> RefreshBill:
    """Add up the journal's own rows of the activities that made some documents; nothing if none is directly stale."""
    listed = list(found)
    if not any(stale.is_direct for stale in listed):
        return RefreshBill(Bill(), Bill())
    making = stores.staleness.calls_behind((stale.document for stale in listed), is_anew=is_anew)
    least: dict[int, MakingStep] = {}
    most: dict[int, MakingStep] = {}
    for stale in listed:
        calls = making.get(stale.document.id, [])
        most |= {call.id: call for call in calls}
        if stale.is_direct:
            kind = stale.document.kind
            is_amended = kind in AMENDED_KINDS and not (is_anew and kind is DocumentKind.PROSE)
            standing = [call for call in calls if call.is_standing]
            least |= {call.id: call for call in (_longest(standing) if is_amended else standing)}
    return RefreshBill(_sum(least.values()), _sum(most.values()))


def bill_of_making(document: Document, stores: Stores) -> RefreshBill | None:
    """Return what changing a document is likely to take, by what it took to make it; None where no model made it."""
    calls = stores.staleness.calls_behind([document]).get(document.id, [])
    return RefreshBill(_sum(_longest(call for call in calls if call.is_standing)), _sum(calls)) if calls else None


def bill_of_writing(text: Document, opened: OpenBook, drafts: Sequence[StepLine] = (), count: int = 1) -> Bill:
    """Return what writing a text so many times again takes, by its drafts on record or, without any, by its length."""
    model = model_of("writer", opened.book.brief, opened.settings)
    size = TokenCounter().estimate(model, text.text)
    asked = max((line.input_tokens for line in drafts), default=size * _READ_BESIDE)
    written = max((line.output_tokens for line in drafts), default=size)
    return priced(Bill(count, count * asked, count * written), model, opened.settings)


def _longest(calls: Iterable[MakingStep]) -> list[MakingStep]:
    """The call with the longest result, which wrote the text itself; a revision of it takes about as much."""
    return sorted(calls, key=lambda call: call.output_tokens)[-1:]


def _sum(calls: Iterable[MakingStep]) -> Bill:
    asked = (call for call in calls if call.input_tokens)  # what code did by itself asked nobody
    return sum((Bill(1, call.input_tokens, call.output_tokens, call.cost) for call in asked), Bill())
