"""A task of a blueprint that takes longer than its stage gives it: the book rests, nothing is lost or paid twice."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.flows.deps import Deps
from bookwright.models.blueprint import Stage
from bookwright.models.errors import BookFailed, StageTimeout
from bookwright.models.tree.task import TaskNode
from tests.flows.blueprints.books import Rehearsing, begun, write_book
from tests.support.blueprint_folders import atlas

PAGES = ("draft", "critic", "refine")


@dataclass
class SlowModels(Rehearsing):
    """Every call takes so many seconds of a clock that nobody waits for."""

    now: float = 0.0
    seconds: float = 40.0

    def pass_time(self, request: Request) -> None:
        """Let a call take its time."""
        self.now += self.seconds


def opened(home: Path, models: SlowModels) -> tuple[TaskNode, Deps]:
    """An atlas whose first stage gives each task a minute."""
    folder = atlas(home)
    plan = folder / "blueprint.toml"
    plan.write_text(plan.read_text("utf-8").replace('name = "ground"\n', 'name = "ground"\ntimeout = 60\n'), "utf-8")
    root, deps = begun(folder, home, models, profile="standard")
    models.before = models.pass_time
    return root, replace(deps, desk=replace(deps.desk, clock=lambda: models.now))


def test_a_task_over_its_time_rests_the_book_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    models = SlowModels(tmp_path)
    root, deps = opened(tmp_path, models)

    with pytest.raises(StageTimeout, match=r"the task 1\.2 of the stage 'ground' has taken longer than the 60 seconds"):
        write_book(root, deps)
    asked = [str(request.facts["step"]) for request in models.requests if request.facts["label"] == "1.2"]
    with pytest.raises(StageTimeout, match=r"the task 1\.3\.1 "):  # the page is done by now, and an entry takes as long
        write_book(root, deps)
    again = [str(request.facts["step"]) for request in models.requests if request.facts["label"] == "1.2"]

    assert asked == list(PAGES[:2])
    assert again == list(PAGES)
    assert issubclass(StageTimeout, BookFailed)
    deps.storage.database.dispose()


def test_a_task_has_its_time_for_itself_and_an_hour_where_nothing_is_said(tmp_path: Path) -> None:
    models = SlowModels(tmp_path, seconds=15.0)
    root, deps = opened(tmp_path, models)

    write_book(root, deps)

    assert models.now > 60 * 3
    assert Stage.model_fields["timeout"].default == 3_600
    deps.storage.database.dispose()
