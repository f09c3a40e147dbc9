"""Drafts of one piece, two of them from the order alone: what the chosen one takes along, and what it leaves."""

from pathlib import Path

import pytest

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import write_workflow
from bookwright.flows.activities.prose.choosing import drafted, is_unplanned
from bookwright.flows.activities.surroundings import depth_at, is_one_sitting, unit_card
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Choice
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

PLANNED = "The keeper reads the log."
FREE = ("Nobody had lit the lamp.", "My sister paid for the oil.")
WORTH = "The gull that pays for its fish."


@pytest.mark.parametrize("is_free", [False, True])
def test_what_the_other_draft_does_better_goes_with_a_planned_one_only(tmp_path: Path, is_free: bool) -> None:
    for better in ("A", "B"):  # one of them is the free draft, which the seed decides
        choice = Choice(carry_over=(WORTH,), better=better)
        lines = {"draft": [PLANNED], "draft.free": FREE[:1], "draft.free.again": FREE[1:], "*": ["It rained."]}
        backend = ScriptedBackend(lines=lines | {"choose": [choice], "choose.free": [choice]})
        root, deps = begin(tmp_path / better, backend, length=3_000, max_planning_rounds=None)
        run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
        *_, refine = agents = write_workflow(root.level, deps.profile.name, depth_at(root, deps))
        run.add("plan", "What happens, in order.")

        assert is_one_sitting(root, deps)
        chosen = drafted(next(agent for agent in agents if agent.is_prose), root, run, deps)
        run.run(refine)
        knows = is_unplanned(root, deps)
        deps.storage.database.dispose()
        if (chosen in FREE) is is_free:
            break
    else:
        raise AssertionError("neither letter chose it")

    asked = backend.requests[-1].prompt.user
    assert ((f"- {WORTH}" in asked), ("What happens, in order." in asked)) == (not is_free, not is_free)
    assert chosen in asked
    assert knows is is_free


def test_free_drafts_are_compared_first_and_the_better_one_with_the_planned(tmp_path: Path) -> None:
    choice = Choice(better="A")
    lines = {"draft": [PLANNED], "draft.free": FREE[:1], "draft.free.again": FREE[1:], "*": ["It rained."]}
    backend = ScriptedBackend(lines=lines | {"choose": [choice], "choose.free": [choice]})
    root, deps = begin(tmp_path, backend, length=3_000, max_planning_rounds=None)
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    agents = write_workflow(root.level, deps.profile.name, depth_at(root, deps))
    run.add("plan", "What happens, in order.")

    chosen = drafted(next(agent for agent in agents if agent.is_prose), root, run, deps)
    deps.storage.database.dispose()

    first, second, among_free, last = (request.prompt.user for request in backend.requests[-4:])
    assert "What happens, in order." not in first + second
    assert "who pays for it" in second
    assert "who pays for it" not in first
    assert all(draft in among_free for draft in FREE)
    assert PLANNED not in among_free
    assert PLANNED in last
    assert sum(draft in last for draft in FREE) == 1
    assert chosen in last
