"""Both SDKs against a real server: llama.cpp's, which speaks the APIs of OpenAI and Anthropic."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from bookwright.agents.backends.local import embedded, weights
from bookwright.agents.backends.protocol import EventKind, Prompt, Request, Sampling, StreamEvent, ToolSpec
from bookwright.agents.backends.service import ModelService
from bookwright.app.doctor.models import try_model
from bookwright.models.settings import Settings, load_settings
from bookwright.models.step import Reply
from tests.agents.backends.conftest import ask_for

pytestmark = pytest.mark.embedded

OPENAI, ANTHROPIC = "llamacpp:smollm2", "anthropic:claude-sonnet-4-6"
KEY = "key-of-the-real-server"
SHORT = Sampling(temperature=0.2, max_output_tokens=12, seed=3)
LOOK = ToolSpec(
    "search_story", "Looks into the story.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)  # fmt: skip


class Light(BaseModel):
    light: str
    hours: int


class Curt(ModelService):
    """Lets a model write no more than its JSON needs: left alone, this one goes on to the limit of every answer."""

    def ask(self, request: Request, *others: Any, **named: Any) -> Reply:
        """Ask for a short answer, and for a shorter one where it writes prose."""
        sampling = replace(request.sampling, max_output_tokens=40 if request.output else 12)
        return super().ask(replace(request, sampling=sampling), *others, **named)


@pytest.fixture(scope="module")
def server() -> Any:
    return embedded._start(weights.locate("smollm2", load_settings()), KEY, 4_096)


@pytest.fixture
def service(server: Any, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[ModelService]:
    monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.listening_address}/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.listening_address)
    for name in ("LLAMACPP", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
    asked = ModelService(settings)
    yield asked
    asked.close()


def request(model: str, **changes: Any) -> Any:
    prompt = Prompt("You write fiction in English.", ("Tell of the sea.",))
    return ask_for(model, **{"prompt": prompt, "sampling": SHORT, **changes})


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_text_streams_is_counted_and_ends_at_its_limit(model: str, service: ModelService) -> None:
    heard: list[StreamEvent] = []

    reply = service.ask(request(model), listener=heard.append)

    pieces = [event.text for event in heard if event.kind is EventKind.TEXT]
    assert len(pieces) > 5
    assert "".join(pieces) == reply.text
    assert reply.finish_reason == "length"
    assert (reply.usage.output_tokens, reply.usage.is_estimate) == (12, False)
    assert reply.usage.input_tokens > 10


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_a_prompt_that_was_read_before_is_told_as_cached(model: str, service: ModelService) -> None:
    asked = request(model, sampling=Sampling(temperature=0.2, max_output_tokens=1, seed=3))
    service.ask(asked)

    assert service.ask(asked).usage.cached_tokens > 10


def test_the_server_keeps_to_a_schema(service: ModelService) -> None:
    sampling = Sampling(temperature=0.2, max_output_tokens=120, seed=3)

    reply = service.ask(request(OPENAI, output=Light, sampling=sampling))

    assert Light.model_validate_json(reply.text)


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_tools_and_their_answers_are_taken(model: str, service: ModelService) -> None:
    reply = service.ask(request(model, tools=(LOOK,)))

    assert reply.text
    assert reply.usage.output_tokens > 0


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_a_wrong_key_is_told_as_one(
    model: str, service: ModelService, monkeypatch: pytest.MonkeyPatch, make_settings: Callable[..., Settings]
) -> None:
    for name in ("LLAMACPP", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", "another")

    trial = try_model(model, make_settings(max_attempts=1))

    assert not trial.is_usable
    assert "key" in trial.problem.casefold() or "401" in trial.problem


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_doctor_asks_it_and_tells_what_it_can_do(model: str, service: ModelService, settings: Settings) -> None:
    trial = try_model(model, settings, Curt(settings))

    can = {ability.name: ability.is_there for ability in trial.abilities}
    assert can["answers"]
    assert can["streams"]
    assert set(can) == {"answers", "streams", "schema", "caching", "tools"}
    assert (trial.calls, trial.problem) == (2, "")
    assert trial.input_tokens > 50
    assert trial.usd_in is not None
