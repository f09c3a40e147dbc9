"""Builds the library's model objects, one way for each provider. Importing the SDKs takes seconds: do it late."""

from typing import Any, Protocol

from pydantic_ai.models import Model
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import infer_provider_class

from bookwright.agents.backends.catalogue import Dialect, Feature
from bookwright.agents.backends.endpoints import Endpoint
from bookwright.models.settings import Settings
from bookwright.tls import system_tls

_NO_KEY = "none"
_LIBRARY_NAMES = {
    "openai": "openai", "deepseek": "deepseek", "qwen": "alibaba", "zhipu": "zai", "openrouter": "openrouter",
    "ollama": "ollama", "vllm": "vllm",
}  # fmt: skip
"""What the library calls the providers of ours that it knows."""


class Client(Protocol):
    """What the two SDKs' clients have in common."""

    async def close(self) -> None:
        """Let go of the connections."""
        ...


def make_client(endpoint: Endpoint, settings: Settings) -> Client:
    """Open an SDK client that tries once and keeps no deadline but the one for connecting."""
    import httpx2

    sdk_client, http_client = _sdk(endpoint.provider.dialect)
    timeout = httpx2.Timeout(None, connect=settings.connect_seconds)
    if endpoint.is_loopback:
        # A proxy of the environment cannot reach this machine's own servers, and they may drop idle connections.
        limits = httpx2.Limits(max_keepalive_connections=0)
        http = httpx2.AsyncClient(trust_env=False, timeout=timeout, limits=limits, verify=system_tls())
    else:
        http = http_client(timeout=timeout, verify=system_tls())
    client: Client = sdk_client(
        api_key=endpoint.api_key or _NO_KEY,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=http,
    )
    return client


def _sdk(dialect: Dialect) -> tuple[Any, Any]:
    """The client of an SDK, and that of HTTP which it would make by itself."""
    if dialect is Dialect.ANTHROPIC:
        import anthropic

        return anthropic.AsyncAnthropic, anthropic.DefaultAsyncHttpxClient
    import openai

    return openai.AsyncOpenAI, openai.DefaultAsyncHttpxClient


def make_model(endpoint: Endpoint, client: Any) -> Model:
    """Wrap the client in the library's model for this provider."""
    if endpoint.provider.dialect is Dialect.ANTHROPIC:
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=client))
    provider = _openai_provider(endpoint.provider.name, client)
    profile = _openai_profile(endpoint, provider.model_profile(endpoint.model))
    if endpoint.provider.name == "openrouter":
        from pydantic_ai.models.openrouter import OpenRouterModel

        return OpenRouterModel(endpoint.model, provider=provider, profile=profile)
    from pydantic_ai.models.openai import OpenAIChatModel

    return OpenAIChatModel(endpoint.model, provider=provider, profile=profile)


def takes_sampling(model: Model) -> bool:
    """Tell whether temperature and the like may be set; models that think refuse them."""
    profile: dict[str, Any] = {**model.profile}
    thinks = profile.get("thinking_always_enabled") or profile.get("thinking_enabled_by_default")
    refuses = profile.get("openai_supports_reasoning") and thinks
    return not (refuses or profile.get("anthropic_disallows_sampling_settings"))


def _openai_provider(name: str, client: Any) -> Any:
    """Pick the library's provider, for what it knows of each one's oddities."""
    if name not in _LIBRARY_NAMES:
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        return OpenAICompatibleProvider(name, openai_client=client)
    made: Any = infer_provider_class(_LIBRARY_NAMES[name])
    return made(openai_client=client)


def _openai_profile(endpoint: Endpoint, known: ModelProfile | None) -> ModelProfile:
    """Lay what the catalogue decides over the library's profile of the model."""
    ours = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=Feature.NEW_LIMIT in endpoint.provider.features,
        openai_chat_streaming_requires_finish_reason=True,  # else a stream that just ends passes for an answer
        native_output_requires_schema_in_instructions=False,  # prompts name the fields; the prefix stays the same
        ignore_streamed_leading_whitespace=False,  # what goes on from a prefill may begin with a space
    )
    return merge_profile(known, ours)
