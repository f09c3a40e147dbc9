"""How a model is named: `provider:model`; the providers there are, and the roles that models play."""

import os
import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

ROLES = ("planner", "judge", "designer", "divider", "writer", "critic", "summariser", "maintainer", "researcher")
"""Each agent asks the model of its role. Source: DESIGN section 7."""

PROVIDERS = (
    "anthropic", "openai", "deepseek", "qwen", "zhipu", "openrouter", "ollama", "vllm", "llamacpp", "compatible",
    "claude-cli", "embedded", "rehearsal",
)  # fmt: skip
"""What each of them is, `agents/backends/catalogue.py` tells."""

DEFAULT = "embedded:smollm2"
_VARIABLE = "SLIMA_AGENTS_MODEL"
_CLAUDE_CLI = "claude-cli"
_CLAUDE_CLI_MODEL = "claude-opus-4-6"
"""Source: REQUIREMENTS S0-086."""
_FAMILIES = (
    ("openai", re.compile(r"(gpt|chatgpt)-.+|o[1-9](-.+)?", re.IGNORECASE)),
    ("deepseek", re.compile(r"deepseek-.+", re.IGNORECASE)),
    ("zhipu", re.compile(r"glm-.+", re.IGNORECASE)),
)
"""Whose a model is that is named without its provider. Weights that many offer, as those of Qwen, are nobody's."""
_CLAUDE = re.compile(r"claude-(?!cli$).+", re.IGNORECASE)


def full_name(value: str, environment: Mapping[str, str]) -> str:
    """Return a model's name with its provider, which may be left out where there is no doubt whose it is.

    A model of Claude's is the API's where there is a key for it, and else the program's. The program alone is asked
    for its own default.

    Raises:
        ValueError: It is no name of a model.
    """
    if value == _CLAUDE_CLI:  # the one provider that has a default of its own. Source: REQUIREMENTS C-16
        wanted = environment.get(_VARIABLE, "").strip().removeprefix(f"{_CLAUDE_CLI}:")
        value = f"{_CLAUDE_CLI}:{wanted if _CLAUDE.fullmatch(wanted) else _CLAUDE_CLI_MODEL}"
    elif ":" not in value:
        value = f"{_provider_of(value, environment)}:{value}"
    provider, _, model = value.partition(":")
    if not provider or not model:
        raise ValueError(
            f"a model is named provider:model, such as anthropic:claude-sonnet-5-5, not {value.strip(':')!r}"
        )
    return value


def usual_model() -> str:
    """Return the model where nothing names one: the variable's, or the one that comes along. Source: C-16."""
    return os.environ.get(_VARIABLE, "").strip() or DEFAULT


def _provider_of(model: str, environment: Mapping[str, str]) -> str:
    """The provider of a model that is named alone; empty where nobody can tell."""
    if _CLAUDE.fullmatch(model):
        return "anthropic" if environment.get("ANTHROPIC_API_KEY", "").strip() else _CLAUDE_CLI
    return next((provider for provider, names in _FAMILIES if names.fullmatch(model)), "")


ModelName = Annotated[str, AfterValidator(lambda value: full_name(value, os.environ))]
"""`provider:model`, such as `"embedded:smollm2"` or `"openai:gpt-6.1-terra"`."""
