"""What the benches count holds; what they time is for their own output."""

from pathlib import Path

import pytest

from bench import branches, resume, scale_tree, shim
from bench.length import length_score
from bench.measure import Measure
from bench.parts import (
    NullAsker,
    counted_files,
    counted_queries,
    counted_rows,
    held_book,
    make_settings,
    walk_null_book,
    write_whole,
)
from bookwright.agents.backends.service import ModelService


@pytest.mark.parametrize(
    ("written", "score"), [(20_000, 100.0), (40_000, 66.667), (10_000, 50.0), (6_000, 0.0), (80_000, 0.0)]
)
def test_the_length_score_is_that_of_longbench_write(written: int, score: float) -> None:
    assert length_score(20_000, written) == pytest.approx(score, abs=0.01)


@pytest.mark.parametrize(
    ("value", "target", "met"), [(1.0, "<= 1.1", True), (1.2, "<= 1.1", False), (0.6, ">= 0.5", True), (9.0, "", None)]
)
def test_a_measure_knows_whether_its_target_is_met(value: float, target: str, met: bool | None) -> None:
    assert Measure("x", value, "y", target).as_dict()["met"] is met


def test_a_step_makes_one_sync() -> None:
    try:
        found = shim.run("engine:beside_a_raw_journal", sync_micros=0, rounds=1, steps=300)
    except shim.NoCompiler as error:
        pytest.skip(str(error))

    assert found["syncs"] <= 1.1
    assert 1.0 <= found["raw_syncs"] <= 1.05
    assert found["stored"] <= 1.4


def test_a_step_takes_few_statements_and_rows(tmp_path: Path) -> None:
    with counted_queries() as queries, counted_rows() as rows:
        walk_null_book(tmp_path, NullAsker(300))

    assert queries[0] / 300 <= 6.4  # 6.34 with the tables' creation; each more is paid for at every step
    assert rows[0] / 300 <= 3.9  # 3.82: what the holder of a book has read or written it does not read again


def test_a_rehearsed_book_takes_few_statements_rows_and_files(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, "rehearsal:exact").model_copy(update={"keep_vault": True})
    models = ModelService(settings)
    with counted_queries() as queries, counted_rows() as rows, counted_files(settings.home / "vaults") as files:
        try:
            with held_book(settings, models, with_context=True, length=6_000, max_planning_rounds=1) as deps:
                write_whole(deps)
                with deps.stores() as stores:
                    steps = stores.books.get(deps.storage.book).calls
        finally:
            models.close()

    assert steps > 50
    assert queries[0] / steps <= 23  # 22.4: the tables' creation, contexts and the index among them
    assert rows[0] / steps <= 26  # 25.2, of which some are passages of prose that are looked at before a chapter
    assert 0 < files[0] / steps <= 0.2  # the folder is brought up to date where a unit is done, not at every step


def test_a_resumed_book_asks_as_many_queries_at_any_size() -> None:
    queries = []
    for nodes in (20, 60):
        with shim.memory_folder() as home:
            resume.stop_at(home, str(home), nodes)
            queries.append(resume.go_on(home, str(home))["queries"])

    assert queries[0] == queries[1]
    assert queries[0] <= 22


def test_a_step_takes_as_many_statements_and_rows_in_a_tree_of_any_size(tmp_path: Path) -> None:
    bare, whole = [], []
    for nodes in (600, 1_000):  # two acts of one volume, three of two
        home = tmp_path / str(nodes)
        laid = scale_tree.lay(tmp_path, str(home), nodes, acts_a_volume=2)
        assert laid["nodes"] == pytest.approx(nodes, rel=0.02)
        bare.append(scale_tree.go_on(tmp_path, str(home), with_context=False, steps=60, skipped=100))
        whole.append(scale_tree.go_on(tmp_path, str(home), with_context=True, steps=20, skipped=10))

    assert bare[0]["queries"] == bare[1]["queries"] <= 7
    assert bare[0]["rows"] == bare[1]["rows"] <= 8
    assert whole[1]["queries"] <= 1.03 * whole[0]["queries"]


def test_a_step_of_a_branch_takes_as_many_statements_rows_and_bytes_as_its_origins(tmp_path: Path) -> None:
    found = branches.go_on(tmp_path, home=str(tmp_path), steps=100)

    assert found["first.branch.queries"] == found["first.origin.queries"]
    for name in ("queries", "rows"):
        assert found[f"later.branch.{name}"] == found[f"later.origin.{name}"] > 0
    assert found["later.branch.bytes"] <= 1.02 * found["later.origin.bytes"]
