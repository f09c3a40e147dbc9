"""What planners answer: lengths as numbers or text, nested tasks, fields that models get wrong."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from bookwright.models.tree.plan import PlanNode, PlanOutput, TaskType, parse_length


@pytest.mark.parametrize(
    ("given", "length"),
    [
        (3_000, 3_000),
        (2_999.6, 3_000),
        ("3000", 3_000),
        ("约3000字", 3_000),
        ("15万字", 150_000),
        ("1.5万", 15_000),
        ("約2萬字", 20_000),
        ("3천 자", 3_000),
        ("2만 자", 20_000),
        ("3千字", 3_000),
        ("about 3,000 words", 3_000),
        ("12k words", 12_000),
        ("12K", 12_000),
        ("3000 kanji", 3_000),
        ("3000 Korean characters", 3_000),
        ("", None),
        ("  ", None),
        (None, None),
        (0, None),
        ("0", None),
    ],
)
def test_a_length_is_read_from_a_number_or_from_text(given: Any, length: int | None) -> None:
    assert parse_length(given) == length


@pytest.mark.parametrize("given", ["三千字", "long", -1, float("nan"), [], {}])
def test_what_is_no_length_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        PlanNode(goal="g", length=given)


def test_the_example_of_the_source_validates() -> None:
    example = {
        "reasoning": "先定下人物",
        "id": "1",
        "task_type": "write",
        "hierarchical_position": "全书",
        "goal": "写完全书",
        "instructions": ["先写卷一"],
        "input_brief": [],
        "constraints": ["不得改动结局"],
        "acceptance_criteria": ["读者读到结局"],
        "complexity_score": 7,
        "length": "约500000字",
        "sub_tasks": [
            {"id": "1.1", "task_type": "design", "hierarchical_position": "第1卷", "goal": "定下主线", "sub_tasks": []},
            {"id": "1.2", "task_type": "write", "goal": "写第1卷", "length": "15万字",
             "sub_tasks": [{"goal": "写第1幕", "task_type": "write", "sub_tasks": []}]},
        ],
    }  # fmt: skip

    plan = PlanOutput.model_validate(example)

    design, write = plan.sub_tasks
    assert (plan.length, write.length, design.length) == (500_000, 150_000, None)
    assert (design.task_type, write.task_type) == (TaskType.DESIGN, TaskType.WRITE)
    assert write.sub_tasks[0].goal == "写第1幕"


def test_a_plan_needs_no_goal_of_its_own_and_a_task_does() -> None:
    assert PlanOutput.model_validate({"sub_tasks": []}).goal == ""
    with pytest.raises(ValidationError, match="goal"):
        PlanOutput.model_validate({"sub_tasks": [{"title": "untold"}]})


def test_a_goal_of_white_space_is_no_goal() -> None:
    with pytest.raises(ValidationError, match="goal"):
        PlanNode(goal=" \n\t")


def test_a_goal_loses_the_space_around_it() -> None:
    assert PlanNode(goal="  decide\n").goal == "decide"


@pytest.mark.parametrize(("field", "value"), [("complexity_score", 0), ("complexity_score", 11), ("title", "x" * 121)])
def test_values_out_of_bounds_are_refused(field: str, value: Any) -> None:
    with pytest.raises(ValidationError, match=field):
        PlanNode.model_validate({"goal": "g", field: value})


def test_fields_that_nobody_asked_for_are_passed_over() -> None:
    assert PlanNode.model_validate({"goal": "g", "priority": "high"}) == PlanNode(goal="g")


def test_an_id_is_free_text_because_the_engine_gives_its_own() -> None:
    assert PlanNode(id="Volume One / 2", goal="g").id == "Volume One / 2"


def test_the_schema_a_model_is_shown_is_json_and_asks_for_numbers_as_lengths() -> None:
    schema = json.loads(json.dumps(PlanOutput.model_json_schema()))

    length = schema["$defs"]["PlanNode"]["properties"]["length"]
    assert {part["type"] for part in length["anyOf"]} == {"integer", "null"}
