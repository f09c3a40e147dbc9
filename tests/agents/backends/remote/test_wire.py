"""What goes over the wire: the same request through both SDKs and to every provider, and streams of odd events."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, ThinkingPart, ToolCallPart
from pydantic_ai.messages import ToolCallPartDelta as CallDelta

from bookwright.agents.backends.protocol import Correction, EventKind, Prompt, Sampling, StreamEvent
from bookwright.agents.backends.remote.wire import StreamedReply
from bookwright.agents.backends.schema import compact_schema
from bookwright.agents.backends.service import ModelService
from bookwright.models.tree.plan import PlanOutput
from tests.agents.backends.conftest import ANTHROPIC, BOTH, OPENAI, ask_for
from tests.support.fake_provider import FakeProvider

Make = Callable[..., ModelService]


class Verdict(BaseModel):
    """Why this class exists is nobody's business but ours."""

    reasoning: str = Field(min_length=1)
    title: str = ""
    score: int = Field(ge=1, le=10)


def texts(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@pytest.mark.parametrize("model", BOTH)
def test_system_user_and_limit_arrive_at_both(model: str, provider: FakeProvider, make_service: Make) -> None:
    make_service().ask(ask_for(model))

    question = provider.ledger[0].body
    assert "You write books." in str(question.get("system") or question["messages"][0])
    assert texts(question["messages"][-1]).endswith("Write the scene.")
    assert 400 in (question.get("max_tokens"), question.get("max_completion_tokens"))
    assert question["temperature"] == 0.7
    assert question["stream"] is True


@pytest.mark.parametrize("model", BOTH)
def test_usage_and_cached_tokens_are_read_alike(model: str, provider: FakeProvider, make_service: Make) -> None:
    service = make_service()

    first, second = service.ask(ask_for(model)), service.ask(ask_for(model))

    assert first.usage.input_tokens == second.usage.input_tokens > 0
    assert (first.usage.cached_tokens, second.usage.cached_tokens) == (0, second.usage.input_tokens - 1)
    assert first.usage.output_tokens > 0
    assert not first.usage.is_estimate
    assert (first.text, first.finish_reason, first.model) == (second.text, "stop", model)


def test_anthropic_gets_a_cache_point_of_its_own_after_what_the_whole_unit_shares(
    provider: FakeProvider, make_service: Make
) -> None:
    prompt = Prompt("Be brief.", ("Design.", "", "Task.", "# Role"), stable_blocks=3, unit_blocks=2)

    make_service().ask(ask_for(ANTHROPIC, prompt=prompt))

    parts = provider.ledger[0].body["messages"][0]["content"]
    assert [("cache_control" in part, part["text"]) for part in parts] == [
        (True, "Design.\n\n"), (True, "Task.\n\n"), (False, "# Role"),
    ]  # fmt: skip


def test_anthropic_gets_cache_points_after_the_system_and_the_stable_blocks(
    provider: FakeProvider, make_service: Make
) -> None:
    make_service().ask(ask_for(ANTHROPIC))

    body = provider.ledger[0].body
    parts = body["messages"][0]["content"]
    assert "cache_control" in body["system"][-1]
    assert [("cache_control" in part, part["text"]) for part in parts] == [
        (False, "Design of the book.\n\n"),
        (True, "State of the story.\n\n"),
        (False, "Write the scene."),
    ]


def test_openai_gets_one_text_and_a_cache_key(provider: FakeProvider, make_service: Make) -> None:
    make_service().ask(ask_for(OPENAI, cache_key="book-7"))

    body = provider.ledger[0].body
    assert body["prompt_cache_key"] == "book-7"
    assert body["messages"][1]["content"] == "Design of the book.\n\nState of the story.\n\nWrite the scene."
    assert body["seed"] == 11


@pytest.mark.parametrize("shape", [Verdict, PlanOutput])
@pytest.mark.parametrize(
    "model",
    [
        OPENAI, ANTHROPIC, "anthropic:claude-opus-5-5", "deepseek:deepseek-v4-pro", "qwen:qwen3-max", "zhipu:glm-4.7",
        "openrouter:qwen/qwen3-max", "ollama:llama3", "vllm:Qwen/Qwen3-8B", "llamacpp:any", "compatible:any",
    ],
)  # fmt: skip
def test_a_shape_can_be_asked_of_every_provider(
    model: str, shape: type[BaseModel], provider: FakeProvider, make_service: Make
) -> None:
    reply = make_service().ask(ask_for(model, output=shape))

    shape.model_validate_json(reply.text)
    assert len(provider.ledger) == 1


def test_openai_is_asked_by_its_own_schema_mode(provider: FakeProvider, make_service: Make) -> None:
    make_service().ask(ask_for(OPENAI, output=PlanOutput))

    form = provider.ledger[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"].get("strict") is not True
    assert "tools" not in provider.ledger[0].body


def test_anthropic_is_asked_by_a_tool_that_is_not_strict(provider: FakeProvider, make_service: Make) -> None:
    make_service().ask(ask_for(ANTHROPIC, output=PlanOutput))

    body = provider.ledger[0].body
    assert [tool["name"] for tool in body["tools"]] == ["PlanOutput"]
    assert body["tools"][0].get("strict") is not True
    assert body["tool_choice"]["type"] in ("any", "tool")


def test_a_prompted_schema_stands_after_everything_that_may_be_cached(
    provider: FakeProvider, make_service: Make
) -> None:
    service = make_service()

    service.ask(ask_for("anthropic:claude-opus-5-5"))
    service.ask(ask_for("anthropic:claude-opus-5-5", output=Verdict))

    text, shaped = (entry.body for entry in provider.ledger)
    assert shaped["system"] == text["system"]
    assert shaped["messages"][0]["content"][:2] == text["messages"][0]["content"][:2]
    assert shaped["messages"][0]["content"][2]["text"].startswith("Write the scene.\n\nAnswer with one JSON object")
    assert "tools" not in shaped


@pytest.mark.parametrize(
    ("locale", "said"), [("en", "Answer with one JSON object"), ("zh", "只答一个 JSON 对象"), ("ja", "Answer with one")]
)
def test_a_prompted_schema_is_asked_for_in_the_language_of_the_prompt(
    locale: str, said: str, provider: FakeProvider, make_service: Make
) -> None:
    make_service().ask(ask_for("deepseek:deepseek-v4-pro", output=Verdict, locale=locale))

    assert f"Write the scene.\n\n{said}" in texts(provider.ledger[0].body["messages"][-1])


def test_deepseek_is_told_to_keep_to_json_as_well(provider: FakeProvider, make_service: Make) -> None:
    make_service().ask(ask_for("deepseek:deepseek-v4-pro", output=Verdict))

    body = provider.ledger[0].body
    assert body["response_format"] == {"type": "json_object"}
    assert '"score"' in texts(body["messages"][-1])
    assert len(body["messages"]) == 2


@pytest.mark.parametrize("model", BOTH)
def test_corrections_become_turns_and_no_more_system_messages(
    model: str, provider: FakeProvider, make_service: Make
) -> None:
    corrections = (Correction('{"score": 11}', "score is at most 10"), Correction("  ", "that was empty"))

    make_service().ask(ask_for(model, corrections=corrections))

    turns = [m for m in provider.ledger[0].body["messages"] if m["role"] != "system"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user", "assistant", "user"]
    assert [texts(turn) for turn in turns[1:]] == [
        '{"score": 11}', "score is at most 10", "(no answer)", "that was empty",
    ]  # fmt: skip
    assert sum(m["role"] == "system" for m in provider.ledger[0].body["messages"]) == (model == OPENAI)


def test_a_thinking_model_gets_room_and_no_temperature(provider: FakeProvider, make_service: Make) -> None:
    make_service().ask(ask_for("openai:gpt-6.1-terra"))

    body = provider.ledger[0].body
    assert body["max_completion_tokens"] == 400 + 8_192
    assert "temperature" not in body


def test_llama_cpp_gets_its_own_fields_and_the_prefill(provider: FakeProvider, make_service: Make) -> None:
    sampling = Sampling(0.7, 400, 11, extra={"grammar": "root ::= [a-z]+", "repeat_penalty": 1.1})
    prompt = Prompt("", ("Go on.",), prefill="Ines walked")

    make_service().ask(ask_for("llamacpp:any", sampling=sampling, prompt=prompt))

    body = provider.ledger[0].body
    assert body["grammar"] == "root ::= [a-z]+"
    assert body["repeat_penalty"] == 1.1
    assert body["messages"] == [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "Ines walked"},
    ]


@pytest.mark.parametrize("model", BOTH)
def test_other_providers_get_neither(model: str, provider: FakeProvider, make_service: Make) -> None:
    sampling = Sampling(0.7, 400, 11, extra={"grammar": "root ::= [a-z]+"})
    prompt = Prompt("", ("Go on.",), prefill="Ines walked")

    make_service().ask(ask_for(model, sampling=sampling, prompt=prompt))

    body = provider.ledger[0].body
    assert "grammar" not in body
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_facts_are_never_sent(provider: FakeProvider, make_service: Make) -> None:
    make_service().ask(ask_for(OPENAI, facts={"secret": "the butler"}))

    assert "butler" not in str(provider.ledger[0].body)


def test_a_schema_is_stripped_of_what_models_have_no_use_for() -> None:
    schema = compact_schema(Verdict)

    assert set(schema["properties"]) == {"reasoning", "title", "score"}
    assert "title" not in schema
    assert "description" not in schema
    assert "default" not in schema["properties"]["title"]
    assert schema["properties"]["score"]["maximum"] == 10


def test_a_schema_is_fresh_each_time() -> None:
    compact_schema(Verdict)["properties"].clear()

    assert compact_schema(Verdict)["properties"]


def test_only_the_first_of_two_tool_calls_counts() -> None:
    streamed = StreamedReply(lambda event: None)

    streamed.add(PartStartEvent(index=0, part=ToolCallPart("Verdict", '{"score": ')))
    streamed.add(PartStartEvent(index=1, part=ToolCallPart("Verdict", '{"score": 9}')))
    streamed.add(PartDeltaEvent(index=0, delta=CallDelta(args_delta="3}")))

    assert streamed.text == '{"score": 3}'


def test_a_call_wins_over_the_talk_before_it() -> None:
    streamed = StreamedReply(lambda event: None)

    streamed.add(PartStartEvent(index=0, part=TextPart("Let me answer.")))
    streamed.add(PartStartEvent(index=1, part=ToolCallPart("Verdict", {"score": 3})))

    assert streamed.text == '{"score": 3}'


def test_thoughts_are_kept_apart_from_the_text() -> None:
    heard: list[StreamEvent] = []
    streamed = StreamedReply(heard.append)

    streamed.add(PartStartEvent(index=0, part=ThinkingPart("Hm.")))
    streamed.add(PartStartEvent(index=1, part=TextPart("Rain")))
    streamed.add(PartDeltaEvent(index=1, delta=TextPartDelta(" fell.")))

    assert (streamed.text, streamed.reasoning) == ("Rain fell.", "Hm.")
    assert [event.kind for event in heard] == [EventKind.REASONING, EventKind.TEXT, EventKind.TEXT]


def test_a_prefill_that_comes_back_in_pieces_is_taken_off() -> None:
    streamed = StreamedReply(lambda event: None, prefill="Ines walked")

    for piece in ("In", "es wal", "ked to", " the pier."):
        streamed.add(PartDeltaEvent(index=0, delta=TextPartDelta(piece)))

    assert streamed.text == " to the pier."


def test_what_only_begins_like_the_prefill_is_kept() -> None:
    streamed = StreamedReply(lambda event: None, prefill="Ines walked")

    for piece in ("Ines", " ran."):
        streamed.add(PartDeltaEvent(index=0, delta=TextPartDelta(piece)))

    assert streamed.text == "Ines ran."
