"""The backend for every remote provider: one streamed request over pydantic-ai, within our deadlines."""

from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import Model, StreamedResponse

from bookwright.agents.backends import catalogue, endpoints, windows
from bookwright.agents.backends.catalogue import Feature, Provider
from bookwright.agents.backends.deadline import Deadline
from bookwright.agents.backends.endpoints import Endpoint
from bookwright.agents.backends.protocol import EventKind, Listener, Request, StreamEvent
from bookwright.agents.backends.remote import faults
from bookwright.agents.backends.remote.clients import Client, make_client, make_model, takes_sampling
from bookwright.agents.backends.remote.streamed_reply import StreamedReply
from bookwright.agents.backends.remote.wire import Form, LibraryCall, to_wire
from bookwright.models.errors import BackendError, BackendUnavailable, RequestRejected
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, Usage

_FINISH = {"length": "length", "content_filter": "refusal"}


class ProviderBackend:
    """Completes prompts at one provider. One call is one try."""

    def __init__(self, provider: Provider, settings: Settings, *, base_url: str = "", api_key: str = "") -> None:
        """Prepare the backend; nothing is opened before the first call.

        Args:
            base_url: Where the provider is reached, if not where the settings and the environment
                say. A backend of ours that runs a server passes its server's address.
            api_key: Likewise for the key; only looked at beside `base_url`.
        """
        self._provider = provider
        self._settings = settings
        self._base_url = base_url
        self._api_key = api_key
        self._client: Client | None = None
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
            request, self._provider, form, thinking_allowance=allowance, takes_sampling=takes_sampling(model)
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
            self._client = make_client(endpoint, self._settings)
        if endpoint.model not in self._models:
            self._models[endpoint.model] = make_model(endpoint, self._client)
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
