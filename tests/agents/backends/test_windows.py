"""How much a model takes: asked of its server, set, known by its name, or assumed."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from bookwright.agents.backends.windows import (
    DEADLINE_SECONDS,
    ContextWindow,
    WindowSource,
    found_window,
    thinking_allowance,
    window_of,
    with_windows,
)
from bookwright.models.errors import InvalidSetting
from bookwright.models.settings import Settings, load_settings
from tests.support.fake_provider import FakeProvider
from tests.support.local_server import TROUBLES, Canned, LocalServer

MODEL = "ollama:qwen3:14b"
SHOWN = {"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960}, "parameters": "top_p 0.9"}
WITH_NUM_CTX = {
    **SHOWN,
    "parameters": 'stop                           "<|im_end|>"\nnum_ctx                        16384',
}
LOADED = {"models": [{"name": "other:1b", "context_length": 999}, {"name": "qwen3:14b", "context_length": 32_768}]}


def asked(tokens: int) -> ContextWindow:
    return ContextWindow(tokens, WindowSource.ASKED)


def assumed(tokens: int) -> ContextWindow:
    return ContextWindow(tokens, WindowSource.ASSUMED)


@pytest.mark.parametrize(
    ("name", "tokens", "source"),
    [
        ("anthropic:claude-sonnet-5-5", 1_000_000, WindowSource.KNOWN),
        ("claude-cli:claude-sonnet-5-5", 200_000, WindowSource.KNOWN),
        ("embedded:smollm2", 8_192, WindowSource.KNOWN),
        ("vllm:any", 32_768, WindowSource.ASSUMED),
        ("ollama:any", 8_192, WindowSource.ASSUMED),
    ],
)
def test_without_a_server_the_list_or_the_provider_tells(
    name: str, tokens: int, source: WindowSource, settings: Settings
) -> None:
    assert window_of(name, settings) == ContextWindow(tokens, source)


@pytest.mark.parametrize(
    ("name", "told", "window"),
    [
        (MODEL, {"/api/show": WITH_NUM_CTX}, asked(16_384)),
        (MODEL, {"/api/show": WITH_NUM_CTX, "/api/ps": LOADED}, asked(16_384)),
        (MODEL, {"/api/show": SHOWN, "/api/ps": LOADED}, asked(32_768)),
        (MODEL, {"/api/show": SHOWN, "/api/ps": {"models": []}}, assumed(8_192)),  # whatever Ollama will load it with
        (MODEL, {"/api/show": {"model_info": {"a.context_length": 2_048}}}, asked(2_048)),
        (
            MODEL,
            {"/api/show": {"parameters": "num_ctx 65536", "model_info": {"a.context_length": 4_096}}},
            asked(4_096),
        ),
        ("ollama:gpt-oss:120b-cloud", {"/api/show": {"model_info": {"a.context_length": 131_072}}}, asked(131_072)),
        ("llamacpp:x", {"/props": {"default_generation_settings": {"n_ctx": 24_576}}}, asked(24_576)),
        ("llamacpp:x", {"/props": {"default_generation_settings": {"n_ctx": 0}}}, assumed(8_192)),
        ("vllm:own/x", {"/v1/models": {"data": [{"id": "own/x", "max_model_len": 65_536}]}}, asked(65_536)),
        ("vllm:own/x", {"/v1/models": {"data": [{"id": "other", "max_model_len": 65_536}]}}, assumed(32_768)),
        ("compatible:x", {"/v1/models": {"data": [{"id": "x", "context_length": 16_000}]}}, asked(16_000)),
        ("compatible:x", {"/v1/models": {"data": [{"id": "x"}]}}, assumed(32_768)),
        (
            "compatible:x",
            {"/v1/models": {"data": [{"id": "x"}]}, "/props": {"default_generation_settings": {"n_ctx": 12_288}}},
            asked(12_288),
        ),
    ],
)
def test_a_server_is_asked_in_its_own_way(
    name: str, told: dict[str, Any], window: ContextWindow, provider: FakeProvider, settings: Settings
) -> None:
    provider.told = told

    assert found_window(name, settings) == window


@pytest.mark.parametrize(
    "answer", [[], "no", {"data": 3}, {"data": [3]}, {"data": [{"id": "x", "max_model_len": "9"}]}]
)
def test_an_answer_of_another_shape_is_none(answer: object, provider: FakeProvider, settings: Settings) -> None:
    provider.told = {"/v1/models": answer}

    assert found_window("vllm:x", settings) == assumed(32_768)


@pytest.mark.parametrize("trouble", ["hang", "drip", "cut", "garbage"])
def test_a_server_in_trouble_is_not_waited_for(
    trouble: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    assert trouble in TROUBLES
    body = json.dumps({"default_generation_settings": {"n_ctx": 4_096}}).encode()
    with LocalServer(lambda _: Canned(body, trouble=trouble)).running() as server:
        monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.url}/v1")
        began = time.monotonic()

        found = found_window("llamacpp:x", settings)

    assert time.monotonic() - began < DEADLINE_SECONDS + 3
    assert found in (assumed(8_192), asked(4_096))  # a slow one that comes to its end in time has answered
    assert trouble == "drip" or found == assumed(8_192)


def test_the_settings_win_and_nobody_is_asked(provider: FakeProvider, make_settings: Callable[..., Settings]) -> None:
    provider.told = {"/api/show": WITH_NUM_CTX}
    settings = make_settings(windows={MODEL: 12_000})

    assert found_window(MODEL, settings) == ContextWindow(12_000, WindowSource.SET)
    assert provider.told_paths == []


def test_models_that_are_known_are_not_asked_about(provider: FakeProvider, settings: Settings) -> None:
    with_windows(["openai:gpt-4.1", "anthropic:claude-sonnet-4-6", "embedded:smollm2", "rehearsal:exact"], settings)

    assert provider.told_paths == []


def test_each_model_is_asked_about_once(provider: FakeProvider, settings: Settings) -> None:
    provider.told = {"/api/show": WITH_NUM_CTX}

    found = with_windows([MODEL, MODEL, "openai:gpt-4.1"], settings)

    assert provider.told_paths == ["/api/show"]
    assert found.windows == {MODEL: 16_384}
    assert settings.windows == {}


def test_thoughts_have_a_quarter_of_a_window_that_is_set(make_settings: Callable[..., Settings]) -> None:
    assert thinking_allowance(MODEL, make_settings()) == 2_048
    assert thinking_allowance(MODEL, make_settings(windows={MODEL: 16_384})) == 4_096
    assert thinking_allowance(MODEL, make_settings(windows={MODEL: 131_072})) == 8_192


def test_a_window_that_holds_nothing_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="greater than or equal to 1024"):
        load_settings(windows={MODEL: 10})


@pytest.mark.embedded
def test_the_true_server_of_llama_cpp_tells_what_it_was_started_with(
    monkeypatch: pytest.MonkeyPatch, make_settings: Callable[..., Settings]
) -> None:
    from bookwright.agents.backends.local import embedded, weights

    settings = make_settings()
    server = embedded._start(weights.locate(weights.SMOLLM2, settings), "key", 2_560)
    monkeypatch.setenv("LLAMACPP_BASE_URL", f"{server.listening_address}/v1")
    monkeypatch.setenv("LLAMACPP_API_KEY", "key")

    assert found_window("llamacpp:smollm2", settings) == asked(2_560)
