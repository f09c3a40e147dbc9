"""How a model is named: `provider:model`, and the roles that models play."""

import os
from typing import Annotated

from pydantic import AfterValidator

ROLES = (
    "planner", "judge", "designer", "divider", "writer", "critic", "summariser", "maintainer",
    "researcher",
)  # fmt: skip
"""Each agent asks the model of its role. Source: DESIGN section 7."""

_CLAUDE_CLI = "claude-cli"
_CLAUDE_CLI_MODEL = "claude-opus-4-6"
"""Source: REQUIREMENTS S0-086."""


def _named(value: str) -> str:
    if value == _CLAUDE_CLI:  # the one provider that has a default of its own. Source: REQUIREMENTS C-16
        value = f"{value}:{os.environ.get('SLIMA_AGENTS_MODEL', '').strip() or _CLAUDE_CLI_MODEL}"
    provider, colon, model = value.partition(":")
    if not colon or not provider or not model:
        raise ValueError(f"a model is named provider:model, such as anthropic:claude-sonnet-5-5, not {value!r}")
    return value


ModelName = Annotated[str, AfterValidator(_named)]
"""`provider:model`, such as `"embedded:smollm2"` or `"openai:gpt-6.1-terra"`."""
