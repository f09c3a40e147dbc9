"""The backend for every remote provider: one streamed request over pydantic-ai, within our deadlines.

The library's model objects are built one way for each provider. Importing the SDKs takes seconds: it is done late.
"""

import sys
from typing import Any, Protocol

from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import infer_provider_class

from bookwright.agents.backends import catalogue, endpoints, windows
from bookwright.agents.backends.catalogue import Dialect, Feature, Provider
from bookwright.agents.backends.endpoints import Endpoint
from bookwright.agents.backends.protocol import EventKind, Listener, Request, StreamEvent
from bookwright.agents.backends.remote import faults
from bookwright.agents.backends.remote.wire import Form, LibraryCall, StreamedReply, to_wire
from bookwright.agents.backends.retry import Deadline
from bookwright.models.errors import BackendError, BackendUnavailable, RequestRejected
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, Usage
from bookwright.tls import system_tls

_FINISH = {"length": "length", "content_filter": "refusal"}

_LIBRARY_NAMES = {
    "openai": "openai", "deepseek": "deepseek", "qwen": "alibaba", "zhipu": "zai", "openrouter": "openrouter",
    "ollama": "ollama", "vllm": "vllm",
}  # fmt: skip
"""What the library calls the providers of ours that it knows."""


class ProviderBackend:
    """Completes prompts at one provider. One call is one try."""

    def __init__(self, provider: Provider, settings: Settings, *, base_url: str = "", api_key: str = "") -> None:
        """Prepare the backend; nothing is opened before the first call.

        A backend of ours that runs a server passes its address and its key; where there is no address, settings and
        environment say both.
        """
        self._provider = provider
        self._settings = settings
        self._base_url = base_url
        self._api_key = api_key
        self._client: _Client | None = None
        """The SDK's, once the first call has opened it."""
        self._models: dict[str, Model] = {}
        self._forms: dict[str, Form] = {}

    async def complete(self, request: Request, listener: Listener) -> Reply:
        """Stream one reply.

        Raises:
            BackendUnavailable: Throttled, down, out of time, or the stream broke.
            RequestRejected: The provider will not have this request.
        """
        endpoint = self._endpoint(request.model)
        form = self._forms.get(request.model) or Form(
            catalogue.output_mode(request.model), catalogue.calls_tools(request.model)
        )
        while True:
            try:
                return await self._try(request, endpoint, form, listener)
            except RequestRejected as rejection:
                cause, plainer = rejection.__cause__, form.plainer(request)
                if plainer is None or not isinstance(cause, Exception) or not faults.refuses_form(cause):
                    raise
            self._forms[request.model] = form = plainer  # this server has no such mode; it was not billed

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None
            self._models.clear()

    async def _try(self, request: Request, endpoint: Endpoint, form: Form, listener: Listener) -> Reply:
        allowance = windows.thinking_allowance(request.model, self._settings)
        model = self._model(endpoint)
        wire = to_wire(
            request, self._provider, form, thinking_allowance=allowance, takes_sampling=_takes_sampling(model)
        )
        prefill = request.prompt.prefill if Feature.PREFILL in self._provider.features else ""
        tools = [tool.name for tool in request.tools] if form.calls_tools else []
        streamed = StreamedReply(listener, prefill, tools)
        limit = request.sampling.most_characters(allowance)
        deadline = Deadline(self._settings, f"{endpoint.provider.name}:{endpoint.model}")
        listener(StreamEvent(EventKind.STARTED))
        try:
            async with deadline.enforced():
                reply = await self._stream(request, model, wire, streamed, deadline, limit)
        except BackendError:
            raise
        except Exception as error:  # an answer of an unheard-of shape trips the library up in any way
            raise faults.translate(error, endpoint, has_begun=bool(streamed.text)) from error
        listener(StreamEvent(EventKind.FINISHED))
        return reply

    async def _stream(
        self, request: Request, model: Model, wire: LibraryCall, streamed: StreamedReply, deadline: Deadline, limit: int
    ) -> Reply:
        async with model_request_stream(
            model, wire.messages, model_settings=wire.settings, model_request_parameters=wire.parameters
        ) as stream:
            async for event in stream:
                deadline.extend()
                streamed.add(event)
                if streamed.size > limit:
                    return _reply(request, stream, streamed, deadline, "length")
        return _reply(request, stream, streamed, deadline, _finish_reason(request, stream))

    def _endpoint(self, name: str) -> Endpoint:
        if not self._base_url:
            return endpoints.find_endpoint(name, self._settings)
        return Endpoint(self._provider, catalogue.split_name(name)[1], self._base_url, self._api_key)

    def _model(self, endpoint: Endpoint) -> Model:
        if self._client is None:
            self._client = _make_client(endpoint, self._settings)
        if endpoint.model not in self._models:
            self._models[endpoint.model] = _make_model(endpoint, self._client)
        return self._models[endpoint.model]


def _reply(
    request: Request, stream: StreamedResponse, streamed: StreamedReply, deadline: Deadline, finish: str
) -> Reply:
    text, told = streamed.text, stream.usage
    if finish == "refusal" and not text:
        text = str((stream.provider_details or {}).get("refusal", ""))
    return Reply(
        text=text,
        reasoning=streamed.reasoning,
        finish_reason=finish,
        model=request.model,
        usage=Usage(
            input_tokens=told.input_tokens,
            cached_tokens=told.cache_read_tokens,
            cache_write_tokens=told.cache_write_tokens,
            output_tokens=told.output_tokens,
        ),
        duration_millis=deadline.elapsed_millis,
        first_event_millis=deadline.first_event_millis,
    )


def _finish_reason(request: Request, stream: StreamedResponse) -> str:
    if stream.finish_reason is None or stream.finish_reason == "error":
        raise BackendUnavailable(
            f"{request.model} broke off its answer: the stream ended before its end was told", kind="broken_stream"
        )
    return _FINISH.get(stream.finish_reason, "stop")


class _Client(Protocol):
    """What the two SDKs' clients have in common."""

    async def close(self) -> None:
        """Let go of the connections."""


def _make_client(endpoint: Endpoint, settings: Settings) -> _Client:
    """Open an SDK client that tries once and keeps no deadline but the one for connecting."""
    import httpx2

    sdk_client, http_client = load_sdk(endpoint.provider.dialect)
    timeout = httpx2.Timeout(None, connect=settings.connect_seconds)
    if endpoint.is_loopback:
        # A proxy of the environment cannot reach this machine's own servers, and they may drop idle connections.
        limits = httpx2.Limits(max_keepalive_connections=0)
        http = httpx2.AsyncClient(trust_env=False, timeout=timeout, limits=limits, verify=system_tls())
    else:
        http = http_client(timeout=timeout, verify=system_tls())
    client: _Client = sdk_client(
        api_key=endpoint.api_key or "none", base_url=endpoint.base_url, max_retries=0, timeout=timeout, http_client=http
    )
    return client


def load_sdk(dialect: Dialect) -> tuple[Any, Any]:
    """Import an SDK; return its client, and that of HTTP which it would make by itself."""
    if dialect is Dialect.ANTHROPIC:
        import anthropic

        return anthropic.AsyncAnthropic, anthropic.DefaultAsyncHttpxClient
    # Its other client, which nothing here uses, imports aiohttp wherever Chroma has brought that: a tenth of a second.
    sys.modules.setdefault("openai._vendor.httpx_aiohttp", None)  # type: ignore[arg-type]
    import openai

    return openai.AsyncOpenAI, openai.DefaultAsyncHttpxClient


def _make_model(endpoint: Endpoint, client: Any) -> Model:
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


def _takes_sampling(model: Model) -> bool:
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
