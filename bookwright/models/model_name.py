"""How a model is named: `provider:model`, and the roles that models play."""

from typing import Annotated

from pydantic import AfterValidator

ROLES = (
    "planner", "judge", "designer", "divider", "writer", "critic", "summariser", "maintainer",
    "researcher",
)  # fmt: skip
"""Each agent asks the model of its role. Source: DESIGN section 7."""


def _named(value: str) -> str:
    provider, colon, model = value.partition(":")
    if not colon or not provider or not model:
        raise ValueError(f"a model is named provider:model, such as anthropic:claude-sonnet-5-5, not {value!r}")
    return value


ModelName = Annotated[str, AfterValidator(_named)]
"""`provider:model`, such as `"embedded:smollm2"` or `"openai:gpt-6.1-terra"`."""
