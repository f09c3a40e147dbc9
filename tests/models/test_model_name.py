"""Names of models with and without their provider."""

import pytest

from bookwright.models.model_name import full_name

KEY = {"ANTHROPIC_API_KEY": "k"}


@pytest.mark.parametrize(
    ("given", "environment", "full"),
    [
        ("claude-opus-4-6", KEY, "anthropic:claude-opus-4-6"),
        ("claude-opus-4-6", {}, "claude-cli:claude-opus-4-6"),
        ("gpt-6.1-terra", KEY, "openai:gpt-6.1-terra"),
        ("o3", {}, "openai:o3"),
        ("GLM-4.7", {}, "zhipu:GLM-4.7"),
        ("deepseek-chat", {}, "deepseek:deepseek-chat"),
        ("ollama:qwen3:14b", {}, "ollama:qwen3:14b"),
        ("claude-cli", {}, "claude-cli:claude-opus-4-6"),
        ("claude-cli", {"SLIMA_AGENTS_MODEL": "claude-haiku-5"}, "claude-cli:claude-haiku-5"),
        ("claude-cli", {"SLIMA_AGENTS_MODEL": "claude-cli:claude-haiku-5"}, "claude-cli:claude-haiku-5"),
        ("claude-cli", {"SLIMA_AGENTS_MODEL": "openai:o3"}, "claude-cli:claude-opus-4-6"),
    ],
)
def test_a_model_is_named_with_its_provider(given: str, environment: dict[str, str], full: str) -> None:
    assert full_name(given, environment) == full


@pytest.mark.parametrize("given", ["qwen-max", "opus", "", "openai:", ":x"])
def test_a_name_that_could_be_anybodys_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="provider:model"):
        full_name(given, KEY)
