"""How often the rehearsal author misses, goes on, or gives what is no result: as often as it should."""

import pytest

from bookwright.agents import workflows
from bookwright.agents.steps.answers import parse
from bookwright.models.profile import ProfileName
from bookwright.models.text.language import Language
from bookwright.models.tree.decision import AtomVerdicts, Decision, FlowDecision, Verdict, verdict_by_score
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanOutput, TaskType
from tests.agents.backends.rehearsal.rehearsed import DRAFT, PLAN, ask, card

SAMPLES = 1_000


def test_two_answers_in_a_hundred_are_no_result() -> None:
    failed = sum(
        parse(agent, ask(agent, activity, card(), label=f"1.{n}"), Language.EN, "").failure is not None
        for n in range(SAMPLES // 2)
        for activity, agent in (("plan", PLAN), ("close", workflows.summariser(Level.SCENE, ProfileName.STANDARD)))
    )

    assert 0.01 * SAMPLES <= failed <= 0.03 * SAMPLES


def test_a_third_try_is_never_spoiled() -> None:
    failures = [
        parse(PLAN, ask(PLAN, "plan", card(), label=f"1.{n}", attempt=3), Language.EN, "").failure
        for n in range(SAMPLES // 4)
    ]

    assert set(failures) == {None}


def test_two_decisions_in_five_go_on_planning_and_say_what_is_missing() -> None:
    agent = workflows.flow_decision(Level.CHAPTER)
    answers = [
        FlowDecision.model_validate_json(ask(agent, "decide", card(), label=f"1.{n}", mode="exact").text)
        for n in range(SAMPLES)
    ]

    going_on = [answer for answer in answers if answer.decision is Decision.CONTINUE_PLANNING]

    assert 0.36 * SAMPLES <= len(going_on) <= 0.44 * SAMPLES
    assert all(answer.missing_points for answer in going_on)


def test_a_fifth_of_all_tasks_is_complex_by_score_or_by_verdict() -> None:
    judge = workflows.atom_judge(Level.CHAPTER, TaskType.DESIGN)
    scores = [
        task.complexity_score
        for n in range(SAMPLES // 3)
        for task in PlanOutput.model_validate_json(
            ask(PLAN, "plan", card(), label=f"1.{n}", mode="exact").text
        ).sub_tasks
    ]
    verdicts = [
        verdict.atom_result
        for n in range(SAMPLES // 2)
        for verdict in AtomVerdicts.model_validate_json(
            ask(judge, "judge", card(), label=f"1.{n}", mode="exact").text
        ).verdicts
    ]

    judged = [verdict_by_score(score) for score in scores]
    undecided = judged.count(None) / len(judged)
    share = judged.count(Verdict.COMPLEX) / len(judged) + undecided * verdicts.count(Verdict.COMPLEX) / len(verdicts)

    assert 0.16 <= share <= 0.24


@pytest.mark.parametrize(
    ("mode", "least", "most"), [("miss", 0.28, 0.52), ("default", 0.0, 0.18), ("exact", 0.0, 0.03)]
)
@pytest.mark.parametrize("language", list(Language))
def test_drafts_miss_what_was_asked_by_as_much_as_the_mode_says(
    language: Language, mode: str, least: float, most: float
) -> None:
    lengths = [
        language.measure(
            ask(DRAFT, "write", card(language), label=f"1.{n}", mode=mode, language=language, attempt=3).text
        )
        for n in range(40)
    ]

    misses = [length / 600 - 1 for length in lengths]

    assert all(least <= abs(miss) <= most for miss in misses)
    assert mode == "exact" or 8 <= sum(miss > 0 for miss in misses) <= 32
