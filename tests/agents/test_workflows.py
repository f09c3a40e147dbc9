"""Which steps a family takes: the table of DESIGN section 8, and that each step has its template."""

from itertools import product
from pathlib import Path

import pytest

import bookwright.prompts
from bookwright.agents.agent import Agent
from bookwright.agents.readers import editor
from bookwright.agents.workflows import (
    atom_judge,
    briefing,
    decomposition_workflow,
    design_workflow,
    flow_decision,
    hierarchy_workflow,
    plan_workflow,
    search_executor,
    write_workflow,
)
from bookwright.models.model_name import ROLES
from bookwright.models.profile import PROFILES, ProfileName
from bookwright.models.tree.decision import AtomVerdicts, Expert, FlowDecision
from bookwright.models.tree.depth import Depth
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanOutput, TaskType
from tests.agents.everyone import CLASSES, DIVISIBLE, EVERY_AGENT, TASKS

PROMPTS = Path(bookwright.prompts.__file__).parent
STANDARD, ECONOMY, FINE, SMALL = ProfileName.STANDARD, ProfileName.ECONOMY, ProfileName.FINE, ProfileName.SMALL

REQUIRED = [
    *(f"book/plan/{step}_{size}" for step in ("proposer", "critic") for size in CLASSES),
    "book/plan/refiner",
    *(f"{level}/plan/{step}" for level in ("volume", "act") for step in ("proposer", "critic", "refiner")),
    *(f"{level}/plan/{step}" for level in ("chapter", "scene") for step in ("planner", "refiner")),
    *(f"{level}/plan/planner" for level in ("beat", "paragraph")),
    *(f"{level}/flow_decision/flow_decision" for level in Level),
    *(f"{level}/hierarchy/{step}" for level in ("book", "volume") for step in ("proposer", "critic", "refiner")),
    *(f"{level}/hierarchy/{step}" for level in ("act", "chapter") for step in ("planner", "refiner")),
    *(f"{level}/hierarchy/planner" for level in ("scene", "beat")),
    *(f"{level}/decomposition/design/{step}" for level in Level for step in ("proposer", "critic", "refiner")),
    *(f"{level}/decomposition/search/{step}" for level in Level for step in ("planner", "refiner")),
    *(f"book/design/guideline_{expert}" for expert in Expert),
    *(f"book/design/{step}" for step in ("router", "draft", "critic", "refine", "maintain")),
    *(f"{level}/design/{step}" for level in ("volume", "act") for step in ("guideline", "draft", "refine")),
    *(f"{level}/design/{step}" for level in ("chapter", "scene") for step in ("plan", "draft")),
    *(f"{level}/design/design" for level in ("beat", "paragraph")),
    *(f"{level}/search" for level in Level),
    *(f"{level}/write/{step}" for level in Level for step in ("plan", "draft", "critic", "refine")),
    *(f"{level}/write/review" for level in ("book", "volume", "act", "chapter")),
    *(f"{level}/summary" for level in Level),
    *(f"{level}/atom/{task}" for level in Level for task in TASKS),
    "summary/global_state",
]
"""Source: S3-138 to S3-144."""


def names(workflow: tuple[Agent, ...]) -> list[str]:
    return [agent.name for agent in workflow]


@pytest.mark.parametrize("prompt", sorted({agent.prompt for agent in EVERY_AGENT}))
def test_every_step_has_its_template(prompt: str) -> None:
    assert (PROMPTS / f"{prompt}.md.j2").is_file()


@pytest.mark.parametrize("path", REQUIRED)
def test_every_path_of_the_sources_is_a_template_of_some_agent(path: str) -> None:
    assert (PROMPTS / "story" / f"{path}.md.j2").is_file()
    assert f"story/{path}" in {agent.prompt for agent in EVERY_AGENT}


def test_every_agent_asks_a_known_role_with_a_known_budget() -> None:
    assert {agent.role for agent in EVERY_AGENT} <= set(ROLES)
    for profile in PROFILES.values():
        assert {agent.context for agent in EVERY_AGENT} <= set(profile.context_budget)


def test_temperatures_fall_from_invention_to_classification() -> None:
    temperatures = {agent.temperature for agent in EVERY_AGENT if not agent.prompt.startswith("story/small/")}

    assert temperatures == {0.75, 0.4, 0.2, 0.1, 0.0}


@pytest.mark.parametrize(
    ("level", "steps"),
    [
        (Level.BOOK, ["proposer_long", "critic_long", "refiner"]),
        (Level.VOLUME, ["proposer", "critic", "refiner"]),
        (Level.ACT, ["proposer", "critic", "refiner"]),
        (Level.CHAPTER, ["planner", "refiner"]),
        (Level.SCENE, ["planner", "refiner"]),
        (Level.BEAT, ["planner"]),
        (Level.PARAGRAPH, ["planner"]),
    ],
)
def test_planning_takes_the_steps_of_its_level(level: Level, steps: list[str]) -> None:
    assert names(plan_workflow(level, "long", STANDARD)) == steps


@pytest.mark.parametrize("size", CLASSES)
def test_only_the_book_is_planned_by_its_length_class(size: str) -> None:
    assert names(plan_workflow(Level.BOOK, size, STANDARD)) == [f"proposer_{size}", f"critic_{size}", "refiner"]
    assert plan_workflow(Level.ACT, size, STANDARD) == plan_workflow(Level.ACT, "short", STANDARD)


@pytest.mark.parametrize(
    ("level", "steps"),
    [
        (Level.BOOK, ["proposer", "critic", "refiner"]),
        (Level.VOLUME, ["proposer", "critic", "refiner"]),
        (Level.ACT, ["planner", "refiner"]),
        (Level.CHAPTER, ["planner", "refiner"]),
        (Level.SCENE, ["planner"]),
        (Level.BEAT, ["planner"]),
    ],
)
def test_division_takes_the_steps_of_its_level(level: Level, steps: list[str]) -> None:
    assert names(hierarchy_workflow(level, STANDARD)) == steps


@pytest.mark.parametrize(
    ("level", "steps"),
    [
        (Level.BOOK, ["guideline", "draft", "critic", "refine"]),
        (Level.VOLUME, ["guideline", "draft", "refine"]),
        (Level.ACT, ["guideline", "draft", "refine"]),
        (Level.CHAPTER, ["plan", "draft"]),
        (Level.SCENE, ["plan", "draft"]),
        (Level.BEAT, ["design"]),
        (Level.PARAGRAPH, ["design"]),
    ],
)
def test_design_takes_the_steps_of_its_level(level: Level, steps: list[str]) -> None:
    assert names(design_workflow(level, Expert.SYSTEM, STANDARD)) == steps


@pytest.mark.parametrize("expert", Expert)
def test_only_the_books_guideline_goes_by_its_expert(expert: Expert) -> None:
    book, volume = design_workflow(Level.BOOK, expert, STANDARD), design_workflow(Level.VOLUME, expert, STANDARD)

    assert book[0].prompt == f"story/book/design/guideline_{expert}"
    assert [agent.prompt.rpartition("/")[2] for agent in book[1:]] == ["draft", "critic", "refine"]
    assert volume[0].prompt == "story/volume/design/guideline"


@pytest.mark.parametrize("level", Level)
def test_decomposition_prose_and_the_rest_are_alike_at_every_level(level: Level) -> None:
    assert names(decomposition_workflow(level, TaskType.DESIGN, STANDARD)) == ["proposer", "critic", "refiner"]
    assert names(decomposition_workflow(level, TaskType.SEARCH, STANDARD)) == ["planner", "refiner"]
    assert names(write_workflow(level, STANDARD)) == ["plan", "draft", "critic", "refine"]
    assert flow_decision(level).prompt == f"story/{level}/flow_decision/flow_decision"
    assert search_executor(level, ProfileName.STANDARD).prompt == f"story/{level}/search"


@pytest.mark.parametrize("level", Level)
def test_what_is_finer_than_a_chapter_is_edited_as_one(level: Level) -> None:
    at = level if level.is_at_least(Level.CHAPTER) else Level.CHAPTER

    assert editor(level).prompt == f"story/{at}/write/review"


@pytest.mark.parametrize("level", DIVISIBLE)
def test_economy_has_no_critics(level: Level) -> None:
    thinned = [
        *plan_workflow(level, "short", ECONOMY),
        *hierarchy_workflow(level, ECONOMY),
        *design_workflow(level, Expert.SYSTEM, ECONOMY),
        *write_workflow(level, ECONOMY),
    ]

    assert not [agent.name for agent in thinned if "critic" in agent.name]
    assert names((briefing(level, ECONOMY), *write_workflow(level, ECONOMY))) == ["brief", "draft", "revise"]
    assert "refine" not in names(design_workflow(level, Expert.SYSTEM, ECONOMY))


@pytest.mark.parametrize("profile", [ECONOMY, STANDARD])
def test_a_book_of_one_sitting_is_planned_and_designed_in_fewer_steps(profile: ProfileName) -> None:
    plan, design = (
        plan_workflow(Level.BOOK, "short", profile, Depth.SHORT),
        design_workflow(Level.BOOK, Expert.SYSTEM, profile, Depth.SHORT),
    )

    assert names(plan) == ["proposer_short", "refiner"]
    assert names(design) == (["draft"] if profile is ECONOMY else ["draft", "critic", "refine"])
    assert names(write_workflow(Level.BOOK, STANDARD, Depth.SHORT)) == ["plan", "draft", "critic", "refine"]


@pytest.mark.parametrize(("level", "profile"), list(product(Level, (ECONOMY, STANDARD, FINE))))
def test_a_few_pages_are_told_planned_and_revised_by_one_step_each(level: Level, profile: ProfileName) -> None:
    brief, steps = briefing(level, profile, Depth.SLIGHT), write_workflow(level, profile, Depth.SLIGHT)

    assert brief.prompt == f"story/{level}/write/plan"
    assert names(steps) == ["draft", "revise"]


@pytest.mark.parametrize("level", Level)
def test_fine_has_a_second_critic_for_book_volume_and_prose(level: Level) -> None:
    is_seconded = level in (Level.BOOK, Level.VOLUME)

    assert names(write_workflow(level, FINE)) == ["plan", "draft", "critic", "second_critic", "refine"]
    assert ("second_critic" in names(plan_workflow(level, "short", FINE))) is is_seconded
    assert len(design_workflow(level, Expert.SYSTEM, FINE)) == len(design_workflow(level, Expert.SYSTEM, STANDARD)) + (
        1 if is_seconded else 0
    )


@pytest.mark.parametrize("level", DIVISIBLE)
def test_small_plans_divides_and_designs_in_one_call_each(level: Level) -> None:
    for workflow in (
        plan_workflow(level, "short", SMALL),
        hierarchy_workflow(level, SMALL),
        design_workflow(level, Expert.SYSTEM, SMALL),
    ):
        assert len(workflow) == 1
        assert workflow[0].prompt.startswith("story/small/")


@pytest.mark.parametrize(("level", "profile"), list(product(DIVISIBLE, ProfileName)))
def test_only_the_last_step_of_a_plan_answers_in_json(level: Level, profile: ProfileName) -> None:
    found = [plan_workflow(level, "medium", profile), hierarchy_workflow(level, profile)]
    found += [decomposition_workflow(level, task, profile) for task in TASKS]

    for workflow in found:
        assert [agent.output for agent in workflow] == [None] * (len(workflow) - 1) + [PlanOutput]


def test_judges_and_deciders_answer_in_json() -> None:
    assert atom_judge(Level.ACT, TaskType.SEARCH).output is AtomVerdicts
    assert flow_decision(Level.ACT).output is FlowDecision


@pytest.mark.parametrize(("level", "profile"), list(product(Level, ProfileName)))
def test_prose_is_marked_as_such_and_ends_its_workflow(level: Level, profile: ProfileName) -> None:
    workflow = write_workflow(level, profile)

    assert workflow[-1].is_prose
    assert {agent.name for agent in workflow if agent.is_prose} <= {"draft", "refine", "revise"}


@pytest.mark.parametrize(("level", "profile"), list(product(Level, ProfileName)))
def test_no_step_evaluates_what_it_makes(level: Level, profile: ProfileName) -> None:
    for workflow in (plan_workflow(level, "short", profile), write_workflow(level, profile)):
        roles = {agent.role for agent in workflow if "critic" in agent.name}

        assert roles <= {"critic"}
        assert "critic" not in {agent.role for agent in workflow if "critic" not in agent.name}


@pytest.mark.parametrize(("level", "profile"), list(product(Level, ProfileName)))
def test_the_steps_of_a_workflow_have_names_of_their_own(level: Level, profile: ProfileName) -> None:
    for workflow in (
        plan_workflow(level, "short", profile),
        design_workflow(level, Expert.SYSTEM, profile),
        decomposition_workflow(level, TaskType.DESIGN, profile),
        write_workflow(level, profile),
    ):
        assert len(set(names(workflow))) == len(workflow)
