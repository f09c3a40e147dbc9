"""The race runs, and its counts hold; the peers themselves are installed by the bench alone."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import shim
from bench.measure import Measure
from bench.peers.ledger import tree
from bench.peers.race import OURS, RAW, Sizes, race
from bench.plot import draw
from tests.support.forks import forking_python

_TINY = Sizes(speed=20, rounds=1, resume=(2, 6), resumes=1, killed=6, kills=2, shared=20)


@pytest.fixture(scope="module")
def found() -> dict[str, Measure]:
    """What a tiny race of this engine and the raw journal finds."""
    try:
        both = [replace(contestant, python=forking_python()) for contestant in (RAW, OURS)]
        return {measure.measure: measure for measure in race(both, _TINY)}
    except shim.NoCompiler as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_a_race_measures_all_who_run_alike(found: dict[str, Measure]) -> None:
    figures = {
        name: {key.rpartition(".")[2] for key in found if key.startswith(f"peers.{name}.")}
        for name in (RAW.name, OURS.name)
    }

    assert figures[RAW.name] == figures[OURS.name]
    assert len(figures[OURS.name]) == 12


@pytest.mark.slow
def test_each_kill_in_a_call_costs_that_call_and_no_other(found: dict[str, Measure]) -> None:
    assert found["peers.Bookwright.paid_again_at_worst"].value == 1
    assert found["peers.Bookwright.paid_again_in_all"].value == _TINY.kills


@pytest.mark.slow
def test_a_second_worker_pays_nothing_and_a_raw_journal_would_pay_it_all(found: dict[str, Measure]) -> None:
    assert found["peers.Bookwright.paid_twice_by_two"].value == 0
    assert found["peers.raw journal.paid_twice_by_two"].value > 0


@pytest.mark.slow
def test_the_engine_syncs_as_often_as_the_raw_journal(found: dict[str, Measure]) -> None:
    assert found["peers.Bookwright.syncs_per_step"].value <= 1.1
    assert found["peers.raw journal.syncs_per_step"].value <= 1.1


@pytest.mark.parametrize(("leaves", "steps"), [(1, 4), (20, 94), (200, 886), (1_000, 4_518)])
def test_a_tree_has_four_steps_a_leaf_and_two_any_other_node(leaves: int, steps: int) -> None:
    keys = list(tree(leaves))

    assert len(set(keys)) == len(keys) == steps


def test_a_plot_shows_each_contestant_in_each_figure(tmp_path: Path) -> None:
    names = (RAW.name, OURS.name)
    measures = [Measure(f"peers.{name}.syncs_per_step", 1.0, "syncs") for name in names]

    draw([*measures, Measure("engine.cpu_per_step", 1.0, "ms")], tmp_path / "plot.svg")

    texts = [
        element.text for element in ElementTree.parse(tmp_path / "plot.svg").iter() if element.tag.endswith("text")
    ]
    assert texts[:5] == ["Syncs per step", RAW.name, "1", OURS.name, "1"]
