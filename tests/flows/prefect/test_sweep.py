"""Which flow runs are taken for dead, and what becomes of them; tests/durability/test_studio.py kills real ones."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from prefect.client.schemas.objects import FlowRun, State
from prefect.states import Crashed, Pending, Running

from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, opened_library
from bookwright.flows.prefect.workers import is_to_go_on, state_of_dead
from bookwright.models.book import BookState
from bookwright.models.brief import make_brief
from bookwright.models.settings import load_settings
from bookwright.storage.engine.database import Database
from bookwright.storage.lease import Lease, interrupted
from bookwright.storage.repositories.books import BookRepository

BRIEF = make_brief({"premise": "A keeper finds a log.", "length": 900, "title": "The Log"})
LONG_AGO, JUST_NOW = timedelta(hours=1), timedelta(seconds=1)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with opened_library(load_settings(home=tmp_path)) as database:
        yield database


@pytest.fixture
def book(database: Database) -> str:
    return find_or_create(database, BRIEF).id


def take(database: Database, book: str, seconds: float) -> Lease:
    """Write the book, as a worker does whose lease lasts so long."""
    with database.write(Failpoint.TAKE_LEASE) as connection:
        lease = Lease.take(connection, book, "process 1 on host", seconds)
        BookRepository(connection).set_state(book, BookState.WRITING)
    return lease


def rest(database: Database, book: str, lease: Lease) -> None:
    with database.write(Failpoint.LEAVE_BOOK) as connection:
        BookRepository(connection).set_state(book, BookState.PAUSED, "asked to rest")
        lease.release(connection)


def run_of(age: timedelta, kind: Any = Running, start_time: datetime | None = None) -> FlowRun:
    """A run that has said nothing new for so long."""
    state: State[None] = kind()
    state.timestamp = datetime.now(UTC) - age
    return FlowRun(flow_id=uuid4(), state=state, start_time=start_time or datetime.now(UTC) - age)


def test_a_run_whose_book_is_held_is_left_alone(database: Database, book: str) -> None:
    take(database, book, seconds=60)

    assert state_of_dead(run_of(LONG_AGO), book, database) is None


def test_a_run_whose_book_lost_its_worker_is_given_again_at_once(database: Database, book: str) -> None:
    take(database, book, seconds=-1)

    state = state_of_dead(run_of(JUST_NOW), book, database)

    assert state is not None
    assert state.name == "AwaitingRetry"
    with database.read() as connection:
        assert interrupted(connection) == [book]


@pytest.mark.parametrize("kind", [Pending, Running])
def test_a_run_that_has_not_taken_its_book_is_given_time(database: Database, book: str, kind: Any) -> None:
    young = state_of_dead(run_of(JUST_NOW, kind), book, database)
    old = state_of_dead(run_of(LONG_AGO, kind, start_time=datetime.now(UTC)), book, database)

    assert young is None
    assert old is not None
    assert old.name == "AwaitingRetry"


def test_a_run_that_died_after_its_book_came_to_rest_does_not_write_it_on(database: Database, book: str) -> None:
    rest(database, book, take(database, book, seconds=60))

    state = state_of_dead(run_of(LONG_AGO), book, database)

    assert state is not None
    assert state.name == "Crashed"
    with database.read() as connection:
        assert interrupted(connection) == []


def test_a_book_is_known_by_a_beginning_of_its_id(database: Database, book: str) -> None:
    take(database, book, seconds=60)

    assert state_of_dead(run_of(LONG_AGO), book[:5], database) is None


@pytest.mark.parametrize(("crashes", "seconds_after", "goes_on"), [(1, -1, True), (10, -1, False), (1, 3_600, False)])
def test_a_crashed_book_goes_on_unless_it_crashed_often_or_somebody_wrote_it_since(
    crashes: int, seconds_after: float, goes_on: bool
) -> None:
    runs = [run_of(JUST_NOW, Crashed) for _ in range(crashes)]
    last = max(run.state.timestamp.timestamp() for run in runs if run.state)

    assert is_to_go_on(runs, last + seconds_after) is goes_on
