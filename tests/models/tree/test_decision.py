"""The guards beside the model's verdicts. Source: DESIGN section 4, "Guards"."""

import pytest
from pydantic import ValidationError

from bookwright.models.tree.decision import (
    AtomVerdict,
    AtomVerdicts,
    Decision,
    FlowDecision,
    TitleAndBlurb,
    Verdict,
    guard_atom,
    verdict_by_score,
)
from bookwright.models.tree.plan import TaskType

DESIGN, SEARCH = TaskType.DESIGN, TaskType.SEARCH


@pytest.mark.parametrize(
    ("task_type", "ancestors", "held"),
    [
        (DESIGN, (), Verdict.COMPLEX),
        (DESIGN, (DESIGN,), Verdict.COMPLEX),
        (DESIGN, (DESIGN, DESIGN), Verdict.ATOM),
        (DESIGN, (DESIGN, SEARCH), Verdict.COMPLEX),
        (DESIGN, (SEARCH, DESIGN), Verdict.COMPLEX),
        (DESIGN, (DESIGN, DESIGN, SEARCH), Verdict.ATOM),
        (SEARCH, (), Verdict.COMPLEX),
        (SEARCH, (SEARCH,), Verdict.ATOM),
        (SEARCH, (DESIGN,), Verdict.COMPLEX),
        (SEARCH, (DESIGN, SEARCH), Verdict.COMPLEX),
        (SEARCH, (DESIGN, DESIGN), Verdict.COMPLEX),
    ],
)
def test_a_complex_task_is_held_by_what_stands_above_it(
    task_type: TaskType, ancestors: tuple[TaskType, ...], held: Verdict
) -> None:
    assert guard_atom(Verdict.COMPLEX, task_type, ancestors, len(ancestors), max_depth=9) is held


@pytest.mark.parametrize(("depth", "held"), [(2, Verdict.COMPLEX), (3, Verdict.ATOM), (4, Verdict.ATOM)])
def test_no_decomposition_goes_deeper_than_the_limit(depth: int, held: Verdict) -> None:
    assert guard_atom(Verdict.COMPLEX, SEARCH, (DESIGN,), depth, max_depth=3) is held


@pytest.mark.parametrize("ancestors", [(), (DESIGN,), (DESIGN, DESIGN), (SEARCH,)])
@pytest.mark.parametrize("task_type", [DESIGN, SEARCH])
def test_an_atom_stays_an_atom(task_type: TaskType, ancestors: tuple[TaskType, ...]) -> None:
    assert guard_atom(Verdict.ATOM, task_type, ancestors, len(ancestors), max_depth=3) is Verdict.ATOM


@pytest.mark.parametrize(
    ("score", "verdict"),
    [
        (None, None),
        (1, Verdict.ATOM),
        (3, Verdict.ATOM),
        (4, None),
        (7, None),
        (8, Verdict.COMPLEX),
        (10, Verdict.COMPLEX),
    ],
)
def test_a_clear_score_spares_the_judge(score: int | None, verdict: Verdict | None) -> None:
    assert verdict_by_score(score) is verdict


def test_a_decision_is_one_of_three_names() -> None:
    assert {decision.value for decision in Decision} == {
        "DECISION_CONTINUE_PLANNING",
        "DECISION_DIVIDE_HIERARCHY",
        "DECISION_PROCEED_TO_WRITE",
    }
    with pytest.raises(ValidationError):
        FlowDecision.model_validate({"decision": "DECISION_GIVE_UP"})


@pytest.mark.parametrize("field", ["title", "blurb"])
def test_a_title_and_a_blurb_are_more_than_space(field: str) -> None:
    answer = {"title": " The Log\n", "blurb": "She counts."}

    assert TitleAndBlurb.model_validate(answer).title == "The Log"
    with pytest.raises(ValidationError, match=field):
        TitleAndBlurb.model_validate(answer | {field: " \n"})


def test_a_decision_needs_no_reasons_and_a_judgement_needs_a_verdict() -> None:
    assert FlowDecision(decision=Decision.PROCEED_TO_WRITE).missing_points == ()
    with pytest.raises(ValidationError):
        AtomVerdicts(verdicts=())
    with pytest.raises(ValidationError):
        AtomVerdict(task=0, atom_result=Verdict.ATOM)
