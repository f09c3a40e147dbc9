"""What is known of a model by its name alone."""

import pytest

from bookwright.agents.backends import catalogue, windows
from bookwright.agents.backends.catalogue import OutputMode
from bookwright.models.model_name import PROVIDERS
from bookwright.models.settings import load_settings


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


def test_the_providers_that_names_may_begin_with_are_those_of_the_catalogue() -> None:
    assert tuple(catalogue.PROVIDERS) == PROVIDERS


@pytest.mark.parametrize("model", ["openai:gpt-6.1-terra", "openai:o3", "anthropic:claude-opus-5-5", "zhipu:glm-4.7"])
def test_models_that_think_get_room_for_it(model: str) -> None:
    assert windows.thinking_allowance(model, load_settings()) == windows.THINKING_ALLOWANCE


@pytest.mark.parametrize(
    "model", ["openai:gpt-4.1", "openai:gpt-5.2", "anthropic:claude-sonnet-4-6", "qwen:qwen3-max", "rehearsal:o3"]
)
def test_models_that_do_not_think_get_none(model: str) -> None:
    assert windows.thinking_allowance(model, load_settings()) == 0
