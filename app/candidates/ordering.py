"""Candidates of a unit that is written: what speaks against them, and what they take."""

from dataclasses import dataclass

from bookwright.agents.backends.tokens import TokenCounter
from bookwright.app.access import OpenBook
from bookwright.app.candidates.unit_candidates import candidates_of
from bookwright.app.estimates.stale_bill import RefreshBill, bill_of_writing
from bookwright.app.orders.bill import Bill, priced
from bookwright.app.orders.checks import check_strong_writer
from bookwright.flows.book_models import model_of
from bookwright.flows.revision.revise import chosen
from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.story.candidates import MOST_CANDIDATES
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import Stores

_OPINION_TOKENS = 300


@dataclass(frozen=True)
class CandidateOrder:
    """Candidates as they would be asked for."""

    drafts: int
    """How many of them are to be written."""
    readings: int
    """How many readers are to be asked at least."""
    bill: RefreshBill

    @property
    def is_nothing(self) -> bool:
        """True if all is there already."""
        return not self.drafts and not self.readings


def order_of_candidates(opened: OpenBook, unit: TaskNode, count: int) -> CandidateOrder:
    """Return what it takes to bring a written unit to so many candidates.

    Raises:
        InvalidInput: It cannot have them: it has no text of its own yet, or nothing that it was written from.
    """
    if not 2 <= count <= MOST_CANDIDATES:
        raise InvalidInput(f"a unit can have 2 to {MOST_CANDIDATES} candidates")
    check_strong_writer(opened, "a book of the profile small has a model too weak for candidates")
    with opened.storage.read() as stores:
        text = chosen(stores, unit, DocumentKind.PROSE)
        if unit.is_brought_in:
            raise InvalidInput(f"{unit.name} was written before the book came here; there is no order to write it by")
        sight = candidates_of(unit, stores)
        there = len(sight.choice.candidates) if sight and sight.choice.revision == unit.revision else 0
        lines = [line for line in stores.steps.lines(unit.label) if line.label == unit.label and not line.is_failed]
        drafts = _drafts(lines, unit, stores)
    missing = max(count - max(len(drafts), there), 0)
    readings = 2 * (count - max(there, 1)) if count > there else 0
    bill = bill_of_writing(text, opened, drafts, missing) + _reading(drafts, text, readings, opened)
    return CandidateOrder(missing, readings, RefreshBill.exactly(bill))


def _drafts(lines: list[StepLine], unit: TaskNode, stores: Stores) -> list[StepLine]:
    """Return the drafts of a unit as it stands that are on record; the first is the usual one."""
    found = [line for line in lines if line.activity == "write" and not line.round and line.step.startswith("draft")]
    return [line for line in found if stores.steps.asked(line.id).key.revision == unit.revision]


def _reading(drafts: list[StepLine], text: Document, count: int, opened: OpenBook) -> Bill:
    model = model_of("critic", opened.book.brief, opened.settings)
    size = max((line.output_tokens for line in drafts), default=TokenCounter().estimate(model, text.text))
    read = Bill(count, 2 * count * (size + _OPINION_TOKENS), count * _OPINION_TOKENS)
    return priced(read, model, opened.settings)
