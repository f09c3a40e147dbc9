"""The embedded backend: llama.cpp's own server in this process, asked like any server of its kind."""

import asyncio
import os
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2

from bookwright.agents.backends.catalogue import PROVIDERS, split_name
from bookwright.agents.backends.local import weights
from bookwright.agents.backends.local.packaged import SMOLLM2
from bookwright.agents.backends.local.schema_bounds import bounded_shape, whole_words
from bookwright.agents.backends.protocol import Listener, Request
from bookwright.agents.backends.remote.provider import ProviderBackend
from bookwright.agents.backends.windows import window_of
from bookwright.models.errors import BackendUnavailable, UnknownModel
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.tls import system_tls

THREADS = 2
_CACHE_MEGABYTES = 256
"""For prompts of which the beginning may come again; llama.cpp would take 8 GB."""

_CPU = 0
"""The type of a device without a memory of its own: to fit a model into that, llama.cpp would load it once more."""

_LOOP_SECONDS = 60.0


@dataclass(frozen=True)
class _Running:
    """One model in memory."""

    server: Any
    """Ends when nothing refers to it any more."""
    provider: ProviderBackend
    client: httpx2.AsyncClient


class EmbeddedBackend:
    """Completes prompts with a model in this process: `embedded:smollm2`, `embedded:/path/to.gguf`.

    A server is started for a model when it is first asked for. It listens on 127.0.0.1 and answers
    only to a key that is made up at its start.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._running: dict[Path, _Running] = {}
        self._starting = asyncio.Lock()
        self._token_counts: dict[tuple[Path, str], int] = {}

    async def complete(self, request: Request, listener: Listener) -> Reply:
        """Complete the prompt; JSON is held to a schema with a bound on everything.

        Raises:
            UnknownModel: The weights are not here, or llama.cpp cannot load them.
            RequestRejected: The prompt does not fit the context.
            BackendUnavailable: The answer broke off.
        """
        name = split_name(request.model)[1]
        path = await asyncio.to_thread(weights.locate, name, self._settings)
        running = await self._server(path, window_of(request.model, self._settings).tokens)
        is_in_words = request.output is not None and name == SMOLLM2
        if request.output is not None:
            request = replace(request, output=bounded_shape(request.output, is_in_words=is_in_words))
        request = await self._with_true_biases(request, path, running)
        reply = await running.provider.complete(request, listener)
        return reply.model_copy(update={"text": whole_words(reply.text)}) if is_in_words else reply

    async def close(self) -> None:
        """End the servers and free their memory."""
        for running in self._running.values():
            await running.client.aclose()
            await running.provider.close()
        await asyncio.to_thread(self._running.clear)

    async def _server(self, path: Path, context: int) -> _Running:
        async with self._starting:
            if path not in self._running:
                self._running[path] = await self._started(path, context)
            return self._running[path]

    async def _started(self, path: Path, context: int) -> _Running:
        key = secrets.token_urlsafe(24)
        server = await asyncio.to_thread(_start, path, key, context)
        provider = ProviderBackend(
            PROVIDERS["embedded"], self._settings, base_url=f"{server.listening_address}/v1", api_key=key
        )
        client = httpx2.AsyncClient(
            base_url=server.listening_address,
            headers={"Authorization": f"Bearer {key}"},
            limits=httpx2.Limits(max_keepalive_connections=0),  # the server drops idle connections without a word
            verify=system_tls(),
            trust_env=False,  # nor may a proxy stand between
        )
        return _Running(server, provider, client)

    async def _with_true_biases(self, request: Request, path: Path, running: _Running) -> Request:
        """Keep the word biases whose word is one token here: of others the server would bias each piece."""
        asked = request.sampling.extra.get("logit_bias")
        if not asked:
            return request
        kept = [[word, bias] for word, bias in asked if await self._count(word, path, running) == 1]
        extra = {**request.sampling.extra, "logit_bias": kept}
        return replace(request, sampling=replace(request.sampling, extra=extra))

    async def _count(self, text: str, path: Path, running: _Running) -> int:
        if (path, text) not in self._token_counts:
            try:
                answer = await running.client.post("/tokenize", json={"content": text})
            except httpx2.HTTPError as error:
                raise BackendUnavailable(f"the embedded model's server fell silent: {error}") from error
            self._token_counts[path, text] = len(answer.json()["tokens"])
        return self._token_counts[path, text]


def _start(path: Path, key: str, context: int) -> Any:
    """Load a model and start its server, which takes a second or more; `UnknownModel` if llama.cpp cannot load it."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when llama.cpp is loaded: waiting must not burn a core
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context
    params.n_parallel = 1  # more would share the context out
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.cache_ram_mib = _CACHE_MEGABYTES
    params.fit_params = any(device["type"] != _CPU for device in xllamacpp.get_device_info())
    params.verbosity = 0  # silent
    params.api_keys = [key]
    params.ui = False
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise UnknownModel(f"llama.cpp cannot load {path}: it is no GGUF model, or one it does not know") from error
    _await_loop(server.listening_address, key)
    return server


def _await_loop(address: str, key: str) -> None:
    """Wait until the server's loop runs: one that is let go of before that never ends, and whoever does so hangs.

    Only the loop can say what its slots do.
    """
    headers = {"Authorization": f"Bearer {key}"}
    try:
        httpx2.get(f"{address}/slots", headers=headers, trust_env=False, verify=system_tls(), timeout=_LOOP_SECONDS)
    except httpx2.HTTPError as error:
        raise BackendUnavailable(f"the embedded model's server does not answer: {error}") from error
