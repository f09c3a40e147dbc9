"""Money as people read it."""

import pytest

from bookwright.app.status.books import studio_words
from bookwright.app.talks.view import TalkBill
from bookwright.models.amount import Amount, Cap
from bookwright.models.wording import dollars, money
from bookwright.storage.studio import StudioStanding


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (12_345.6, "$12,345.60"),
        (1, "$1.00"),
        (0.9, "$0.9000"),
        (0.0001, "$0.0001"),
        (0.00004, "$0.00004"),
        (0.00000015, "$0.00000015"),
        (0.0000001, "$0.0000001"),
        (0, "$0.00"),
    ],
)
def test_money_that_is_not_nothing_is_never_shown_as_nothing(usd: float, shown: str) -> None:
    assert dollars(usd) == shown


def test_what_was_paid_is_shown_as_a_cap_is() -> None:
    assert [money(micros) for micros in (None, 0, 1, 1_250_000)] == ["price unknown", "$0.00", "$0.000001", "$1.25"]


def test_a_cap_below_a_millionth_is_shown_as_it_was_given() -> None:
    standing = StudioStanding(Amount(), Amount())

    assert TalkBill(10, 0, 10, 0, 0.0000001).total_line() == "10 tokens, $0.00 of $0.0000001"
    assert studio_words(standing, Cap.of(0.0000001, None)).startswith("$0.00 of $0.0000001 spent")
