"""Workers that end at named places: forked into a process group of their own, armed, and awaited."""

import os
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
from sqlalchemy import Row, inspect, select, update

from bookwright import failpoints
from bookwright.failpoints import Failpoint
from bookwright.models.errors import BookHeld, BookwrightError
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database, open_database
from bookwright.storage.engine.sqlite import sqlite_driver
from bookwright.storage.tables import books
from tests.durability.children import calls_in
from tests.durability.command import asked, order
from tests.durability.invariants import Entry, violations

Work = Callable[[Settings], None]

RAISED = 70
"""The exit code of a worker that ended by a fault of the program."""

JOURNAL_READS = "journal-reads"
_NOTED_WITHIN = 2
"""Seconds."""
"""A file where a worker leaves word of how often it read the journal before its first call."""

_SECONDS = 120


@dataclass(frozen=True)
class Scenario:
    """Some work of a worker, and the failpoints that it passes."""

    name: str
    covers: frozenset[Failpoint]
    work: Work
    """Done by each worker from its beginning, until one comes to the end."""
    outcome: Callable[[Settings], object]
    """What was made; after a crash it must equal that of an undisturbed run."""
    prepare: tuple[Work, ...] = ()
    """Done once, undisturbed, one after the other, before all trials; without any they begin on an empty database."""
    first_call: str = ""
    """A trouble of the fake provider for the first call of a trial."""
    lease_seconds: float = 6
    """Long enough for a busy machine; a dead worker's is not waited for."""
    fills_index: bool = False
    """Whether its work fills an index of vectors, which has threads that live as long as their process."""
    units: int = 0
    """Those of a book that is read whole at its end: of each it is looked up whether it was put right."""


@dataclass(frozen=True)
class Ending:
    """How a worker ended, or that it was stopped."""

    signal: int = 0
    code: int = 0
    is_stopped: bool = False
    words: str = ""
    """What it said last."""

    @property
    def is_killed(self) -> bool:
        return self.signal == signal.SIGKILL

    @property
    def is_good(self) -> bool:
        return not (self.signal or self.code or self.is_stopped)

    def __str__(self) -> str:
        return f"ended by signal {self.signal}" if self.signal else f"ended with {self.code}: {self.words}"


@dataclass(frozen=True)
class World:
    """One trial's own data folder and database, and what its workers are called at the provider."""

    settings: Settings
    names: tuple[str, ...]
    ledger: Path
    url: str

    @property
    def calls(self) -> list[Entry]:
        """What its workers asked."""
        return calls_in(self.ledger, self.names)

    def rival(self) -> "World":
        """The same world for another worker, whose calls can be told from the first one's."""
        name = f"{self.names[-1]}-rival"
        return replace(
            self, settings=self.settings.model_copy(update={"model": f"compatible:{name}"}), names=(*self.names, name)
        )

    def start(self, work: Work, spec: str = "", log: str = "") -> int:
        """Fork a worker that does some work, armed; returns its pid."""
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os._exit(_worked(lambda: work(self.settings), spec, log, self._words(os.getpid())))
        return pid

    def wait(self, pid: int) -> Ending:
        """Wait until a worker ends or is stopped; one that does neither is killed."""
        deadline = time.monotonic() + _SECONDS
        while (found := os.waitpid(pid, os.WNOHANG | os.WUNTRACED)) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return Ending(code=-1, words=f"it did not end within {_SECONDS} s")
            time.sleep(0.01)
        if os.WIFSTOPPED(found[1]):
            return Ending(is_stopped=True)
        code, words = os.waitstatus_to_exitcode(found[1]), self._words(pid)
        return Ending(-min(code, 0), max(code, 0), words=words.read_text() if words.exists() else "")

    def run(self, work: Work, spec: str = "", log: str = "") -> Ending:
        """Have a worker do some work, armed, and wait for it."""
        return self.wait(self.start(work, spec, log))

    def take_over(self, work: Work) -> Ending:
        """Have a worker do some work as soon as the lease of another has run out."""
        deadline = time.monotonic() + _SECONDS
        while (ending := self.run(work)).code == BookHeld.exit_code and time.monotonic() < deadline:
            time.sleep(0.4)
        return ending

    def slow_down(self, trouble: str) -> None:
        """Order a trouble for the next call, or none."""
        order(self.url, {asked(self.url): trouble} if trouble else {})

    def let_leases_run_out(self) -> None:
        """Let the time pass that a dead worker's lease has left, without waiting for it."""
        with closing(_Opened(self.settings)) as opened:
            opened.let_leases_run_out()

    def shelf(self) -> Sequence[Row[tuple[object, ...]]]:
        """How its books stand, in the first database's columns: a fault may have kept it from migrating."""
        of_book = select(books.c.id, books.c.state, books.c.reason, books.c.advice)
        with closing(_Opened(self.settings)) as opened, opened.database.read() as connection:
            return connection.execute(of_book).all() if opened.has_books else []

    def wrongs(self, deaths: int) -> list[str]:
        """What does not hold, of the invariants; a provider notes a reply after it was given, and is waited for."""
        until = time.monotonic() + _NOTED_WITHIN
        with closing(_Opened(self.settings)) as opened:
            while (found := violations(opened.database, self.calls, deaths)) and time.monotonic() < until:
                time.sleep(0.05)
            return found

    def bury(self, deaths: int) -> list[str]:
        """Return what does not hold after a worker's death, and let its lease run out."""
        found = self.wrongs(deaths)
        self.let_leases_run_out()
        return found

    @property
    def is_locked(self) -> bool:
        """True while somebody is in the middle of what keeps all others out: a write to SQLite, a restore."""
        if self.settings.database_url:
            return _is_locked(self.settings.database_url)
        with closing(sqlite_driver().connect(self.settings.database_path, timeout=0)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite_driver().OperationalError:
                return True
            return False

    @property
    def journal_reads(self) -> int:
        """How often the last worker that asked anything had read the journal before."""
        note = self.settings.home / JOURNAL_READS
        return int(note.read_text()) if note.exists() else 0

    def _words(self, pid: int) -> Path:
        return self.settings.home.with_name(f"{self.settings.home.name}.{pid}.words")


def _is_locked(address: str) -> bool:
    with psycopg.connect(address) as connection:
        connection.execute("SET lock_timeout = '1s'")
        try:
            connection.execute("LOCK TABLE books IN ACCESS SHARE MODE")
        except psycopg.errors.LockNotAvailable:
            return True
        except psycopg.errors.UndefinedTable:
            return False  # as before the first migration
        return False


class _Opened:
    """A look at a world's database, which may be empty yet."""

    def __init__(self, settings: Settings) -> None:
        self.database: Database = open_database(settings)

    @property
    def has_books(self) -> bool:
        with self.database.read() as connection:
            return inspect(connection).has_table(books.name)

    def let_leases_run_out(self) -> None:
        if self.has_books:
            with self.database.engine.begin() as connection:
                connection.execute(update(books).values(lease_expires=0.0))

    def close(self) -> None:
        self.database.dispose()


def _worked(work: Callable[[], None], spec: str, log: str, words: Path) -> int:
    """Do a worker's work and return its exit code, leaving word of what went wrong."""
    try:
        failpoints.arm(spec, log)
        work()
        return 0
    except BookwrightError as error:
        words.write_text(str(error))
        return error.exit_code
    except BaseException:
        words.write_text(traceback.format_exc())
        return RAISED
