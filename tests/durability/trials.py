"""Trials: a scenario whose workers are ended, stopped or failed at named places, and what came of it.

Each has a data folder and a database of its own, copied from one that was prepared once. Others go
on from what an ended worker left, and what they make must be what an undisturbed run makes.
Source: facts/durability-performance.md section 5.2.
"""

import importlib
import os
import re
import shutil
import signal
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bookwright import failpoints
from bookwright.failpoints import FailpointReached
from bookwright.models.book import BookState
from bookwright.models.errors import BookPaused, LeaseError, StorageError
from bookwright.models.settings import Settings, load_settings
from tests.durability.crashes import RAISED, Scenario, Work, World
from tests.support.postgres import PostgresServer

PAID_AGAIN = {"after:call_model": 1, "before:record_step": 1}
"""Calls that are paid again after a death there: the reply was paid for and not on record yet."""
IN_A_CALL = ("before:renew_lease", "after:renew_lease")
"""Places that are passed while a call is on its way; a death there may cost it."""

_TELLS_NOTHING = re.compile("after:take_lease|before:leave_book")
"""Where a fault leaves a book as a death would: held by a worker that is gone, until its lease runs out."""
_LEFT_NOTHING = "nothing was changed"
"""Said to whoever wakes up before an order that another has carried out meanwhile."""
_MOST_READS = 7
"""Of the journal before the first call, however much is recorded: whether the book's model has answered, the steps of
the activity under way, of the one before it and of the maintainer, and the times for the folder's progress file. For a
book of one piece also the choice between the stories that were told for it, and its own steps once more after that."""


@dataclass(frozen=True)
class Calm:
    """A scenario made ready, and what an undisturbed run of it came to."""

    scenario: Scenario
    prepared: World
    outcome: object
    passed: Counter[str]
    """How often each place was passed."""
    calls: int
    """How many calls it took."""


@dataclass
class Trial:
    """What came of a scenario and the ends of its workers."""

    scenario: str
    specs: tuple[str, ...]
    reached: list[str] = field(default_factory=list)
    """The places at which a worker did end, stop or fail."""
    again: int = 0
    """Calls beyond those of an undisturbed run."""
    wrongs: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.scenario}, {' then '.join(self.specs)}: {'; '.join(self.wrongs) or 'survived'}"

    def expect(self, holds: bool, wrong: str) -> None:
        if not holds:
            self.wrongs.append(wrong)


@dataclass(frozen=True)
class Stage:
    """Where trials take place: a folder, a provider, and a Postgres server or none."""

    folder: Path
    url: str
    ledger: Path
    postgres: PostgresServer | None = None
    _numbers: "count[int]" = field(default_factory=count)
    _prepared: dict[tuple[Work, ...], World] = field(default_factory=dict)
    _calm: dict[str, Calm] = field(default_factory=dict)

    def calm(self, scenario: Scenario) -> Calm:
        """Make a scenario ready and run it undisturbed, once for all its trials."""
        if scenario.name not in self._calm:
            self._calm[scenario.name] = self._run_calmly(scenario)
        return self._calm[scenario.name]

    def kill(self, scenario: Scenario, *places: str) -> Trial:
        """Kill a worker at each place in turn, each going on from what the one before it left; then finish."""
        calm, world, trial = self._begin(scenario, *(f"{place}=kill" for place in places))
        for spec in trial.specs:
            ending = world.run(scenario.work, spec)
            if ending.is_killed:
                trial.reached.append(spec)
            trial.expect(ending.is_killed or ending.is_good, f"the worker {ending}")
            trial.wrongs += world.bury(len(trial.reached))
        self._finish(calm, world, trial, most_again=sum(map(_most_again, trial.reached)))
        return trial

    def fail(self, scenario: Scenario, place: str) -> Trial:
        """Raise what nobody expects at a place: the worker goes on, or rests with a reason; then finish."""
        calm, world, trial = self._begin(scenario, f"{place}=raise")
        log = self.folder / f"{world.names[-1]}.log"
        ending = world.run(scenario.work, trial.specs[0], log=str(log))
        name, _, number = place.rpartition(":")
        if log.read_text().split().count(name) >= int(number):
            trial.reached += trial.specs
        trial.expect(ending.code in (0, BookPaused.exit_code, RAISED), f"the worker {ending}")
        trial.expect(ending.code != RAISED or FailpointReached.__name__ in ending.words, f"it hides why it {ending}")
        for book in world.shelf():
            is_told = bool(book.reason and book.advice) or book.reason == "not begun"
            trial.expect(book.state != BookState.PAUSED or is_told, f"I8: {book.id} rests without a word")
            trial.expect(
                book.state != BookState.WRITING or _TELLS_NOTHING.search(place) is not None,
                f"I8: {book.id} is left as if it was being written",
            )
        world.let_leases_run_out()
        self._finish(calm, world, trial, most_again=1)
        return trial

    def stop(self, scenario: Scenario, place: str) -> Trial:
        """Stop a worker at a place, have another take over once the lease ran out, and wake the first.

        Where it was stopped in the middle of what keeps all others out, it goes on by itself.
        """
        calm, world, trial = self._begin(scenario, f"{place}=stop")
        pid = world.start(scenario.work, *trial.specs)
        stopped = world.wait(pid)
        if stopped.is_stopped:
            trial.reached += trial.specs
            if not world.is_locked:
                rival = world.rival()
                taken = rival.take_over(scenario.work)
                trial.expect(taken.is_good, f"who took over {taken}")
                world = rival
            os.kill(pid, signal.SIGCONT)
            woken = world.wait(pid)
            is_told = woken.code in (LeaseError.exit_code, StorageError.exit_code) or _LEFT_NOTHING in woken.words
            trial.expect(woken.is_good or is_told, f"who woke up {woken}")
        self._finish(calm, world, trial, most_again=1)
        return trial

    def _begin(self, scenario: Scenario, *specs: str) -> tuple[Calm, World, Trial]:
        calm = self.calm(scenario)
        world = self._world(calm.prepared, scenario.lease_seconds)
        world.slow_down(scenario.first_call)
        return calm, world, Trial(scenario.name, specs)

    def _finish(self, calm: Calm, world: World, trial: Trial, most_again: int) -> None:
        """Have an undisturbed worker finish, compare, and remove what the trial left."""
        ending = world.run(calm.scenario.work)
        trial.expect(ending.is_good, f"who went on {ending}")
        if ending.is_good:
            trial.wrongs += world.wrongs(len(trial.reached))
            trial.again = len(world.calls) - len(calm.prepared.calls) - calm.calls
            trial.expect(0 <= trial.again <= most_again, f"I2: {trial.again} calls were paid again")
            reads, most = world.journal_reads, _MOST_READS + calm.scenario.units
            trial.expect(reads <= most, f"I7: the journal was read {reads} times")
            is_same = calm.scenario.outcome(world.settings) == calm.outcome
            trial.expect(is_same, "I5: what was made is not what an undisturbed run makes")
        self._clear(world)

    def _run_calmly(self, scenario: Scenario) -> Calm:
        """Do so in this process, which workers are forked from: what is compiled meanwhile, they need not compile."""
        prepared = self._made_ready(*scenario.prepare)
        world, log = self._world(prepared, scenario.lease_seconds), self.folder / f"{scenario.name}.log"
        world.slow_down(scenario.first_call)
        if scenario.fills_index:
            self._work_in_fork(scenario.work, world, log=str(log))
        else:
            self._work_here(scenario.work, world, log=str(log))
        wrongs = world.wrongs(deaths=0)
        assert not wrongs, wrongs
        calls = len(world.calls) - len(prepared.calls)
        return Calm(scenario, prepared, scenario.outcome(world.settings), Counter(log.read_text().split()), calls)

    def _work_here(self, work: Work, world: World, log: str = "") -> None:
        """Have this process do some work that fills no index, whose threads every worker would wait for."""
        failpoints.arm(log=log)
        try:
            work(world.settings)
        finally:
            failpoints.arm()
        assert not (world.settings.home / "index").exists(), "this work fills an index"

    def _work_in_fork(self, work: Work, world: World, log: str) -> None:
        """Have a fork do some work, and import what it imported, so that no worker forked from this process has to."""
        names = self.folder / "modules"

        def work_and_tell(settings: Settings) -> None:
            work(settings)
            names.write_text("\n".join(sys.modules))

        ending = world.run(work_and_tell, log=log)
        assert ending.is_good, ending
        for name in names.read_text().split():
            with suppress(ImportError):  # a script that was run is no module
                importlib.import_module(name)

    def _made_ready(self, *works: Work) -> World:
        """The world where these works were done one after the other, each once for all scenarios that begin with it."""
        if works not in self._prepared:
            world = self._world(self._made_ready(*works[:-1]) if works[:-1] else None)
            for work in works[-1:]:
                self._work_here(work, world)
            self._prepared[works] = world
        return self._prepared[works]

    def _world(self, origin: World | None, lease_seconds: float = 60) -> World:
        """A world with a name of its own: empty, or a copy of one that nobody works in."""
        name = f"trial-{next(self._numbers)}"
        home, address = self.folder / name, ""
        if origin is not None and origin.settings.home.exists():
            shutil.copytree(origin.settings.home, home)
        if self.postgres is not None:
            template = _database_of(origin) if origin is not None else "template1"
            address = self.postgres.url(self.postgres.new_database(template))
        settings = load_settings(
            home=home, database_url=address, model=f"compatible:{name}", llm_base_url=self.url, embedding="hashing",
            lease_seconds=lease_seconds, free_megabytes=0,
        )  # fmt: skip
        return World(settings, (*(origin.names if origin else ()), name), self.ledger, self.url)

    def _clear(self, world: World) -> None:
        shutil.rmtree(world.settings.home, ignore_errors=True)
        if self.postgres is not None:
            self.postgres.run(f'DROP DATABASE "{_database_of(world)}" WITH (FORCE)')


def occurrences(passed: int, most: int) -> list[int]:
    """Which of the times that a place is passed are tried: all, or the middle one, or the first two to the last."""
    if passed <= most:
        return list(range(1, passed + 1))
    if most == 1:
        return [(passed + 1) // 2]
    return sorted({round(1 + (passed - 1) * step / (most - 1)) for step in range(most)} | {2})


def _most_again(spec: str) -> int:
    place = ":".join(spec.partition("=")[0].split(":")[:2])
    return 1 if place in IN_A_CALL else PAID_AGAIN.get(place, 0)


def _database_of(world: World) -> str:
    return world.settings.database_url.rpartition("/")[2]
