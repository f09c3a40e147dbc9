"""Drafts of the same pages: what a planned one takes along from the other, and a story told from its order alone."""

from pathlib import Path

from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import write_workflow
from bookwright.flows.activities.prose.choosing import drafted, is_free
from bookwright.flows.activities.prose.write import steps_of
from bookwright.flows.activities.unit_facts import depth_at, is_one_sitting, unit_card
from bookwright.models.step import Activity
from bookwright.models.tree.decision import Choice
from tests.flows.walking import begin
from tests.support.fakes import ScriptedBackend

PLAN = "What happens, in order."
WORTH = "The gull that pays for its fish."
FREE = ("Nobody had lit the lamp.", "My sister paid for the oil.")


def test_what_the_other_draft_does_better_goes_with_the_chosen_one(tmp_path: Path) -> None:
    drafts = {"draft": ["The keeper reads the log."], "draft.again": ["Snow on the gallery."]}
    choice = Choice(carry_over=(WORTH,), better="A")
    backend = ScriptedBackend(lines=drafts | {"choose": [choice], "*": ["It rained."]})
    root, deps = begin(tmp_path, backend, length=3_000, max_planning_rounds=1)
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    *_, refine = agents = write_workflow(root.level, deps.profile.name, depth_at(root, deps))
    run.add("plan", PLAN)

    chosen = drafted(next(agent for agent in agents if agent.is_prose), root, run, deps)
    run.run(refine)
    free = is_free(root, deps)
    deps.storage.database.dispose()

    asked = backend.requests[-1].prompt.user
    assert not free
    assert all(words in asked for words in (f"- {WORTH}", PLAN, chosen))


def test_a_story_of_one_sitting_is_told_twice_from_its_order_and_held_to_no_plan(tmp_path: Path) -> None:
    lines = {"draft.free": FREE[:1], "draft.free.again": FREE[1:], "choose": [Choice(better="A")], "*": ["It rained."]}
    backend = ScriptedBackend(lines=lines)
    root, deps = begin(tmp_path, backend, length=3_000, max_planning_rounds=None)

    assert is_one_sitting(root, deps)
    assert is_free(root, deps)
    run = ActivityRun(deps.desk, Activity.WRITE, root, root, unit_card(root, deps), context="write_plan")
    names = [agent.name for agent in steps_of(root, deps)]
    chosen = drafted(next(agent for agent in steps_of(root, deps) if agent.is_prose), root, run, deps)
    asked = [request.prompt.user for request in backend.requests]
    still_free = is_free(root, deps)
    deps.storage.database.dispose()

    assert names == ["draft", "critic", "refine"]
    assert still_free
    first, second, compared = asked
    assert "who pays for it" in second
    assert "who pays for it" not in first
    assert all(draft in compared for draft in FREE)
    assert "`carry_over`, left empty" in compared
    assert chosen in FREE
