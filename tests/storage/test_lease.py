"""One writer a book: who comes second pays nothing, and who was overtaken writes nothing."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import delete, select, update

from bookwright.failpoints import Failpoint
from bookwright.models.book import BookState
from bookwright.models.errors import BookHeld, BookNotFound, LeaseLost
from bookwright.storage.engine.database import database_now
from bookwright.storage.lease import Lease, interrupted
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import books
from tests.storage.conftest import BACKINGS, BOOK

SECONDS = 60.0


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


def take(storage: BookStorage, owner: str, seconds: float = SECONDS, *, wished_since: float | None = None) -> Lease:
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        return Lease.take(connection, BOOK, owner, seconds, wished_since=wished_since)


def run_out(storage: BookStorage) -> None:
    """Let the lease have ended a second ago, by the database's clock."""
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).values(lease_expires=database_now() - 1))


def title(storage: BookStorage) -> str:
    with storage.read() as stores:
        return stores.books.get(BOOK).title


def test_a_free_book_is_taken_with_a_new_token(storage: BookStorage) -> None:
    lease = take(storage, "worker A")

    with storage.read() as stores:
        book = stores.books.get(BOOK)
    assert (book.lease_owner, lease.token) == ("worker A", 1)


def test_whoever_takes_a_book_that_was_deleted_meanwhile_is_told_so(storage: BookStorage) -> None:
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(delete(books).where(books.c.id == BOOK))

    with pytest.raises(BookNotFound, match=f"there is no book '{BOOK}' any more"):
        take(storage, "worker A")


def test_the_second_taker_is_told_by_whom_and_for_how_long(storage: BookStorage) -> None:
    take(storage, "worker A")

    with pytest.raises(BookHeld, match="worker A") as held:
        take(storage, "worker B")

    assert (held.value.book, held.value.owner) == (BOOK, "worker A")
    assert SECONDS - 30 < held.value.seconds_left <= SECONDS
    assert held.value.exit_code == 3


def test_a_lease_that_ran_out_is_taken_over(storage: BookStorage) -> None:
    first = take(storage, "worker A")
    run_out(storage)

    second = take(storage, "worker B")

    assert second.token == first.token + 1
    with pytest.raises(BookHeld, match="worker B"):
        take(storage, "worker C")


def test_who_was_overtaken_writes_nothing(storage: BookStorage) -> None:
    stale = take(storage, "worker A")
    run_out(storage)
    take(storage, "worker B")

    with pytest.raises(LeaseLost), storage.database.write(Failpoint.EDIT_BOOK) as connection:
        stale.fence(connection, title="A's title")

    assert title(storage) == "The Log"


def test_a_write_before_the_fence_is_undone_with_it(storage: BookStorage) -> None:
    stale = take(storage, "worker A")
    run_out(storage)
    take(storage, "worker B")

    def write_first() -> None:
        with storage.write() as stores:
            stores.books.change(BOOK, title="A's title")
            stale.fence(stores.connection)

    with pytest.raises(LeaseLost):
        write_first()

    assert title(storage) == "The Log"


def test_a_lease_that_ran_out_still_holds_while_nobody_took_over(storage: BookStorage) -> None:
    lease = take(storage, "worker A")
    run_out(storage)

    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        lease.fence(connection, title="A's title")

    assert title(storage) == "A's title"
    with pytest.raises(BookHeld):
        take(storage, "worker B")


def test_each_write_renews_the_lease(storage: BookStorage) -> None:
    lease = take(storage, "worker A")
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        connection.execute(update(books).values(lease_expires=database_now() + 1))

    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        lease.fence(connection)

    with pytest.raises(BookHeld) as held:
        take(storage, "worker B")
    assert held.value.seconds_left > SECONDS - 30


def test_a_released_book_is_free(storage: BookStorage) -> None:
    lease = take(storage, "worker A")

    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        lease.release(connection)

    assert take(storage, "worker B").token == 2


def test_who_was_overtaken_releases_nothing(storage: BookStorage) -> None:
    stale = take(storage, "worker A")
    run_out(storage)
    take(storage, "worker B")

    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        stale.release(connection)

    with pytest.raises(BookHeld, match="worker B"):
        take(storage, "worker C")


@pytest.mark.parametrize("renewed", [False, True])
def test_a_dead_workers_lease_is_ended_unless_it_was_renewed_since(storage: BookStorage, renewed: bool) -> None:
    lease = take(storage, "worker A")
    with storage.read() as stores:
        sign = stores.books.get(BOOK).lease_expires
    if renewed:
        time.sleep(0.002)  # SQLite's clock counts milliseconds
        with storage.database.write(Failpoint.EDIT_BOOK) as connection:
            lease.fence(connection)

    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        has_ended = Lease.end(connection, BOOK, "worker A", sign)

    assert has_ended is not renewed
    if has_ended:
        assert take(storage, "worker B").token == 2


def test_a_stop_that_was_asked_for_is_heard_and_forgotten_by_the_next_taker(storage: BookStorage) -> None:
    lease = take(storage, "worker A")
    with storage.write() as stores:
        stores.books.ask_to_rest(BOOK)

    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        assert lease.fence(connection).is_stop_asked
        lease.release(connection)

    next_lease = take(storage, "worker B")
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        assert not next_lease.fence(connection).is_stop_asked


def is_stop_asked(storage: BookStorage, lease: Lease) -> bool:
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        return lease.fence(connection).is_stop_asked


@pytest.mark.parametrize(("hours", "is_heard"), [(0, True), (47, True), (49, False), (None, False)])
def test_a_stop_that_was_asked_for_since_the_run_was_handed_in_is_heard_however_long_it_was_queued(
    storage: BookStorage, hours: int | None, is_heard: bool
) -> None:
    """The run was handed in two days ago; one that asks for no wish is no run."""
    with storage.write() as stores:
        stores.books.ask_to_rest(BOOK)
        earlier = books.c.stop_requested_at - 3_600 * (hours or 0)
        stores.connection.execute(update(books).values(stop_requested_at=earlier))
        stores.books.change(BOOK, title="Another One")  # which does not make the wish a newer one

    lease = take(storage, "worker A", wished_since=None if hours is None else time.time() - 48 * 3_600)

    assert is_stop_asked(storage, lease) is is_heard


@pytest.mark.parametrize("is_asked_again", [False, True])
def test_a_stop_that_a_holder_did_not_mean_to_hear_is_left_to_the_next_one(
    storage: BookStorage, is_asked_again: bool
) -> None:
    with storage.write() as stores:
        stores.books.ask_to_rest(BOOK)
    lease = take(storage, "refresh")
    assert not is_stop_asked(storage, lease)
    if is_asked_again:
        time.sleep(0.002)  # SQLite's clock counts milliseconds
        with storage.write() as stores:
            stores.books.ask_to_rest(BOOK)
        assert is_stop_asked(storage, lease)
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        lease.release(connection)

    assert is_stop_asked(storage, take(storage, "a queued run", wished_since=0.0))


@pytest.mark.parametrize("has_died", [False, True])
def test_a_stop_that_a_worker_did_not_live_to_hear_is_heard_by_the_next_that_is_to_hear_of_it(
    storage: BookStorage, has_died: bool
) -> None:
    take(storage, "worker A")
    if has_died:
        run_out(storage)
    with storage.write() as stores:
        stores.books.set_state(BOOK, BookState.WRITING)
        stores.books.ask_to_rest(BOOK)
        asked_at = stores.books.get(BOOK).stop_requested_at
    run_out(storage)

    with storage.read() as stores:
        assert interrupted(stores.connection) == []  # nobody hands it in anew
    assert is_stop_asked(storage, take(storage, "worker B", -1, wished_since=0.0))
    assert not is_stop_asked(storage, take(storage, "worker C", wished_since=asked_at))


def test_of_two_that_race_one_wins(storage: BookStorage) -> None:
    barrier = Barrier(2)

    def race(owner: str) -> str:
        barrier.wait()
        try:
            take(storage, owner)
        except BookHeld as held:
            return f"{owner} waits for {held.owner}"
        return owner

    with ThreadPoolExecutor(2) as pool:
        ends = sorted(pool.map(race, ["A", "B"]))

    assert ends in (["A", "B waits for A"], ["A waits for B", "B"])


@pytest.mark.parametrize(("silent_seconds", "is_renewed"), [(0.45 * SECONDS, False), (0.55 * SECONDS, True)])
def test_a_lease_that_half_its_time_has_passed_over_is_renewed_before_anything_is_paid(
    storage: BookStorage, silent_seconds: float, is_renewed: bool
) -> None:
    journal = Journal(storage, take(storage, "worker A"))
    run_out(storage)
    journal.last_renewed -= silent_seconds

    journal.keep()

    with storage.database.read() as connection:
        left = connection.execute(select(books.c.lease_expires - database_now())).scalar_one()
    assert (left > 0) is is_renewed


def test_who_lost_the_book_while_asleep_learns_it_before_anything_is_paid(storage: BookStorage) -> None:
    journal = Journal(storage, take(storage, "worker A"))
    run_out(storage)
    take(storage, "worker B")
    journal.last_renewed -= SECONDS

    with pytest.raises(LeaseLost):
        journal.keep()
