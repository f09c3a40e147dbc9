"""Plans of told books of many chapters are written from as they are; one that was to be doubted still is."""

from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.readers import PLOT
from bookwright.flows.activities.told_books import plot
from bookwright.flows.activities.unit_facts import begin_activity
from bookwright.flows.deps import Deps
from bookwright.models.step import Activity
from bookwright.models.tree.plan import ChosenPlot, DoubtedPlot, PlotChapter, TaskType
from bookwright.models.tree.task import TaskNode
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

STANDING = ["story", "story.again", "plot"]
DOUBTED = ["forecast", "doubts", "plot.again", "forecast.again", "doubts.again", "plot.again.again"]


def plan_of(secret: str) -> dict[str, Any]:
    """A plan of five chapters behind which lies what is said, or nothing."""
    told = {"about": "A walk.", "events": ("They walk.",), "understood": ("It is far.",), "ending": "Rain."}
    parts = [PlotChapter(title=f"Day {day}", **told) for day in range(1, 6)]
    return {
        "question": "What do they become to one another?", "secret": secret, "story": ("They set out.",) * 3,
        "people": ("Ann: wants to arrive.",), "chapters": tuple(parts),
    }  # fmt: skip


def begun(home: Path, secret: str) -> tuple[TaskNode, Deps, ScriptedBackend]:
    """Begin a book of five chapters whose planner has that secret."""
    again = [DoubtedPlot(seen=("A hat.",) * 3, **plan_of(secret))]
    plans = {"plot": [ChosenPlot(chosen="A", **plan_of(secret))], "plot.again": again, "plot.again.again": again}
    models = ScriptedBackend({**plans, "*": ["It rained."]})
    brief = {"length": 10_000, "profile": "economy", "max_unit_length": 2_000, "max_planning_rounds": None}
    return (*begin(home, models, **brief), models)


def chapters_of(root: TaskNode, deps: Deps) -> list[str]:
    """The chapters that were planned."""
    with deps.stores() as stores:
        return [chapter.title for chapter in stores.nodes.children(root.key, TaskType.WRITE)]


def asked_of(models: ScriptedBackend) -> list[str]:
    """Who was asked, in order."""
    return [speaker.removeprefix("1 plan/") for speaker in models.speakers]


@pytest.mark.parametrize("secret", ["", "The map is forged."])
def test_a_plan_of_chapters_is_written_from_as_it_is(tmp_path: Path, secret: str) -> None:
    root, deps, models = begun(tmp_path, secret)

    plot(root, deps)
    plot(root, deps)

    assert asked_of(models) == STANDING
    assert chapters_of(root, deps) == [f"Day {day}" for day in range(1, 6)]
    deps.storage.database.dispose()


def test_a_book_that_an_earlier_version_left_with_a_plan_and_no_chapters_is_planned_to_its_end(tmp_path: Path) -> None:
    root, deps, models = begun(tmp_path, "")
    begin_activity(Activity.PLAN, root, deps, PLOT.context, round_=1).run(PLOT)

    plot(root, deps)
    plot(root, deps)

    assert asked_of(models) == ["plot", "story", "story.again", *DOUBTED]
    assert len(chapters_of(root, deps)) == 5
    deps.storage.database.dispose()
