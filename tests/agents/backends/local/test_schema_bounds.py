"""A bounded schema holds no string, list or recursion without an end."""

import json
import re
from typing import Any

import pytest
from pydantic import BaseModel, Field

from bookwright.agents.backends.local.schema_bounds import bounded_schema, bounded_shape, whole_words
from bookwright.agents.backends.schema import compact_schema
from bookwright.models.text.changes import Changes
from bookwright.models.tree.decision import AtomVerdicts, FlowDecision, Questions, Routing, TitleAndBlurb
from bookwright.models.tree.plan import PlanOutput

SHAPES = (PlanOutput, TitleAndBlurb, FlowDecision, AtomVerdicts, Changes, Questions, Routing)


class Address(BaseModel):
    street: str
    zip: str = Field(pattern=r"[0-9]{5}")


class Person(BaseModel):
    name: str = Field(max_length=30)
    nickname: str | None = None
    age: int = Field(ge=0, le=150)
    address: Address
    reasoning: str = ""
    friends: list["Person"] = []


def nodes_of(schema: Any) -> list[dict[str, Any]]:
    """All objects of a schema, the whole first."""
    if isinstance(schema, list):
        return [node for item in schema for node in nodes_of(item)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(node for value in schema.values() for node in nodes_of(value))]


@pytest.mark.parametrize("is_in_words", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_string_and_list_has_an_end(shape: type[BaseModel], is_in_words: bool) -> None:
    nodes = nodes_of(bounded_schema(shape, is_in_words=is_in_words))

    strings = [node for node in nodes if node.get("type") == "string" and "enum" not in node]
    lists = [node for node in nodes if node.get("type") == "array"]
    assert all("maxLength" in node or node["pattern"].endswith("$") for node in strings)
    assert all(node["maxItems"] <= 24 for node in lists)
    assert not any("$ref" in node or "anyOf" in node for node in nodes)


def test_a_plan_asks_for_thoughts_and_then_events() -> None:
    schema = bounded_schema(PlanOutput)

    assert list(schema["properties"]) == ["reasoning", "sub_tasks"]
    assert list(schema["properties"]["sub_tasks"]["items"]["properties"]) == ["title", "goal"]
    assert schema["required"] == ["reasoning", "sub_tasks"]


def test_parts_have_no_parts_of_their_own() -> None:
    schema = bounded_schema(Person)

    friend = schema["properties"]["friends"]["items"]
    assert "friends" not in friend["properties"]
    assert friend["properties"]["address"]["properties"]["zip"]["pattern"] == "^[0-9]{5}$"


def test_bounds_of_the_model_itself_stand() -> None:
    friend = bounded_schema(Person)["properties"]["friends"]["items"]["properties"]

    assert friend["name"]["maxLength"] == 30
    assert (friend["age"]["minimum"], friend["age"]["maximum"]) == (0, 150)
    assert friend["nickname"]["type"] == "string"


def test_an_enumeration_stays_whole() -> None:
    assert len(bounded_schema(FlowDecision)["properties"]["decision"]["enum"]) == 3


def test_a_goal_in_words_is_one_sentence_without_figures() -> None:
    pattern = bounded_schema(PlanOutput, is_in_words=True)["properties"]["sub_tasks"]["items"]["properties"]["goal"][
        "pattern"
    ]

    assert re.match(pattern, "Clara opens the door and finds the coat.")
    assert not re.match(pattern, "Clara waits 300000000 years for him.")
    assert not re.match(pattern, "The End.")
    assert not re.match(pattern, "Clara " + "waits and " * 40 + "goes.")


def test_a_bounded_shape_reads_answers_as_the_shape_itself_does() -> None:
    shape = bounded_shape(PlanOutput)

    answer = shape.model_validate_json('{"reasoning": "r", "sub_tasks": [{"title": "t", "goal": "g"}]}')

    assert isinstance(answer, PlanOutput)
    assert answer.sub_tasks[0].goal == "g"
    assert compact_schema(shape)["required"] == ["reasoning", "sub_tasks"]
    assert shape.__name__ == "PlanOutput"
    assert bounded_shape(PlanOutput) is shape


def test_what_was_joined_where_no_word_was_left_is_cut_off_and_nothing_ends_on_a_preposition() -> None:
    thought = "Odell keeps the lamp. Nobody asks why the old bell on the pier rang before the clock in the tower"
    answer = {
        "reasoning": f"{thought} thatnight.",
        "sub_tasks": [{"title": "A bell-ringer falls from the toweronanight", "goal": "Ada finds the log."}],
    }

    cut = json.loads(whole_words(json.dumps(answer)))

    assert cut == {
        "reasoning": f"{thought}.",
        "sub_tasks": [{"title": "A bell-ringer falls", "goal": "Ada finds the log."}],
    }


@pytest.mark.parametrize(
    "text", ['{"title": "The Last Night Without Wind"}', '{"verdict": "atom", "count": 3}', '{"ti']
)
def test_an_answer_within_its_words_is_left_as_it_is(text: str) -> None:
    assert whole_words(text) == text
