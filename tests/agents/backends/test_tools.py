"""Tools reach every model in the way it knows, and what comes back is one transcript."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from bookwright.agents.backends.service import ModelService
from bookwright.agents.react.loop import answered
from tests.agents.backends.conftest import ANTHROPIC, OPENAI
from tests.agents.react.kit import PRICE, Kept, Look, action, asking, finish, make_loop
from tests.support.fake_provider import FakeProvider

Make = Callable[..., ModelService]
TEXT_FORM = "compatible:some-model"
THINKS = "anthropic:claude-sonnet-5-1"
"""Wants its thoughts back with each answer of a tool, so it has the text form."""


class Price(BaseModel):
    """What a lamp costs."""

    pence: int


@pytest.fixture
def author(provider: FakeProvider) -> FakeProvider:
    """A provider whose author looks once, with a tool, and then answers."""
    lines = [action("oil [1890]", "what did it cost?"), finish("Nine [9] pence.")]

    def write(prompt: str, schema: dict[str, Any] | None) -> str:
        is_second = prompt.count("\nObservation: ") > 0
        return finish('{"pence": 9}') if is_second and schema else lines[is_second]

    provider.author = write
    return provider


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC, TEXT_FORM, THINKS])
@pytest.mark.parametrize("output", [None, Price])
def test_calls_and_the_text_form_leave_the_same_transcript(
    model: str, output: type[BaseModel] | None, author: FakeProvider, make_service: Make
) -> None:
    kept, look = Kept(), Look()

    reply = make_loop(asking(make_service(), model, output), kept, look).run()

    assert [kept.replies[0].text, reply.text] == [
        'Thought: what did it cost?\nAction: look[{"query": "oil [1890]"}]',
        finish('{"pence": 9}' if output else "Nine [9] pence."),
    ]
    assert look.asked == ["oil [1890]"]
    assert {call.billed_output > 0 for call in author.ledger} == {True}


@pytest.mark.parametrize(("model", "calls"), [(OPENAI, True), (ANTHROPIC, True), (TEXT_FORM, False), (THINKS, False)])
def test_a_model_gets_its_tools_in_the_way_it_knows(
    model: str, calls: bool, author: FakeProvider, make_service: Make
) -> None:
    make_loop(asking(make_service(), model), Kept()).run()

    first, second = (call.body for call in author.ledger)
    assert [bool(body.get("tools")) for body in (first, second)] == [calls, calls]
    assert ("Action: ToolName[" in json.dumps(first)) is not calls
    assert ("call_1" in json.dumps(second["messages"])) is calls
    assert PRICE in json.dumps(second["messages"])


@pytest.mark.parametrize("model", [OPENAI, "ollama:llama3"])
def test_a_server_that_knows_no_tools_is_told_of_them_in_words_from_then_on(
    model: str, author: FakeProvider, make_service: Make
) -> None:
    author.script = {0: "no_schema"}

    reply = make_loop(asking(make_service(), model), Kept()).run()

    assert answered(reply).text == "Nine [9] pence."
    assert [bool(call.body.get("tools")) for call in author.ledger] == [True, False, False]
