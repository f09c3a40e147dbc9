"""Workers killed, stopped and failed at every named place, on both databases; what must hold afterwards does.

Source: issue "Nothing lost, nothing paid twice", item 1; facts/durability-performance.md section 5.2.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bookwright.failpoints import Failpoint
from tests.durability.children import provider
from tests.durability.crashes import Scenario
from tests.durability.scenarios import (
    A_BRANCH,
    A_LONG_CALL,
    A_REFRESH,
    A_TALE,
    A_VERDICT,
    A_WRITTEN_BRANCH,
    CANDIDATES,
    CANDIDATES_BESIDE,
    CHAPTERS,
    SCENARIOS,
)
from tests.durability.trials import Stage, Trial, occurrences
from tests.support.postgres import PostgresServer

PLACES = {f"{when}:{point}" for point in Failpoint for when in ("before", "after")}
OF_A_BRANCH = {f"{when}:{point}" for point in A_BRANCH.covers for when in ("before", "after")}


@contextmanager
def _stage(folder: Path, server: PostgresServer | None) -> Iterator[Stage]:
    ledger = folder / "ledger.jsonl"
    with provider(ledger, "--piece-characters", "2000", "--piece-seconds", "0") as url:
        yield Stage(folder, url, ledger, server)


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with _stage(tmp_path_factory.mktemp("crashes"), None) as stage:
        yield stage


@pytest.fixture(scope="module")
def on_postgres(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer) -> Iterator[Stage]:
    with _stage(tmp_path_factory.mktemp("crashes"), postgres) as stage:
        yield stage


@pytest.fixture
def stage(request: pytest.FixtureRequest) -> Stage:
    found: Stage = request.getfixturevalue(request.param)
    return found


PG_SMALL = pytest.param("on_postgres", 2, marks=pytest.mark.postgres)
BOTH = ["on_sqlite", pytest.param("on_postgres", marks=pytest.mark.postgres)]


def points(stage: Stage, scenario: Scenario, most: int) -> list[str]:
    """The places that a scenario covers, each with up to so many of the times that it is passed."""
    passed = stage.calm(scenario).passed
    covered = sorted(place for place in passed if Failpoint(place.partition(":")[2]) in scenario.covers)
    return [f"{place}:{number}" for place in covered for number in occurrences(passed[place], most)]


def places_of(trials: Iterable[Trial]) -> set[str]:
    """The places at which a worker was ended and everything held afterwards."""
    specs = {spec for trial in trials if not trial.wrongs for spec in trial.reached}
    return {spec.rpartition("=")[0].rpartition(":")[0] for spec in specs}


def wrongs_of(trials: Iterable[Trial]) -> list[str]:
    return [str(trial) for trial in trials if trial.wrongs]


def test_every_failpoint_has_a_scenario_that_passes_it() -> None:
    covered = {point for scenario in SCENARIOS for point in scenario.covers}

    assert set(Failpoint) - covered == set()


def places_in_turn(stage: Stage, scenario: Scenario) -> list[str]:
    """The places that a scenario covers, as a run comes to them, each for the first time that it is passed."""
    passed = stage.calm(scenario).passed
    return [f"{place}:1" for place in passed if Failpoint(place.partition(":")[2]) in scenario.covers]


def test_a_worker_killed_at_any_named_place_loses_nothing(on_sqlite: Stage) -> None:
    """One book for each scenario, whose workers are killed one after the other; the soak has a book for each place.

    Of the long call only the first is long, so each place in it has a book of its own here, too. A branch has a test
    of its own.
    """
    others = [scenario for scenario in SCENARIOS if scenario not in (A_LONG_CALL, A_BRANCH)]
    several = [(scenario, places_in_turn(on_sqlite, scenario)) for scenario in others]
    alone = [(A_LONG_CALL, (place,)) for place in places_in_turn(on_sqlite, A_LONG_CALL)]
    trials = [on_sqlite.kill(scenario, *places) for scenario, places in (*several, *alone)]

    assert wrongs_of(trials) == []
    assert PLACES - places_of(trials) == OF_A_BRANCH


@pytest.mark.postgres
def test_a_worker_killed_around_a_reply_loses_nothing_on_postgres(on_postgres: Stage) -> None:
    trial = on_postgres.kill(A_TALE, "after:call_model:3", "before:record_step:2", "after:record_step:2")

    assert trial.wrongs == []
    assert len(trial.reached) == 3
    assert trial.again == 2


def test_a_refresh_killed_halfway_ends_like_an_undisturbed_one(on_sqlite: Stage) -> None:
    trial = on_sqlite.kill(A_REFRESH, "after:record_step:4", "after:call_model:1", "after:record_step:4")

    assert trial.wrongs == []
    assert len(trial.reached) == 3
    assert trial.again == 1


@pytest.mark.soak
@pytest.mark.parametrize(("stage", "most"), [("on_sqlite", 40), PG_SMALL], indirect=["stage"])
def test_a_refresh_killed_at_any_place_ends_like_an_undisturbed_one(stage: Stage, most: int) -> None:
    trials = [stage.kill(A_REFRESH, point) for point in points(stage, A_REFRESH, most)]

    _tell("kill a refresh", trials)
    assert wrongs_of(trials) == []
    assert all(trial.again <= 1 for trial in trials)
    assert len(trials) >= 10


@pytest.mark.parametrize("scenario", [CANDIDATES, CANDIDATES_BESIDE], ids=lambda scenario: scenario.name)
def test_drafts_and_readings_that_are_killed_lead_to_the_same_choice(on_sqlite: Stage, scenario: Scenario) -> None:
    trial = on_sqlite.kill(scenario, "after:call_model:2", "after:record_step:1", "before:record_step:4")

    assert trial.wrongs == []
    assert len(trial.reached) == 3
    assert trial.again == 2


@pytest.mark.soak
@pytest.mark.parametrize("scenario", [CANDIDATES, CANDIDATES_BESIDE], ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_candidates_killed_at_any_place_lead_to_the_same_choice(stage: Stage, scenario: Scenario) -> None:
    trials = [stage.kill(scenario, point) for point in points(stage, scenario, most=40)]

    _tell(f"kill {scenario.name}", trials)
    assert wrongs_of(trials) == []
    assert all(trial.again <= 1 for trial in trials)
    assert len(trials) >= 20


@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_fork_or_a_merge_killed_at_every_place_in_turn_is_whole_or_was_not(stage: Stage) -> None:
    """Each place once for every time that it is passed: a fork, a merge, its end, and the merge again."""
    passed = stage.calm(A_BRANCH).passed
    places = [place for place in passed for _ in range(passed[place])]

    trial = stage.kill(A_BRANCH, *places)

    assert trial.wrongs == []
    assert trial.reached == [f"{place}=kill" for place in places]
    assert OF_A_BRANCH - set(places) == set()
    assert trial.again == 0


@pytest.mark.soak
@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_fork_or_a_merge_killed_at_any_place_is_whole_or_was_not(stage: Stage) -> None:
    trials = [stage.kill(A_BRANCH, point) for point in points(stage, A_BRANCH, most=3)]

    assert wrongs_of(trials) == []
    assert {place.partition(":")[2] for place in places_of(trials)} == {Failpoint.FORK, Failpoint.MERGE}
    assert all(trial.again == 0 for trial in trials)


@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_branch_that_is_killed_while_it_is_written_pays_nothing_twice(stage: Stage) -> None:
    trial = stage.kill(
        A_WRITTEN_BRANCH, "after:fork:1", "after:call_model:2", "before:record_step:3", "after:record_step:2"
    )

    assert trial.wrongs == []
    assert len(trial.reached) == 4
    assert trial.again == 2


@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_verdict_that_is_killed_is_the_same_and_paid_once(stage: Stage) -> None:
    trial = stage.kill(A_VERDICT, "after:call_model:1", "after:record_step:1", "before:record_step:1")

    assert trial.wrongs == []
    assert len(trial.reached) == 3
    assert trial.again == 2


@pytest.mark.soak
@pytest.mark.parametrize("scenario", [A_WRITTEN_BRANCH, A_VERDICT], ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_branch_or_a_verdict_killed_at_any_place_ends_like_an_undisturbed_one(
    stage: Stage, scenario: Scenario
) -> None:
    trials = [stage.kill(scenario, point) for point in points(stage, scenario, most=12)]

    _tell(f"kill {scenario.name}", trials)
    assert wrongs_of(trials) == []
    assert all(trial.again <= 1 for trial in trials)
    assert len(trials) >= 8


def test_a_worker_killed_while_it_takes_over_loses_nothing(on_sqlite: Stage) -> None:
    trial = on_sqlite.kill(A_TALE, "after:record_step:3", "before:take_lease", "after:take_lease", "after:call_model:2")

    assert trial.wrongs == []
    assert len(trial.reached) == 4
    assert trial.again == 1


def test_a_worker_that_slept_past_its_lease_pays_and_writes_nothing_more(on_sqlite: Stage) -> None:
    trial = on_sqlite.stop(A_LONG_CALL, "after:record_step:3")

    assert trial.wrongs == []
    assert trial.reached == ["after:record_step:3=stop"]
    assert trial.again == 0


def test_a_fault_of_the_program_leaves_a_book_that_says_so(on_sqlite: Stage) -> None:
    trial = on_sqlite.fail(A_TALE, "before:record_step:3")

    assert trial.wrongs == []
    assert trial.again == 1


@pytest.mark.soak
@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_every_time_a_place_is_passed_can_be_the_last(stage: Stage) -> None:
    trials = [stage.kill(scenario, point) for scenario in SCENARIOS for point in points(stage, scenario, most=12)]
    trials += [stage.kill(CHAPTERS, point) for point in points(stage, CHAPTERS, most=3)]

    _tell("kill", trials)
    assert wrongs_of(trials) == []
    assert PLACES - places_of(trials) == set()


@pytest.mark.soak
@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_second_kill_at_any_place_of_the_resumed_run_loses_nothing(stage: Stage) -> None:
    trials = [
        stage.kill(scenario, first, second.rpartition(":")[0])
        for scenario, first in ((SCENARIOS[0], "after:migrate"), (A_TALE, "after:record_step:4"))
        for second in points(stage, scenario, most=1)
    ]

    _tell("kill, then kill", trials)
    assert wrongs_of(trials) == []


@pytest.mark.soak
@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_worker_stopped_at_any_place_gives_way_to_who_took_over(stage: Stage) -> None:
    trials = [stage.stop(scenario, point) for scenario in SCENARIOS for point in points(stage, scenario, most=1)]

    _tell("stop", trials)
    assert wrongs_of(trials) == []
    assert PLACES - places_of(trials) == set()


@pytest.mark.soak
@pytest.mark.parametrize("stage", BOTH, indirect=True)
def test_a_fault_at_any_place_is_told_and_leaves_nothing_half_done(stage: Stage) -> None:
    trials = [stage.fail(scenario, point) for scenario in SCENARIOS for point in points(stage, scenario, most=1)]

    _tell("raise", trials)
    assert wrongs_of(trials) == []
    assert PLACES - places_of(trials) == set()


def _tell(action: str, trials: list[Trial]) -> None:
    """Print the figures of an enumeration, for `pytest -s`."""
    ends = sum(len(trial.reached) for trial in trials)
    again = sum(trial.again for trial in trials)
    print(f"{action}: {len(trials)} trials, {ends} ends, {again} calls paid again, {len(wrongs_of(trials))} violations")
