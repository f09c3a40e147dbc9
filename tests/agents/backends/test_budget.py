"""The budget holds however many calls are in flight."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.backends.budget import Amount, BudgetLedger
from bookwright.models.errors import BudgetExceeded


def test_a_call_that_could_cost_more_than_is_left_is_refused() -> None:
    ledger = BudgetLedger(cap_usd=1.0, spent_cost=900_000)

    with pytest.raises(BudgetExceeded, match=r"\$0\.1001 .* \$0\.1000 of \$1\.00 left"):
        ledger.reserve(100_100, 10)
    assert ledger.held == Amount()


def test_what_is_held_counts_as_spent() -> None:
    ledger = BudgetLedger(cap_usd=1.0)
    ledger.reserve(600_000, 0)

    with pytest.raises(BudgetExceeded):
        ledger.reserve(600_000, 0)


def test_settling_books_what_it_was_and_frees_the_rest() -> None:
    ledger = BudgetLedger(cap_usd=1.0, cap_tokens=1_000)
    reservation = ledger.reserve(900_000, 900)

    reservation.settle(200_000, 300)

    assert (ledger.spent, ledger.held) == (Amount(200_000, 300), Amount())
    ledger.reserve(800_000, 700)


def test_a_reservation_is_settled_once() -> None:
    ledger = BudgetLedger(cap_usd=1.0)
    reservation = ledger.reserve(500_000, 5)

    reservation.settle(100_000, 1)
    reservation.settle(100_000, 1)
    reservation.release()

    assert ledger.spent == Amount(100_000, 1)
    assert ledger.held == Amount()


def test_a_cap_in_tokens_holds_alone() -> None:
    ledger = BudgetLedger(cap_tokens=100)

    ledger.reserve(None, 60)

    with pytest.raises(BudgetExceeded, match=r"41 tokens .* 40 of 100 left"):
        ledger.reserve(0, 41)


def test_an_unknown_price_is_refused_where_money_is_capped() -> None:
    with pytest.raises(BudgetExceeded, match=r"price is unknown.*\[prices\]"):
        BudgetLedger(cap_usd=100).reserve(None, 1)


def test_without_caps_everything_is_let_through_and_counted() -> None:
    ledger = BudgetLedger()

    ledger.reserve(None, 10**12).settle(7, 8)

    assert not ledger.is_capped
    assert ledger.spent == Amount(7, 8)


def test_a_subtree_is_bound_by_its_books_cap() -> None:
    book = BudgetLedger(cap_usd=1.0)
    unit = BudgetLedger(parent=book)

    assert unit.is_capped
    unit.reserve(700_000, 0)
    with pytest.raises(BudgetExceeded):
        unit.reserve(700_000, 0)
    assert book.held == unit.held == Amount(700_000, 0)


def test_a_subtrees_own_cap_spares_the_book() -> None:
    book = BudgetLedger(cap_usd=1.0, title="the book's budget")
    unit = BudgetLedger(cap_usd=0.1, parent=book, title="the unit's budget")

    with pytest.raises(BudgetExceeded, match="the unit's budget"):
        unit.reserve(200_000, 0)
    assert book.held == Amount()
    book.reserve(200_000, 0)


def test_the_cap_holds_under_concurrency() -> None:
    ledger = BudgetLedger(cap_usd=1.0)

    def spend(_: int) -> bool:
        try:
            ledger.reserve(30_000, 1).settle(30_000, 1)
        except BudgetExceeded:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        allowed = sum(pool.map(spend, range(200)))

    assert allowed == 33
    assert ledger.spent == Amount(990_000, 33)


@given(st.lists(st.tuples(st.integers(0, 400_000), st.integers(0, 100)), max_size=30))
def test_spending_never_passes_a_cap_that_worst_cases_respect(calls: list[tuple[int, int]]) -> None:
    book = BudgetLedger(cap_usd=1.0)
    unit = BudgetLedger(cap_usd=0.5, parent=book)

    for worst, share in calls:
        try:
            reservation = unit.reserve(worst, 0)
        except BudgetExceeded:
            continue
        reservation.settle(worst * share // 100, 0)

    assert unit.spent.cost <= 500_000
    assert book.spent == unit.spent
