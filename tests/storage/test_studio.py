"""The studio's cap: what all books have spent and hold never passes it, whoever asks, however often."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from bookwright.failpoints import Failpoint
from bookwright.models.amount import Amount, Cap
from bookwright.models.errors import BudgetExceeded
from bookwright.models.settings import load_settings
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database, database_now, open_database
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.studio import Studio
from bookwright.storage.tables import allowances, books
from tests.storage.conftest import BACKINGS, BRIEF

CAP = Cap.of(1.0, None)
NAMES = ("axe", "bow", "cup")
SECONDS = 60.0


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


@pytest.fixture
def shelf(database: Database) -> Database:
    """Three books that somebody writes."""
    make_books(database)
    return database


def make_books(database: Database) -> None:
    with database.write(Failpoint.EDIT_BOOK) as connection:
        for name in NAMES:
            BookRepository(connection).create(name, BRIEF)
            Lease.take(connection, name, f"the writer of {name}", SECONDS)


def ask(database: Database, book: str, used: int, need: int, cap: Cap = CAP) -> int:
    """Ask for a slice in money; return how far the book may spend."""
    with database.write(Failpoint.TAKE_ALLOWANCE) as connection:
        limit = Studio(connection).extend(book, Amount(used), Amount(need), cap)
    assert limit.cost is not None
    return limit.cost


def spend(database: Database, book: str, cost: int, tokens: int = 0) -> None:
    """Let the journal's sums of a book be these."""
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).where(books.c.id == book).values(cost=cost, input_tokens=tokens))


def rest(database: Database, book: str) -> None:
    with database.write(Failpoint.EDIT_BOOK) as connection:
        Studio(connection).give_back(book)
        connection.execute(update(books).where(books.c.id == book).values(lease_owner=None))


def total(database: Database) -> Amount:
    with database.read() as connection:
        return Studio(connection).standing().total


def test_a_slice_is_a_part_of_what_is_left_and_at_least_some_calls(shelf: Database) -> None:
    small, large = ask(shelf, "axe", 0, 1_000), ask(shelf, "bow", 0, 100_000)

    assert small == 50_000
    assert large == 400_000
    assert total(shelf) == Amount(450_000)


def test_what_the_books_had_spent_before_there_was_a_cap_counts(shelf: Database) -> None:
    spend(shelf, "axe", 700_000)
    rest(shelf, "axe")
    spend(shelf, "bow", 299_000)

    with pytest.raises(BudgetExceeded, match=r"up to \$0\.0011 .* \$0\.0010 of studio_usd \$1\.00 left") as refused:
        ask(shelf, "bow", 299_000, 1_100)

    assert "BOOKWRIGHT_STUDIO_USD" in refused.value.remedy
    assert ask(shelf, "bow", 299_000, 1_000) == 300_000


def test_a_cap_below_a_cent_is_told_as_it_was_given(shelf: Database) -> None:
    with pytest.raises(BudgetExceeded, match=r"of studio_usd \$0\.0020 left"):
        ask(shelf, "bow", 0, 10_000, Cap.of(0.002, None))


def test_a_slice_is_spent_without_a_word_and_asked_for_anew_when_it_is_used_up(shelf: Database) -> None:
    first = ask(shelf, "axe", 0, 10_000)
    spend(shelf, "axe", 49_000)
    assert total(shelf) == Amount(first)

    second = ask(shelf, "axe", 49_000, 10_000)

    assert second == 49_000 + 47_550
    assert total(shelf) == Amount(second)


def test_to_ask_twice_for_the_same_is_to_ask_once(shelf: Database) -> None:
    assert ask(shelf, "axe", 5, 10_000) == ask(shelf, "axe", 5, 10_000)


def test_a_book_that_rests_gives_back_what_it_has_not_spent(shelf: Database) -> None:
    ask(shelf, "axe", 0, 250_000)
    with pytest.raises(BudgetExceeded, match="other running books hold"):
        ask(shelf, "bow", 0, 1)
    spend(shelf, "axe", 30_000)

    rest(shelf, "axe")

    assert total(shelf) == Amount(30_000)
    assert ask(shelf, "bow", 0, 970_000) == 970_000


def test_a_dead_workers_slice_comes_back_when_its_lease_has_run_out_and_another_book_asks(shelf: Database) -> None:
    ask(shelf, "axe", 0, 250_000)
    spend(shelf, "axe", 30_000)
    with shelf.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).where(books.c.id == "axe").values(lease_expires=database_now() - 1))

    limit = ask(shelf, "bow", 0, 970_000)

    assert limit == 970_000
    with shelf.read() as connection:
        assert connection.execute(select(allowances.c.book)).scalars().all() == ["bow"]


def test_whoever_takes_a_dead_workers_book_over_takes_its_slice_over(shelf: Database) -> None:
    ask(shelf, "axe", 0, 250_000)
    spend(shelf, "axe", 30_000)
    with shelf.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).where(books.c.id == "axe").values(lease_owner=None))
        Lease.take(connection, "axe", "the next", SECONDS)

    assert ask(shelf, "axe", 30_000, 970_000) == 1_000_000


def test_deleting_a_book_brings_no_money_back(shelf: Database) -> None:
    spend(shelf, "axe", 600_000, tokens=70)
    spend(shelf, "bow", 300_000, tokens=7)

    with shelf.write(Failpoint.EDIT_BOOK) as connection:
        for name in ("axe", "bow"):
            BookRepository(connection).delete(name)

    assert total(shelf) == Amount(900_000, 77)
    assert ask(shelf, "cup", 0, 100_000) == 100_000


def test_a_cap_in_tokens_alone_lets_money_be(shelf: Database) -> None:
    spend(shelf, "axe", 10**12)

    with shelf.write(Failpoint.TAKE_ALLOWANCE) as connection:
        limit = Studio(connection).extend("bow", Amount(), Amount(10**12, 50), Cap(tokens=1_000))
    assert limit == Cap(None, 200)

    refused = pytest.raises(BudgetExceeded, match=r"801 tokens .* 800 of studio_tokens 1,000 left")
    with refused, shelf.write(Failpoint.TAKE_ALLOWANCE) as connection:
        Studio(connection).extend("cup", Amount(), Amount(0, 801), Cap(tokens=1_000))


def test_many_that_ask_at_once_are_handed_no_more_than_there_is(shelf: Database) -> None:
    used = dict.fromkeys(NAMES, 0)

    def write(book: str) -> int:
        try:
            while True:
                limit = ask(shelf, book, used[book], 3_000)
                used[book] = limit
                spend(shelf, book, limit)
        except BudgetExceeded:
            return used[book]

    with ThreadPoolExecutor(len(NAMES)) as pool:
        ends = list(pool.map(write, NAMES))

    assert 1_000_000 - 3_000 < sum(ends) <= 1_000_000
    assert total(shelf) == Amount(sum(ends))


Acts = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["call", "call", "call", "rest", "die"]), st.integers(1, 120_000),
              st.integers(0, 100)),
    max_size=25,
)  # fmt: skip
"""A book, what happens to it, the worst of its call, and which part of that it takes."""


@pytest.fixture(scope="module")
def own_shelf(tmp_path_factory: pytest.TempPathFactory) -> Database:
    database = open_database(load_settings(home=tmp_path_factory.mktemp("studio")))
    migrate.upgrade(database)
    make_books(database)
    return database


@given(acts=Acts, cap=st.integers(1, 600_000))
def test_spent_and_handed_out_never_pass_the_cap(
    own_shelf: Database, acts: list[tuple[str, str, int, int]], cap: int
) -> None:
    begin_anew(own_shelf)
    spent, limits = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)

    for book, act, worst, share in acts:
        if act != "call":
            limits[book] = 0
            rest(own_shelf, book) if act == "rest" else die(own_shelf, book)
            continue
        with own_shelf.write(Failpoint.EDIT_BOOK) as connection:
            connection.execute(
                update(books).where(books.c.id == book).values(lease_owner="w", lease_expires=database_now() + SECONDS)
            )
        try:
            if spent[book] + worst > limits[book]:
                limits[book] = ask(own_shelf, book, spent[book], worst, Cap(cost=cap))
        except BudgetExceeded:
            continue
        spent[book] += worst * share // 100
        spend(own_shelf, book, spent[book])
        assert total(own_shelf).cost <= cap

    assert sum(spent.values()) <= cap


def begin_anew(database: Database) -> None:
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(allowances.delete())
        connection.execute(update(books).values(cost=0, lease_owner="w", lease_expires=database_now() + SECONDS))


def die(database: Database, book: str) -> None:
    with database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).where(books.c.id == book).values(lease_expires=database_now() - 1))
