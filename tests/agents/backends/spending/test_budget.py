"""The budget holds however many calls are in flight."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.backends.spending.budget import Allowance, BudgetLedger
from bookwright.models.amount import Amount
from bookwright.models.errors import BudgetExceeded


def test_a_call_that_could_cost_more_than_is_left_is_refused() -> None:
    ledger = BudgetLedger(cap_usd=1.0, spent_cost=900_000)

    with pytest.raises(BudgetExceeded, match=r"\$0\.1001 .* \$0\.1000 of \$1\.00 left"):
        ledger.reserve(100_100, 10)
    assert ledger.held == Amount()


def test_a_cap_that_no_call_can_keep_to_is_told_as_it_was_given() -> None:
    with pytest.raises(BudgetExceeded, match=r"of \$0\.0000001 left"):
        BudgetLedger(cap_usd=0.0000001).reserve(10, 10)


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


class Studio:
    """A cap over many books that hands out slices, as the database does."""

    def __init__(self, cap: int, share: int) -> None:
        self.left = cap
        self.share = share
        self.asked = 0


class Slices(Allowance):
    """One book's slices of a studio's cap."""

    is_doubtful = False

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.limit = 0

    def covers(self, used: Amount, cost: int | None, tokens: int) -> bool:
        return cost is not None and used.cost + cost <= self.limit

    def extend(self, used: Amount, cost: int | None, tokens: int) -> None:
        self.studio.asked += 1
        self.give_back(used.cost)
        if cost is None or cost > self.studio.left:
            raise BudgetExceeded("the studio has not that much")
        piece = max(cost, self.studio.left // self.studio.share)
        self.studio.left -= piece
        self.limit = used.cost + piece

    def give_back(self, used: int) -> None:
        self.studio.left += max(self.limit - used, 0)
        self.limit = 0


def pay(ledger: BudgetLedger, worst: int, part: int) -> int | None:
    """Make one call that takes so many hundredths of its worst; None if it is refused."""
    try:
        ledger.ask_for_slice(worst, 1)
        reservation = ledger.reserve(worst, 1)
    except BudgetExceeded:
        return None
    reservation.settle(worst * part // 100, 1)
    return worst * part // 100


def test_a_slice_is_asked_for_only_when_the_last_one_is_used_up() -> None:
    studio = Studio(1_000, share=4)
    ledger = BudgetLedger(slices=Slices(studio))

    paid = [pay(ledger, 50, 100) for _ in range(5)]

    assert (paid, studio.asked) == ([50] * 5, 1)
    assert ledger.is_capped
    assert ledger.has_slice(1, 1) is False


def test_a_book_over_its_own_cap_asks_the_studio_for_nothing() -> None:
    studio = Studio(1_000, share=1)
    ledger = BudgetLedger(cap_usd=0.0001, slices=Slices(studio), remedy="raise it")

    with pytest.raises(BudgetExceeded) as refused:
        ledger.ask_for_slice(101, 1)

    assert (studio.asked, refused.value.remedy) == (0, "raise it")


def test_a_slice_in_doubt_is_asked_for_anew() -> None:
    studio = Studio(1_000, share=4)
    slices = Slices(studio)
    ledger = BudgetLedger(slices=slices)
    pay(ledger, 50, 100)

    slices.is_doubtful = True

    assert not ledger.has_slice(1, 1)
    assert (pay(ledger, 50, 100), studio.asked) == (50, 2)


def test_nothing_is_reserved_that_no_slice_covers() -> None:
    with pytest.raises(BudgetExceeded, match="holds no slice"):
        BudgetLedger(slices=Slices(Studio(1_000, share=1))).reserve(1, 1)


Call = st.tuples(
    st.integers(0, 1),
    st.integers(0, 90_000),
    st.lists(st.tuples(st.booleans(), st.integers(0, 100)), min_size=1, max_size=4),
    st.integers(1, 3),
    st.sampled_from(["goes well", "goes well", "goes well", "is killed", "is killed while paying"]),
)
"""Which book; the worst of a try; which tries are billed and how much of their worst they take; how many times
dearer the model is that it falls back to for its last try; how it ends."""


@given(calls=st.lists(Call, max_size=25), caps=st.tuples(st.integers(1, 600_000), st.integers(1, 600_000)),
       studio_cap=st.integers(1, 900_000), share=st.integers(1, 20))  # fmt: skip
def test_no_retry_fallback_or_crash_passes_a_cap_but_by_what_a_killed_call_had_paid(
    calls: list[tuple[int, int, list[tuple[bool, int]], int, str]], caps: tuple[int, int], studio_cap: int, share: int
) -> None:
    studio = Studio(studio_cap, share)
    slices = [Slices(studio), Slices(studio)]
    journal = [0, 0]
    ledgers = [BudgetLedger(caps[book] / 1_000_000, slices=slices[book]) for book in (0, 1)]

    for book, worst, tries, dearer, end in calls:
        for number, (is_billed, part) in enumerate(tries, start=1):
            price = dearer if number == len(tries) > 1 else 1
            paid = pay(ledgers[book], worst * price, part if is_billed else 0)
            if paid is None:
                break
            if number < len(tries) or end != "is killed while paying":
                journal[book] += paid
        if end != "goes well":
            slices[book].give_back(journal[book])
            ledgers[book] = BudgetLedger(caps[book] / 1_000_000, spent_cost=journal[book], slices=slices[book])
        assert sum(journal) + sum(max(one.limit - done, 0) for one, done in zip(slices, journal, strict=True)) <= (
            studio_cap
        )

    assert journal[0] <= caps[0]
    assert journal[1] <= caps[1]
