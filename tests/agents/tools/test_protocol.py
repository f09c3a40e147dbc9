"""Every built-in tool keeps to the protocol, whatever it is asked, and tells nothing from outside the vault."""

from pathlib import Path

import pytest

from bench.hostile import cases
from bench.protocol import Trial, all_trials, strangers, tried
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.tool import Params, Tool, success
from bookwright.models.talk.tool import ToolResponse


@pytest.fixture(scope="module")
def trials(every: ToolRegistry) -> list[Trial]:
    return list(all_trials(every))


def test_no_tool_breaks_a_rule(trials: list[Trial]) -> None:
    broken = {(each.tool, each.case): each.violations for each in trials if each.violations}

    assert broken == {}
    assert len(trials) > 900


def test_every_built_in_tool_is_tried(trials: list[Trial]) -> None:
    assert {each.tool for each in trials} == {
        "LS", "Glob", "Grep", "Read", "Write", "search_designs", "search_story", "search_references", "web_search",
        "fetch_page",
    }  # fmt: skip


def test_no_answer_tells_what_stands_outside(trials: list[Trial]) -> None:
    assert [(each.tool, each.case) for each in trials if each.tells_secret] == []


def test_nothing_is_written_outside(trials: list[Trial], home: Path) -> None:
    assert trials
    assert strangers(home / "laid") == []
    assert sorted(path.name for path in (home / "laid" / "vault" / ".git").rglob("*")) == ["config", "hooks"]


def test_no_built_in_tool_fails_in_a_way_nobody_foresaw(trials: list[Trial]) -> None:
    unforeseen = [
        (each.tool, each.case)
        for each in trials
        if each.response.error and ("unexpectedly" in each.response.text or "breaks rule" in each.response.text)
    ]

    assert unforeseen == []


class Sloppy(Tool[Params]):
    """Says that all is well of what was cut."""

    name = "Sloppy"
    parameters = Params

    def run(self, params: Params) -> ToolResponse:
        return success({"truncated": True}, "ok")


def test_a_tool_that_is_registered_later_is_held_to_the_same_rules() -> None:
    registry = ToolRegistry([Sloppy()])
    [case] = [case for case in cases(Sloppy()) if case.name == "as meant"]

    trial = tried(registry, Sloppy(), case)

    assert trial.violations == []
    assert trial.response.error is not None
    assert "breaks rule S005" in trial.response.text
