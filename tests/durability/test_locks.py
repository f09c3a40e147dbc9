"""SQLite locked by another process, and a reader that holds an old state for long.

Source: facts/durability-performance, sections 4 and 5.3.
"""

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bookwright.app.doctor.health import Health
from bookwright.cli.operating.doctor import CHECKS
from bookwright.models.book import BookState
from bookwright.models.settings import Settings
from bookwright.storage.engine.engines import LOG_BYTES
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import attempt
from tests.durability.children import calls_in, provider, wait_for_calls
from tests.durability.command import RESUME, WRITE, asked, bookwright, environment, settings_of, the_book
from tests.support.books import make_book, make_settings

_HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
for statement in sys.argv[2:]:
    connection.execute(statement).fetchall()
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def busied(settings: Settings, *statements: str) -> Iterator[int]:
    """Keep a transaction open on a library in another process; yields that process's id."""
    command = [sys.executable, "-c", _HOLDER, str(settings.database_path), *statements]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.communicate("")


@pytest.mark.parametrize(
    ("seconds", "busy_seconds"),
    [
        pytest.param(1, 30, id="for a second"),
        pytest.param(1, 0, marks=pytest.mark.soak, id="for longer than SQLite waits"),
        pytest.param(60, 30, marks=pytest.mark.soak, id="for a minute"),
    ],
)
def test_a_lock_that_ends_is_not_noticed(tmp_path: Path, seconds: float, busy_seconds: float) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    with provider(ledger) as url:
        variables = environment(tmp_path / "home", url, busy_seconds=busy_seconds, lease_seconds=600)
        settings = settings_of(variables)
        command = bookwright(variables, *WRITE, output=output)
        wait_for_calls(ledger, 3)
        with busied(settings, "BEGIN IMMEDIATE"):
            time.sleep(seconds)
            calls = asked(url)
            time.sleep(0.2)
            assert asked(url) == calls  # one paid reply waits in memory, and no further one is paid

        assert command.wait() == 0, command.said

    assert max(Counter(str(call["prompt_hash"]) for call in calls_in(ledger)).values()) == 1
    assert the_book(settings).calls == len(calls_in(ledger))
    assert "locked" not in command.said


@pytest.mark.slow
def test_a_lock_for_ever_ends_in_a_rest_that_names_its_holder(tmp_path: Path) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    with provider(ledger) as url:
        variables = environment(tmp_path / "home", url, busy_seconds=0.1, record_seconds=1)
        settings = settings_of(variables)
        command = bookwright(variables, *WRITE, output=output)
        wait_for_calls(ledger, 3)

        with busied(settings, "BEGIN IMMEDIATE") as holder:
            assert command.wait() == 4, command.said
        words = command.said.splitlines()[-1]
        assert words.startswith(f"bookwright: process {holder} (python")
        assert "has locked the database; let it end, or end it, and try again" in words
        assert the_book(settings).state is BookState.WRITING  # nobody could write otherwise

        assert bookwright(variables, *RESUME, output=output).wait() == 0, command.said
    paid = Counter(str(call["prompt_hash"]) for call in calls_in(ledger))
    assert sum(count - 1 for count in paid.values()) <= 1  # the reply in hand, if the lock came while there was one


def test_a_library_that_is_locked_from_the_start_is_told_and_nothing_paid(tmp_path: Path) -> None:
    ledger, output = tmp_path / "ledger.jsonl", tmp_path / "output"
    settings = make_settings(tmp_path / "home")
    make_book(settings, [], title="The Log", identity="the-log").database.dispose()
    with provider(ledger) as url, busied(settings, "BEGIN IMMEDIATE") as holder:
        variables = environment(tmp_path / "home", url, busy_seconds=0.1)

        command = bookwright(variables, *RESUME, output=output)

        assert command.wait() == 1
        assert f"process {holder} (python" in command.said
        assert asked(url) == 0


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1_500, pytest.param(5_000, marks=pytest.mark.soak)])
def test_the_log_shrinks_again_after_a_reader_that_stayed_for_long(tmp_path: Path, steps: int) -> None:
    settings = make_settings(tmp_path)
    storage = make_book(settings, [])
    record = _recorder(storage)
    log = settings.database_path.with_name("bookwright.db-wal")
    with busied(settings, "BEGIN", "SELECT count(*) FROM books") as reader:
        for number in range(steps):
            record(number)
        grown = log.stat().st_size
        health, words = CHECKS["log"](settings)

    for number in range(steps, steps + 400):
        record(number)

    assert grown > 2 * LOG_BYTES
    assert health is Health.WARNING
    assert f"process {reader} (python" in words
    assert log.stat().st_size <= LOG_BYTES
    assert CHECKS["log"](settings)[0] is Health.OK


def _recorder(storage: BookStorage) -> Callable[[int], int]:
    """Return what records a step of 2 KB that nothing compresses."""
    with storage.write() as stores:
        lease = Lease.take(stores.connection, storage.book, "the test", 600)
        root = stores.nodes.root()
    journal = Journal(storage, lease)
    lot = random.Random(5)
    return lambda number: journal.record(attempt(root, "draft", lot.randbytes(1_500).hex(), number=number + 1))
