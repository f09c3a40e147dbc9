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


def test_the_sources_own_example_validates_letter_by_letter() -> None:
    """Its placeholder of a length and its ellipsis stand for nothing; all else is as it is printed there."""
    example = json.loads("""{
        "reasoning": "思考过程。",
        "id": "N.M",
        "task_type": "write",
        "hierarchical_position": "第N卷第M幕",
        "goal": "撰写[当前叙事单元]的完整内容",
        "length": "约XX字",
        "sub_tasks": [
            {
                "id": "N.M.1",
                "task_type": "design",
                "hierarchical_position": "第N卷第M幕",
                "goal": "设计[当前单元]的[核心功能]与[结构作用]",
                "instructions": ["定义[当前单元]在[上层结构]中的战略价值。",
                                 "规划[关键事件A]的发生与[角色B]的关键转变。"],
                "input_brief": ["参考`上层设计方案`中关于[核心冲突]的描述。",
                                "回顾`历史情节概要`中[角色C]的当前状态。"],
                "constraints": ["避免使用[陈旧套路A]。", "确保[角色D]的行为符合其[核心动机]。"],
                "acceptance_criteria": ["产出的[设计成果]必须能解释[角色E]的核心动机来源。"],
                "complexity_score": 7,
                "sub_tasks": []
            },
            "..."
        ]
    }""")

    plan = PlanOutput.model_validate(example)

    [design] = plan.sub_tasks
    assert (plan.length, plan.hierarchical_position, design.id) == (None, "第N卷第M幕", "N.M.1")
    assert (design.complexity_score, len(design.instructions), design.sub_tasks) == (7, 2, ())


def test_tasks_inside_a_task_are_kept_as_what_is_to_be_done_in_it() -> None:
    inside = (PlanNode(goal="her debt"), PlanNode(goal="her sister"))

    folded = PlanNode(goal="the keeper", instructions=("begin with the lamp",), sub_tasks=inside).folded

    assert folded.instructions == ("begin with the lamp", "her debt", "her sister")
    assert folded.sub_tasks == ()
