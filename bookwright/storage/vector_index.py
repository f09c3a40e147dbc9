"""Where the nearest vectors are found: in Chroma, or by going through the database."""

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np

from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings
from bookwright.storage.embedding import Vectors
from bookwright.storage.passages import PassageId, PassageRepository, StoredVector

_BATCH = 500
"""Vectors of one call; Chroma takes 5 461."""

_SELF_MATCH = 1e-3
"""Cosine distance within which a vector has found itself."""

_HNSW = {"space": "cosine", "ef_search": 400, "ef_construction": 200, "max_neighbors": 32}
"""At the defaults 10 % of the hundred nearest of 10 000 went missing, at these none."""


class IndexDamaged(BookwrightError):
    """Chroma does not hold what it should, or cannot be asked; it has to be built again."""


class VectorIndex(Protocol):
    """Whatever finds the nearest vectors."""

    def nearest(self, queries: Vectors, kinds: Sequence[DocumentKind], count: int) -> list[list[PassageId]]:
        """Return for each query the ids of the `count` nearest passages of some kinds, nearest first."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class ScanIndex:
    """Goes through all vectors in the database: exact, always current, and slow for a very long book."""

    def __init__(self, look: Callable[[], Any]) -> None:
        self._look = look
        """Opens a read transaction and hands over a `PassageRepository`."""

    def nearest(self, queries: Vectors, kinds: Sequence[DocumentKind], count: int) -> list[list[PassageId]]:
        """Return for each query the ids of the `count` nearest passages of some kinds, nearest first."""
        best: list[list[tuple[float, PassageId]]] = [[] for _ in queries]
        with self._look() as repository:
            for ids, vectors in repository.scan(kinds):
                for place, likeness in enumerate(queries @ vectors.T):
                    best[place] += zip((-likeness).tolist(), ids, strict=True)
                    best[place] = sorted(best[place])[:count]
        return [[identity for _, identity in found] for found in best]

    def close(self) -> None:
        """Nothing is held."""


class ChromaIndex:
    """One collection of one book. Only the holder of the book's lease may open the embedded one.

    Two processes in one folder damage it without an error; so each book has a folder of its own.
    Chroma is told ids, vectors and a few keys; texts stay in the database.
    """

    def __init__(self, book: str, model: str, settings: Settings) -> None:
        self._name = collection_name(book)
        self._model = model
        self._url = settings.chroma_url
        self.folder = settings.home / "index" / self._name
        self._client: Any = None
        self._collection: Any = None

    @property
    def applied(self) -> int:
        """The newest row of `passages` that the collection holds."""
        return int((self._opened().metadata or {}).get("applied", 0))

    def count(self) -> int:
        """Count what the collection holds."""
        with _damage():
            return int(self._opened().count())

    def is_ours(self) -> bool:
        """True if the collection was made for this model and by cosine; Chroma itself accepts any."""
        with _damage():
            collection = self._opened()
            space = (collection.configuration.get("hnsw") or {}).get("space")
            return bool(collection.metadata.get("model") == self._model and space == "cosine")

    def finds(self, sample: Sequence[StoredVector]) -> bool:
        """True if every vector of a sample finds itself."""
        if not sample:
            return True
        with _damage():
            vectors = np.array([item.vector for item in sample])
            answer = self._opened().query(query_embeddings=vectors, n_results=1, include=["distances"])
        return all(distances and abs(distances[0]) < _SELF_MATCH for distances in answer["distances"])

    def add(self, items: Sequence[StoredVector]) -> None:
        """Take vectors in, then move the stamp; doing it twice changes nothing."""
        if not items:
            return
        with _damage():
            collection = self._opened()
            for start in range(0, len(items), _BATCH):
                some = items[start : start + _BATCH]
                collection.upsert(
                    ids=[_chroma_id(item) for item in some],
                    embeddings=np.array([item.vector for item in some]),
                    metadatas=[_metadata(item) for item in some],
                )
            collection.modify(metadata={"model": self._model, "applied": items[-1].row})

    def nearest(self, queries: Vectors, kinds: Sequence[DocumentKind], count: int) -> list[list[PassageId]]:
        """Return for each query the ids of the `count` nearest passages of some kinds, nearest first.

        Raises:
            IndexDamaged: Chroma could not answer.
        """
        names = [kind.value for kind in kinds]
        where = {"kind": names[0]} if len(names) == 1 else {"kind": {"$in": names}}
        with _damage():
            answer = self._opened().query(query_embeddings=queries, n_results=count, where=where, include=[])
        return [[_passage_id(identity) for identity in found] for found in answer["ids"]]

    def drop(self) -> None:
        """Remove the collection, and the folder of an embedded one."""
        if self._url:
            with _damage():
                client = self._connected()
                if self._name in [collection.name for collection in client.list_collections()]:
                    client.delete_collection(self._name)
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Let go of files and connections."""
        client, self._client, self._collection = self._client, None, None
        if client is not None:
            client.close()

    def _opened(self) -> Any:
        if self._collection is None:
            with _damage():
                self._collection = self._connected().get_or_create_collection(
                    self._name,
                    embedding_function=None,
                    configuration={"hnsw": _HNSW},
                    metadata={"model": self._model, "applied": 0},
                )
        return self._collection

    def _connected(self) -> Any:
        if self._client is None:
            self._client = _server(self._url) if self._url else _embedded(self.folder)
        return self._client


def collection_name(book: str) -> str:
    """A name that Chroma and every file system take, readable where the book's id is ASCII."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", book).strip("-")[:40]
    return f"{readable or 'book'}-{hashlib.sha256(book.encode()).hexdigest()[:10]}"


def _embedded(folder: Path) -> Any:
    import chromadb  # takes 0.6 s and 100 MB, and a short book never needs it
    from chromadb.config import Settings as ChromaSettings

    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(folder), settings=ChromaSettings(anonymized_telemetry=False))


def _server(url: str) -> Any:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    address = urlsplit(url)
    is_secure = address.scheme == "https"
    return chromadb.HttpClient(
        host=address.hostname or "127.0.0.1",
        port=address.port or (443 if is_secure else 8000),
        ssl=is_secure,
        settings=ChromaSettings(anonymized_telemetry=False),
    )


@contextmanager
def _damage() -> Iterator[None]:
    """Turn whatever Chroma raises into `IndexDamaged`."""
    try:
        yield
    except IndexDamaged:
        raise
    except Exception as error:  # Chroma's own errors, its SQLite's, the file system's and HTTP's: all mean the same
        raise IndexDamaged(f"the index cannot be used: {error}") from error


def _chroma_id(item: StoredVector) -> str:
    return f"{item.passage.node}-{item.passage.document}-{item.passage.chunk}"


def _passage_id(identity: str) -> PassageId:
    _, document, chunk = identity.split("-")
    return int(document), int(chunk)


def _metadata(item: StoredVector) -> dict[str, Any]:
    passage = item.passage
    return {
        "kind": passage.kind.value,
        "document": passage.document,
        "node": passage.node,
        "position": passage.label,
        "lang": passage.language.value,
    }
