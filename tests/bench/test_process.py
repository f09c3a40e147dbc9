"""What `python -m bench process` counts, on small books."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.process import Cell, before_prose, repeated_lines, room_left, write_book
from bench.prompts import tokens
from bookwright.storage.steps.queries import StepLine
from tests.support.forks import reached

LONG = "The keeper counted the lamps of the harbour twice."


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return write_book(tmp_path_factory.mktemp("economy"), 1_200, "economy")


def line(activity: str, step: str) -> StepLine:
    return StepLine(1, "1", activity, 0, step, 0, None, "", "", "", "", 0, 0, 0, None, 0, 0.0)


def test_every_request_is_counted_once_by_activity_and_by_step(figures: dict[str, Any]) -> None:
    assert figures["requests"] == sum(figures["by_activity"].values()) == sum(figures["by_step"].values())
    assert figures["by_activity"]["write"] == sum(
        often for name, often in figures["by_step"].items() if name.startswith("write/")
    )
    assert 0 <= figures["requests_before_prose"] < figures["requests"]


def test_the_shares_of_a_book_are_shares(figures: dict[str, Any]) -> None:
    assert 10 < figures["prose_share"] < 100
    assert 0 <= figures["unused_room"] <= figures["empty_room"] < 100
    assert 0 < figures["weighted_a_word"] <= figures["tokens_a_word"]
    assert abs(figures["written"] - 1_200) <= 120


def test_a_profile_that_thinks_more_asks_more(figures: dict[str, Any], tmp_path: Path) -> None:
    standard = write_book(tmp_path, 1_200, "standard")

    assert standard["requests"] > figures["requests"]
    assert standard["prose_share"] < figures["prose_share"]
    assert standard["requests_before_prose"] == figures["requests_before_prose"]  # a few pages are planned alike


def test_an_author_who_names_planning_rounds_has_all_of_it_for_a_few_pages(
    figures: dict[str, Any], tmp_path: Path
) -> None:
    whole = write_book(tmp_path, 1_200, "economy", max_planning_rounds=1)

    assert whole["requests_before_prose"] > figures["requests_before_prose"]


def test_requests_before_the_first_draft_are_counted_to_the_end_where_there_is_none() -> None:
    planned = [line("plan", "planner"), line("execute", "draft"), line("brief", "brief")]

    assert before_prose([*planned, line("write", "plan"), line("write", "draft.2"), line("write", "draft.3")]) == 4
    assert before_prose(planned) == 3


def test_a_line_that_stands_twice_counts_once_and_short_ones_do_not() -> None:
    assert repeated_lines([f"# Log\n{LONG}\n", f"  {LONG}\n{LONG}", "# Log"]) == 1
    assert repeated_lines([LONG, LONG[:39], LONG[:39]]) == 0


def test_room_is_unused_only_where_something_was_left_out() -> None:
    budget = round(4 * tokens(LONG))
    size = budget // 4

    assert room_left([[LONG]], [(budget, 0)]) == pytest.approx((75, 0), abs=1)
    assert room_left([[LONG]], [(budget, size)]) == pytest.approx((75, 25), abs=1)
    assert room_left([[LONG]], [(budget, 100 * size)]) == pytest.approx((75, 75), abs=1)
    assert room_left([[LONG], [LONG]], [(budget, size), (0, 0)]) == pytest.approx((75, 25), abs=1)
    assert room_left([[LONG]], [(size // 2, 5)]) == (0, 0)
    with pytest.raises(ValueError, match="shorter"):
        room_left([[LONG]], [])


def test_a_cell_is_one_json_object_with_its_figures() -> None:
    cell = Cell("process.standard.3000", 26, "requests", "<= 25", figures={"prose_share": 20.0})

    told = json.loads(cell.as_json())

    assert (told["measure"], told["met"], told["figures"]) == ("process.standard.3000", False, {"prose_share": 20.0})
    assert "prose_share 20" in cell.as_line()


def test_the_command_writes_the_books_that_are_named() -> None:
    done = reached().run(["bench", "process", "--json", "--lengths", "600, 900", "--profiles", "economy"])

    cells = [json.loads(text) for text in done.stdout.splitlines()]
    assert [cell["measure"] for cell in cells] == ["process.economy.600", "process.economy.900"]
    assert all(cell["value"] == cell["figures"]["requests"] > 0 for cell in cells)
