"""Two drafts of one piece, one of them from the order alone: what the chosen one takes along, and what it leaves."""

from pathlib import Path

import pytest

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import write_workflow
from bookwright.flows.activities.prose.choosing import drafted
from bookwright.flows.activities.surroundings import depth_at, is_one_sitting, unit_card
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Choice
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

PLANNED, FREE = "The keeper reads the log.", "Nobody had lit the lamp."
WORTH = "The gull that pays for its fish."


@pytest.mark.parametrize("is_free", [False, True])
def test_what_the_other_draft_does_better_goes_with_a_planned_one_only(tmp_path: Path, is_free: bool) -> None:
    for better in ("A", "B"):  # one of them is the free draft, which the seed decides
        choice = Choice(carry_over=(WORTH,), better=better)
        backend = ScriptedBackend(
            lines={"draft": [PLANNED], "draft.free": [FREE], "choose": [choice], "*": ["It rained."]}
        )
        root, deps = begin(tmp_path / better, backend, length=3_000, max_planning_rounds=None)
        run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
        *_, refine = agents = write_workflow(root.level, deps.profile.name, depth_at(root, deps))
        run.add("plan", "What happens, in order.")

        assert is_one_sitting(root, deps)
        chosen = drafted(next(agent for agent in agents if agent.is_prose), root, run, deps)
        run.run(refine)
        deps.storage.database.dispose()
        if (chosen == FREE) is is_free:
            break
    else:
        raise AssertionError("neither letter chose it")

    asked = backend.requests[-1].prompt.user
    assert ((f"- {WORTH}" in asked), ("What happens, in order." in asked)) == (not is_free, not is_free)
    assert chosen in asked
