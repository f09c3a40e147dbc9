"""A reader's verdict on two texts: what it would cost, told before anything is asked."""

from bookwright.agents.backends.tokens import TokenCounter
from bookwright.app.access import OpenBook
from bookwright.app.branches.comparing import TextPair
from bookwright.app.orders import checks
from bookwright.app.orders.bill import Bill, priced
from bookwright.flows.book_models import model_of

_FRAME, _ANSWER = 1_500, 400
"""Tokens of what stands around the two texts, and of an answer."""


def verdict_bill(opened: OpenBook, pair: TextPair) -> Bill:
    """Return what two readings of both texts are likely to take.

    Raises:
        UnknownModel, MissingKey: The model that would read cannot be asked.
    """
    checks.check_writable(opened.book.brief, opened.settings)
    model = model_of("critic", opened.book.brief, opened.settings)
    size = TokenCounter().estimate(model, pair.a) + TokenCounter().estimate(model, pair.b)
    return priced(Bill(2, 2 * (size + _FRAME), 2 * _ANSWER), model, opened.settings, with_thoughts=True)
