"""Jumps of the time of day: of a machine's own clock under SQLite, of the worker's alone under Postgres.

Source: facts/durability-performance, section 5.3: the lease goes by the database's clock, all waits by monotonic ones.
"""

import os
import random
import signal
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bookwright.models.settings import Settings
from bookwright.storage.engine.database import open_database
from bookwright.storage.tables import steps
from tests.durability.children import calls_in, provider, wait_for_calls
from tests.durability.clock import Clock, go
from tests.durability.command import (
    RESUME,
    WRITE,
    asked,
    bookwright,
    environment,
    order,
    settings_of,
    the_book,
    tokens,
    wait_until,
)
from tests.support.postgres import PostgresServer

HOUR = 3_600
END_OF_SUMMER_TIME = datetime(2026, 10, 25, 1, tzinfo=UTC).timestamp()


def shortest(settings: Settings) -> int:
    """The shortest duration on record, in milliseconds."""
    database = open_database(settings)
    with database.read() as connection:
        query = select(func.min(steps.c.duration_millis), func.min(steps.c.first_event_millis))
        found = connection.execute(query).one()
    database.dispose()
    return min(value for value in found if value is not None)


@pytest.mark.slow
def test_a_clock_that_jumps_is_not_noticed_by_the_only_worker(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    clock, lot = Clock.made_in(tmp_path), random.Random(3)
    change = int(END_OF_SUMMER_TIME - time.time())
    with provider(ledger) as url:
        variables = environment(tmp_path / "home", url, lease_seconds=1)
        worker = clock.begin(variables | {"TZ": "Europe/Berlin"}, *WRITE)

        go(worker)
        while worker.poll() is None:
            clock.jump(lot.choice([HOUR, -HOUR, change - 1, change + 1, 0]))
            time.sleep(0.02)

        said, _ = worker.communicate()
    assert worker.returncode == 0, said
    assert max(Counter(str(call["prompt_hash"]) for call in calls_in(ledger)).values()) == 1
    assert shortest(settings_of(variables)) >= 0


@pytest.mark.soak
def test_a_clock_that_jumps_forward_lets_another_take_over_and_fences_the_first_out(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    clock = Clock.made_in(tmp_path)
    with provider(ledger) as url:
        order(url, {3: "hang"})
        variables = environment(tmp_path / "home", url, lease_seconds=30)
        settings = settings_of(variables)
        first, other = clock.begin(variables, *WRITE), clock.begin(variables, *RESUME)
        go(first)
        wait_until(lambda: asked(url) == 4, "the fourth call is on its way")

        clock.jump(HOUR)
        go(other)

        said, _ = other.communicate()
        first_said, _ = first.communicate()
    assert (first.returncode, other.returncode) == (3, 0), first_said + said
    assert "another worker has taken over book" in first_said
    assert tokens(settings) == sorted(tokens(settings))
    assert max(Counter(str(call["prompt_hash"]) for call in calls_in(ledger) if call["is_whole"]).values()) == 1
    assert shortest(settings) >= 0


@pytest.mark.soak
def test_a_clock_that_was_set_back_does_not_keep_a_dead_workers_book(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    clock = Clock.made_in(tmp_path)
    with provider(ledger) as url:
        variables = environment(tmp_path / "home", url, lease_seconds=1)
        killed = bookwright(variables, *WRITE, output=tmp_path / "output")
        wait_for_calls(ledger, 3)
        os.kill(killed.pid, signal.SIGKILL)
        assert killed.wait() == -signal.SIGKILL

        clock.jump(-HOUR)
        worker = clock.begin(variables, *RESUME)
        go(worker)

        said, _ = worker.communicate()
    assert worker.returncode == 0, said
    assert f"process {killed.pid} on" in said
    assert shortest(settings_of(variables)) >= 0


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.postgres
def test_on_postgres_a_worker_with_a_wrong_clock_takes_nothing_over(tmp_path: Path, postgres: PostgresServer) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    clock = Clock.made_in(tmp_path)
    with provider(ledger) as url:
        order(url, {3: "hang"})
        database = {"database_url": postgres.url(postgres.new_database())}
        variables = environment(tmp_path / "home", url, lease_seconds=600, **database)
        first = bookwright(variables, *WRITE, output=output)
        wait_until(lambda: asked(url) == 4, "the fourth call is on its way")
        clock.jump(HOUR)

        other = clock.begin(variables, *RESUME)
        go(other)
        said, _ = other.communicate()

        assert other.returncode == 3, said
        assert f"is being written by process {first.pid}" in said
        assert asked(url) == 4
        os.kill(first.pid, signal.SIGINT)
        os.kill(first.pid, signal.SIGINT)
        assert first.wait() == 130
        assert the_book(settings_of(variables)).lease_owner is None
        worker = clock.begin(variables, *RESUME)  # an hour ahead, and nobody minds
        go(worker)
        said, _ = worker.communicate()
    assert worker.returncode == 0, said
    assert max(Counter(str(call["prompt_hash"]) for call in calls_in(ledger) if call["is_whole"]).values()) == 1
    assert shortest(settings_of(variables)) >= 0
