"""How a database tells that it is doing, on both databases."""

import pytest
from sqlalchemy import select

from bookwright.failpoints import Failpoint
from bookwright.storage.engine.condition import (
    check_after_unclean_stop,
    clock_ahead,
    faults,
    log_of,
    server_version,
    stuck_sessions,
)
from bookwright.storage.lease import Lease, holders
from bookwright.storage.steps.retention import Freed, Keep, give_back, let_go
from bookwright.storage.tables import texts
from tests.storage.conftest import BACKINGS, BOOK


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


def test_a_holder_is_told_with_the_time_that_is_left(database, storage):
    with database.write(Failpoint.EDIT_BOOK) as connection:
        Lease.take(connection, BOOK, "worker 7 on elsewhere", 600)

    with database.read() as connection:
        [holder] = holders(connection)

    assert (holder.book, holder.owner, holder.is_alive) == (BOOK, "worker 7 on elsewhere", True)
    assert 0 < holder.seconds_left <= 600


def test_a_whole_database_has_no_faults(database, storage):
    with database.write(Failpoint.EDIT_BOOK) as connection:
        Lease.take(connection, BOOK, "a dead one", 0)

    check_after_unclean_stop(database, BOOK)

    assert faults(database) == faults(database, is_deep=True) == []


def test_the_clock_of_a_database_on_this_machine_is_this_machines(database):
    with database.read() as connection:
        connection.exec_driver_sql("SELECT 1")
        assert abs(clock_ahead(connection)) < 60


def test_postgres_names_its_version_and_no_stuck_session(database, backing, settings):
    with database.read() as connection:
        if backing == "postgres":
            assert server_version(connection)[0].isdigit()
            assert stuck_sessions(connection) == []
    if backing == "sqlite":
        assert log_of(database, settings).is_used


def test_pruned_room_is_given_back_by_sqlite_and_kept_for_reuse_by_postgres(database, storage, settings, backing):
    with storage.write() as stores:
        lease = Lease.take(stores.connection, BOOK, "a test", 60)
        stores.texts.put({"stray": "what no prompt of a step refers to is not ours to remove"})

    assert let_go(database, lease, Keep(last=0)) == Freed(BOOK, 0, 0, 0)

    with storage.write() as stores:
        lease.release(stores.connection)
    assert give_back(database, settings) is (backing == "sqlite")
    with database.read() as connection:
        assert connection.execute(select(texts.c.hash)).scalars().all() == ["stray"]
