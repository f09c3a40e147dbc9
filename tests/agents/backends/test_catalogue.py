"""What is known of a model by its name alone."""

import pytest

from bookwright.agents.backends import catalogue
from bookwright.agents.backends.catalogue import OutputMode


@pytest.mark.parametrize(
    ("model", "mode"),
    [
        ("openai:gpt-4.1", OutputMode.NATIVE),
        ("anthropic:claude-sonnet-4-6", OutputMode.TOOL),
        ("anthropic:claude-sonnet-5-5", OutputMode.PROMPTED),
        ("deepseek:deepseek-v4-pro", OutputMode.PROMPTED),
        ("ollama:llama3", OutputMode.NATIVE),
        ("ollama:gpt-oss:120b-cloud", OutputMode.PROMPTED),
        ("openrouter:anthropic/claude-opus-5-5", OutputMode.PROMPTED),
        ("openrouter:qwen/qwen3-max", OutputMode.TOOL),
    ],
)
def test_each_model_has_its_output_mode(model: str, mode: OutputMode) -> None:
    assert catalogue.output_mode(model) is mode


def test_windows_come_from_the_price_list_or_the_provider() -> None:
    assert catalogue.context_window("anthropic:claude-sonnet-5-5") == 1_000_000
    assert catalogue.context_window("vllm:any") == 32_768
    assert catalogue.context_window("embedded:smollm2") == 8_192


@pytest.mark.parametrize("model", ["openai:gpt-6.1-terra", "openai:o3", "anthropic:claude-opus-5-5", "zhipu:glm-4.7"])
def test_models_that_think_get_room_for_it(model: str) -> None:
    assert catalogue.thinking_allowance(model) == catalogue.THINKING_ALLOWANCE


@pytest.mark.parametrize(
    "model", ["openai:gpt-4.1", "openai:gpt-5.2", "anthropic:claude-sonnet-4-6", "qwen:qwen3-max", "rehearsal:o3"]
)
def test_models_that_do_not_think_get_none(model: str) -> None:
    assert catalogue.thinking_allowance(model) == 0
