"""A fake provider behind every provider's address, and a service that rests on paper only."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.protocol import Prompt, Request, Sampling
from bookwright.agents.backends.retry import RetryPolicy
from bookwright.agents.backends.service import ModelService
from bookwright.models.settings import Settings, load_settings
from tests.support.fake_provider import FakeProvider

OPENAI = "openai:gpt-4.1"
ANTHROPIC = "anthropic:claude-sonnet-4-6"
BOTH = (OPENAI, ANTHROPIC)
"""One model for each SDK."""

_KEYS = ("ANTHROPIC", "OPENAI", "DEEPSEEK", "DASHSCOPE", "GLM", "OPENROUTER")
_ADDRESSES = ("OPENAI", "DEEPSEEK", "DASHSCOPE", "GLM", "OPENROUTER", "OLLAMA", "VLLM", "LLAMACPP", "LLM")


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    """A fake provider that stands in for all of them."""
    with FakeProvider() as fake:
        for name in _KEYS:
            monkeypatch.setenv(f"{name}_API_KEY", f"key-of-{name.lower()}")
        for name in _ADDRESSES:
            monkeypatch.setenv(f"{name}_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.root)
        yield fake


@pytest.fixture
def make_settings(tmp_path: Path) -> Callable[..., Settings]:
    """Settings of an empty home, with some changed."""

    def make(**changes: Any) -> Settings:
        return load_settings(home=tmp_path, **changes)

    return make


@pytest.fixture
def settings(make_settings: Callable[..., Settings]) -> Settings:
    """The settings as they come."""
    return make_settings()


class Rests(list[float]):
    """Rests without resting: notes the seconds."""

    async def sleep(self, seconds: float) -> None:
        """Note a rest."""
        self.append(seconds)


@pytest.fixture
def rests() -> Rests:
    """The rests that the service took."""
    return Rests()


@pytest.fixture
def make_service(rests: Rests, make_settings: Callable[..., Settings]) -> Iterator[Callable[..., ModelService]]:
    """Services that are closed afterwards; settings may be changed by name."""
    opened: list[ModelService] = []

    def make(backends: dict[str, Any] | None = None, **changes: Any) -> ModelService:
        settings = make_settings(**changes)
        policy = RetryPolicy(
            settings.max_attempts, settings.retry_after_cap_seconds, sleep=rests.sleep, random=lambda: 0.0
        )
        opened.append(ModelService(settings, backends, policy=policy))
        return opened[-1]

    yield make
    for service in opened:
        service.close()


def ask_for(model: str, **changes: Any) -> Request:
    """A request in the usual shape."""
    values: dict[str, Any] = {
        "model": model,
        "role": "writer",
        "name": "1.2 write/draft",
        "prompt": Prompt("You write books.", ("Design of the book.", "State of the story.", "Write the scene."), 2),
        "sampling": Sampling(temperature=0.7, max_output_tokens=400, seed=11),
        **changes,
    }
    return Request(**values)
