"""A book's slices of the studio's cap, over a real database."""

from pathlib import Path

import pytest
from sqlalchemy import event

from bookwright.agents.backends.spending.budget import Allowance
from bookwright.failpoints import Failpoint
from bookwright.models.amount import Amount, Cap
from bookwright.models.errors import BudgetExceeded, LeaseLost
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book, make_settings

CAP = Cap(cost=1_000_000)


@pytest.fixture
def storage(tmp_path: Path) -> BookStorage:
    return make_book(make_settings(tmp_path), [])


@pytest.fixture
def journal(storage: BookStorage) -> Journal:
    with storage.database.write(Failpoint.TAKE_LEASE) as connection:
        return Journal(storage, Lease.take(connection, storage.book, "the test", 60))


def test_one_transaction_serves_many_calls(storage: BookStorage, journal: Journal) -> None:
    allowance = Allowance(storage.book, CAP, journal, 60)
    began: list[object] = []
    event.listen(storage.database.engine, "begin", began.append)

    assert not allowance.covers(Amount(), 1_000, 5)
    allowance.extend(Amount(), 1_000, 5)

    assert all(allowance.covers(Amount(cost), 1_000, 5) for cost in range(0, 49_001, 1_000))
    assert not allowance.covers(Amount(49_001), 1_000, 5)
    assert len(began) == 1


def test_an_unknown_price_is_refused_under_a_cap_in_money_and_not_under_one_in_tokens(
    storage: BookStorage, journal: Journal
) -> None:
    with pytest.raises(BudgetExceeded, match="price is unknown"):
        Allowance(storage.book, CAP, journal, 60).extend(Amount(), None, 5)

    in_tokens = Allowance(storage.book, Cap(tokens=100), journal, 60)
    in_tokens.extend(Amount(), None, 5)

    assert in_tokens.covers(Amount(), None, 20)
    assert not in_tokens.covers(Amount(), None, 21)


def test_a_silence_as_long_as_half_a_lease_puts_a_slice_in_doubt(storage: BookStorage, journal: Journal) -> None:
    assert Allowance(storage.book, CAP, journal, lease_seconds=0).is_doubtful
    assert not Allowance(storage.book, CAP, journal, lease_seconds=1_000).is_doubtful


def test_a_silence_is_remembered_over_a_renewal_until_a_slice_is_asked_for(
    storage: BookStorage, journal: Journal
) -> None:
    journal.last_renewed -= 1_000
    journal.renew()
    allowance = Allowance(storage.book, CAP, journal, 100)
    assert allowance.is_doubtful

    allowance.extend(Amount(), 1_000, 5)

    assert not allowance.is_doubtful


def test_who_was_overtaken_is_handed_nothing(storage: BookStorage, journal: Journal) -> None:
    with storage.write() as stores:
        stores.books.change(storage.book, lease_owner="another", lease_token=99)

    with pytest.raises(LeaseLost):
        Allowance(storage.book, CAP, journal, 60).extend(Amount(), 1_000, 5)
