"""A reader's verdict on two texts: what it would cost, told before anything is asked."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bookwright.agents.backends.tokens import TokenCounter
from bookwright.app.access import OpenBook, paced_models
from bookwright.app.branches.comparing import TextPair
from bookwright.app.estimates.bill import Bill, Confirmable, priced
from bookwright.app.orders.starting import check_writable
from bookwright.flows.book_models import model_of

if TYPE_CHECKING:
    from bookwright.flows.candidates.judging import ReaderVerdict
    from bookwright.flows.deps import Deps

_FRAME, _ANSWER = 1_500, 400
"""Tokens of what stands around the two texts, and of an answer."""


@dataclass(frozen=True)
class VerdictOrder(Confirmable):
    """Two texts as a reader would be asked about them."""

    subject = "The text"

    pair: TextPair
    bill: Bill

    def shown(self) -> tuple[object, ...]:
        """Return the texts and the bill."""
        return self.pair.label, self.pair.a, self.pair.b, asdict(self.bill)


def order_verdict(opened: OpenBook, pair: TextPair) -> VerdictOrder:
    """Return a verdict as it would be asked for, with what two readings of both texts are likely to take.

    Raises:
        UnknownModel, MissingKey: The model that would read cannot be asked.
    """
    check_writable(opened.book.brief, opened.settings)
    model = model_of("critic", opened.book.brief, opened.settings)
    size = TokenCounter().estimate(model, pair.a) + TokenCounter().estimate(model, pair.b)
    return VerdictOrder(pair, priced(Bill(2, 2 * (size + _FRAME), 2 * _ANSWER), model, opened.settings))


def ask_for_verdict(opened: OpenBook, order: VerdictOrder) -> "ReaderVerdict":
    """Ask the reader, holding the book that rests meanwhile; both readings are steps in its journal.

    Raises:
        BookHeld: A worker writes the book.
        BookPaused, BackendError: As for any step.
    """
    from bookwright.flows.open_book import RunConfig, hold_book  # brings the engine

    database, settings = opened.storage.database, opened.settings
    with paced_models(database, settings) as models:
        around = RunConfig(settings, database, models, cancel=models.cancel)
        with hold_book(opened.book.id, around, way_on="asking the reader again") as deps:
            return read_both(order.pair, deps)


def read_both(pair: TextPair, deps: "Deps") -> "ReaderVerdict":
    """Have the reader of a held book judge two texts, each of them once as the first."""
    from bookwright.flows.candidates.judging import ask_reader  # brings the engine

    with deps.stores() as stores:
        unit = stores.nodes.by_label(pair.label)
    return ask_reader(unit, pair.a, pair.b, deps)
