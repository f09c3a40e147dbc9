"""The context window of a model, and its source: the settings, its server, a list of models, or an assumption.

A server is asked with a short deadline and without its model being loaded. Sources: Ollama docs/api.md and
docs/context-length.mdx; llama.cpp tools/server/README.md, `/props`; vLLM `/v1/models`.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from bookwright.agents.backends.catalogue import WindowRoute, split_name, thinks
from bookwright.agents.backends.endpoints import Endpoint, find_endpoint
from bookwright.agents.backends.spending import prices
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.tls import system_tls

THINKING_ALLOWANCE = 8_192
"""Output tokens on top of the answer's own limit for models that think before they answer: a limit
meant for the answer alone would be used up by the thoughts. At most a quarter of the window."""

DEADLINE_SECONDS = 2.0
"""For all that is asked about one model."""

_MOST_BYTES = 4_000_000
_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d+)\s*$", re.MULTILINE)
_LISTED = ("max_model_len", "context_length", "context_window")
"""What servers call the window of a model in their list: vLLM and SGLang, then others."""


class WindowSource(StrEnum):
    """Where the size of a model's context window comes from."""

    SET = "set"
    """The settings, under `[windows]`."""
    ASKED = "asked"
    """Its server."""
    KNOWN = "known"
    """A list of models has it, or the model runs inside this program."""
    ASSUMED = "assumed"
    """Nobody; it is what such models usually take."""


@dataclass(frozen=True)
class ContextWindow:
    """How many tokens of prompt and answer a model takes."""

    tokens: int
    source: WindowSource


def window_of(name: str, settings: Settings) -> ContextWindow:
    """Tell how much a model takes, without a network.

    Raises:
        UnknownModel: Its provider is unknown.
    """
    provider, model = split_name(name)
    if name in settings.windows:
        return ContextWindow(settings.windows[name], WindowSource.SET)
    if provider.runs_program:  # whatever the model takes: longer prompts have to be asked for there
        return ContextWindow(provider.context_window, WindowSource.KNOWN)
    listed = prices.listed(provider.price_lists, model)
    if listed and (tokens := listed[1].context_window):
        return ContextWindow(tokens, WindowSource.KNOWN)
    source = WindowSource.ASSUMED if provider.is_remote else WindowSource.KNOWN
    return ContextWindow(provider.context_window, source)


def thinking_allowance(name: str, settings: Settings) -> int:
    """Tell how many output tokens a model may need for thoughts, beside its answer; without a network."""
    return min(THINKING_ALLOWANCE, window_of(name, settings).tokens // 4) if thinks(name) else 0


def found_window(name: str, settings: Settings) -> ContextWindow:
    """Tell how much a model takes, asking its server where nothing here knows it.

    Raises:
        UnknownModel: Its provider is unknown.
    """
    usual = window_of(name, settings)
    if not can_be_asked(name, settings):
        return usual
    try:
        endpoint = find_endpoint(name, settings)
    except InvalidInput:  # `check_model` says it to whoever wants to write
        return usual
    tokens = _ask(endpoint, usual.tokens)
    return ContextWindow(tokens, WindowSource.ASKED) if tokens else usual


def can_be_asked(name: str, settings: Settings) -> bool:
    """True for a model whose server may know what nothing here does."""
    is_unknown = window_of(name, settings).source is WindowSource.ASSUMED
    return is_unknown and split_name(name)[0].window_route is not None


def with_windows(names: Iterable[str], settings: Settings) -> Settings:
    """Return the settings with what the servers of some models say that these take, each asked once."""
    found = {name: found_window(name, settings) for name in dict.fromkeys(names)}
    asked = {name: window.tokens for name, window in found.items() if window.source is WindowSource.ASKED}
    return with_known(asked, settings)


def with_known(windows: Mapping[str, int], settings: Settings) -> Settings:
    """Return the settings with the windows of some models, as far as they do not say themselves."""
    return settings.model_copy(update={"windows": {**windows, **settings.windows}}) if windows else settings


def _ask(endpoint: Endpoint, usual: int) -> int:
    """Return what a server says a model takes; 0 where it is silent or does not know."""
    route = endpoint.provider.window_route
    assert route is not None  # no other is asked
    with closing(_Asker(endpoint, time.monotonic() + DEADLINE_SECONDS)) as asker:
        try:
            return _ROUTES[route](asker, usual)
        except (AttributeError, KeyError, TypeError, ValueError):  # an answer of another shape is none
            return 0


class _Asker:
    """Puts plain questions to one server until its time is over; whatever goes wrong is no answer."""

    def __init__(self, endpoint: Endpoint, ends_at: float) -> None:
        import httpx2  # for this question alone

        self.model = endpoint.model
        self.address = endpoint.base_url
        self._ends_at = ends_at
        self._errors = (httpx2.HTTPError, OSError)
        self._client = httpx2.Client(
            base_url=endpoint.base_url.removesuffix("/v1"),
            headers={"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {},
            timeout=DEADLINE_SECONDS,
            verify=system_tls(),
            trust_env=not endpoint.is_loopback,
        )

    def answer(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the JSON that a path below the server's root, or an address, gives for `body`; {} if there is none."""
        left = self._ends_at - time.monotonic()
        content = b""
        method = "GET" if body is None else "POST"
        try:
            with self._client.stream(method, path, json=body, timeout=max(left, 0.001)) as reply:
                if reply.status_code != 200:
                    return {}
                for chunk in reply.iter_bytes():
                    content += chunk
                    if len(content) > _MOST_BYTES or time.monotonic() > self._ends_at:
                        return {}
        except self._errors:
            return {}
        return json.loads(content)

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()


def _of_ollama(asker: _Asker, usual: int) -> int:
    """The Modelfile's num_ctx; else what the model is loaded with; else what a model of the cloud holds at the most.

    What a model that runs here could hold says nothing: without num_ctx Ollama loads it with a window of its own
    choice, 4,096 tokens on small machines, and drops what is beyond without a word. It only bounds the assumption.
    """
    shown = asker.answer("/api/show", {"model": asker.model})
    lengths = (value for key, value in shown.get("model_info", {}).items() if key.endswith(".context_length"))
    most = _whole(next(lengths, 0))
    if found := _NUM_CTX.search(shown.get("parameters") or ""):
        return min(int(found[1]), most or int(found[1]))
    if asker.model.endswith(("-cloud", ":cloud")):
        return most
    loaded = asker.answer("/api/ps").get("models", [])
    names = (asker.model, f"{asker.model}:latest")
    held = next((_whole(own.get("context_length")) for own in loaded if own.get("name") in names), 0)
    return held or (most if most < usual else 0)


def _of_llamacpp(asker: _Asker, usual: int) -> int:
    """What the server was started with; a router is not to load a model for the question."""
    for path in (f"/props?model={quote(asker.model, safe='')}&autoload=false", "/props"):
        if tokens := _whole(asker.answer(path).get("default_generation_settings", {}).get("n_ctx")):
            return tokens
    return 0


def _of_list(asker: _Asker, usual: int) -> int:
    """What the list of models says, where it says more than names."""
    listed = asker.answer(f"{asker.address}/models").get("data", [])
    own: dict[str, Any] = next((entry for entry in listed if entry.get("id") == asker.model), {})
    return next((tokens for key in _LISTED if (tokens := _whole(own.get(key)))), 0)


_ROUTES: dict[WindowRoute, Callable[[_Asker, int], int]] = {
    WindowRoute.OLLAMA: _of_ollama,
    WindowRoute.LLAMACPP: _of_llamacpp,
    WindowRoute.LIST: _of_list,
    WindowRoute.ANY: lambda asker, usual: _of_list(asker, usual) or _of_llamacpp(asker, usual),
}


def _whole(value: object) -> int:
    """A number of tokens; 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
