"""A book's collections in Chroma: what they hold, and the nearest vectors in them."""

import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np

from bookwright.failpoints import Failpoint, around
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings
from bookwright.models.text.language import detect_language
from bookwright.storage.engine.prepared import batches
from bookwright.storage.index.embedding import Vectors
from bookwright.storage.index.passages import KINDS, Row, StoredVector
from bookwright.storage.index.seal import Seal

_BATCH = 500
"""Vectors of one call; Chroma takes 5 461."""

_STAMPED = KINDS[0]
"""The kind whose collection carries the stamp of all."""

_SELF_MATCH = 1e-3
"""Cosine distance within which a vector has found itself."""

_HNSW = {"space": "cosine", "ef_search": 400, "ef_construction": 200, "max_neighbors": 32, "sync_threshold": 250}
"""At the defaults 10 % of the hundred nearest of 10 000 went missing, at these none.

What was not synced is added anew at each opening, so a lower threshold opens faster.
"""


class IndexDamaged(BookwrightError):
    """Chroma does not hold what it should, or cannot be asked; it has to be built again."""


class ChromaIndex:
    """The collections of one book, one for each kind. Only the holder of the book's lease may open embedded ones.

    Within one collection a question that is limited to a kind takes Chroma six times as long and more. Two processes in
    one folder damage it without an error; so each book has a folder of its own. Chroma is told ids, vectors and a few
    keys; texts stay in the database. An embedded index without its seal, or with files that the seal does not know, is
    damaged and not opened. Whatever Chroma cannot do raises `IndexDamaged`.
    """

    def __init__(self, book: str, model: str, settings: Settings) -> None:
        self._name = collection_name(book)
        self._model = model
        self._url, self._token = settings.chroma_url, settings.chroma_token.get_secret_value()
        self.folder = settings.home / "index" / self._name
        self._seal = Seal(self.folder)
        self._client: Any = None
        self._collections: dict[DocumentKind, Any] = {}

    @property
    def applied(self) -> Row:
        """The newest row of `passages` that the collections hold."""
        return int((self._opened(_STAMPED).metadata or {}).get("applied", 0))

    def count(self) -> int:
        """Count what the collections hold."""
        with _damage():
            return sum(self._opened(kind).count() for kind in KINDS)

    def is_ours(self) -> bool:
        """True if the collections were made for this model and by cosine; Chroma itself accepts any."""
        with _damage():
            held = [self._opened(kind) for kind in KINDS]
            spaces = {(one.configuration.get("hnsw") or {}).get("space") for one in held}
            return spaces == {"cosine"} and {one.metadata.get("model") for one in held} == {self._model}

    def finds(self, sample: Sequence[StoredVector]) -> bool:
        """True if every vector of a sample finds itself."""
        return all(self._finds(kind, some) for kind, some in _by_kind(sample))

    def _finds(self, kind: DocumentKind, sample: Sequence[StoredVector]) -> bool:
        with _damage():
            vectors = np.array([item.vector for item in sample])
            answer = self._opened(kind).query(query_embeddings=vectors, n_results=1, include=["distances"])
        return all(distances and abs(distances[0]) < _SELF_MATCH for distances in answer["distances"])

    def add(self, items: Sequence[StoredVector]) -> None:
        """Take vectors in, some at least, then move the stamp; doing it twice changes nothing."""
        with _damage():
            for kind, of_kind in _by_kind(items):
                for some in batches(of_kind, _BATCH):
                    self._opened(kind).upsert(
                        ids=[_chroma_id(item) for item in some],
                        embeddings=np.array([item.vector for item in some]),
                        metadatas=[_metadata(item) for item in some],
                    )
            with around(Failpoint.FILL_INDEX):
                self._opened(_STAMPED).modify(metadata={"model": self._model, "applied": items[-1].row})
        self.seal()

    def nearest(self, queries: Vectors, kinds: Sequence[DocumentKind], count: int) -> list[list[Row]]:
        """Return for each query the rows of the `count` nearest passages of some kinds, nearest first."""
        answers = [self._nearest(queries, kind, count) for kind in kinds]
        return [[row for _, row in sorted(chain.from_iterable(found))[:count]] for found in zip(*answers, strict=True)]

    def _nearest(self, queries: Vectors, kind: DocumentKind, count: int) -> list[list[tuple[float, Row]]]:
        """Return for each query the nearest of one kind, with their distances."""
        with _damage():
            answer = self._opened(kind).query(query_embeddings=queries, n_results=count, include=["distances"])
        found = zip(answer["distances"], answer["ids"], strict=True)
        return [[(far, int(name.rpartition("-")[2])) for far, name in zip(*each, strict=True)] for each in found]

    def seal(self) -> None:
        """Vouch for the files as they are."""
        if not self._url:
            with _damage():
                self._seal.put()

    def break_seal(self) -> None:
        """Make sure, before anything is opened, that it may be."""
        if self._url or not self.folder.exists():
            return
        with _damage():
            is_whole = self._seal.take()
        if not is_whole:
            raise IndexDamaged("files of the index are missing, cut short or changed")

    def drop(self) -> None:
        """Remove the collections, and the folder of embedded ones."""
        if self._url:
            with _damage():
                from chromadb.errors import NotFoundError

                for kind in KINDS:
                    with suppress(NotFoundError):
                        self._connected().delete_collection(self._name_of(kind))
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Let go of files and connections."""
        client, self._client, self._collections = self._client, None, {}
        if client is not None:
            with suppress(IndexDamaged), _damage():
                client.close()
                if not self._url and self._seal.is_on():
                    self._seal.put(is_by_content=True)

    def _opened(self, kind: DocumentKind) -> Any:
        if kind not in self._collections:
            with _damage():
                self._collections[kind] = self._connected().get_or_create_collection(
                    self._name_of(kind),
                    embedding_function=None,
                    configuration={"hnsw": _HNSW},
                    metadata={"model": self._model, "applied": 0},
                )
        return self._collections[kind]

    def _name_of(self, kind: DocumentKind) -> str:
        return f"{self._name}-{kind.value}"

    def _connected(self) -> Any:
        if self._client is None:
            is_server = bool(self._url)
            self._client = server_client(self._url, self._token) if is_server else embedded_client(self.folder)
        return self._client


def collection_name(book: str) -> str:
    """What the names of a book's collections begin with, and its folder's name.

    Chroma and every file system take it, and it is readable where the book's id is ASCII.
    """
    readable = re.sub(r"[^A-Za-z0-9]+", "-", book).strip("-")[:40]
    return f"{readable or 'book'}-{hashlib.sha256(book.encode()).hexdigest()[:10]}"


def embedded_client(folder: Path) -> Any:
    """Return a client of the index in a folder of this machine; Chroma's own errors are the caller's to catch."""
    import chromadb  # takes 0.6 s and 100 MB, and a short book never needs it
    from chromadb.config import Settings as ChromaSettings

    return chromadb.PersistentClient(str(_generation(folder)), settings=ChromaSettings(anonymized_telemetry=False))


def server_client(url: str, token: str = "") -> Any:
    """Return a client of a server of Chroma's."""
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    address = urlsplit(url)
    is_secure = address.scheme == "https"
    return chromadb.HttpClient(
        host=address.hostname or "127.0.0.1",
        port=address.port or (443 if is_secure else 8000),
        ssl=is_secure,
        headers={"Authorization": f"Bearer {token}"} if token else None,
        settings=ChromaSettings(anonymized_telemetry=False),
    )


def _generation(folder: Path) -> Path:
    """Return the folder of a book's present index, or a new one.

    Chroma remembers for the life of the process what it opened at a path, also what failed to open,
    so an index that is built again gets a path of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    present = sorted(path for path in folder.iterdir() if path.is_dir())
    return present[-1] if present else folder / uuid4().hex[:8]


@contextmanager
def _damage() -> Iterator[None]:
    """Turn whatever Chroma raises into `IndexDamaged`."""
    try:
        yield
    except IndexDamaged:
        raise
    except Exception as error:  # Chroma's own errors, its SQLite's, the file system's and HTTP's: all mean the same
        raise IndexDamaged(f"the index cannot be used: {error}") from error


def _by_kind(items: Sequence[StoredVector]) -> Iterator[tuple[DocumentKind, list[StoredVector]]]:
    """Yield the items of each kind that is among them, in order."""
    for kind in KINDS:
        if some := [item for item in items if item.passage.kind is kind]:
            yield kind, some


def _chroma_id(item: StoredVector) -> str:
    passage = item.passage
    return f"{passage.node}-{passage.document}-{passage.chunk}-{item.row}"


def _metadata(item: StoredVector) -> dict[str, Any]:
    passage = item.passage
    return {
        "kind": passage.kind.value,
        "document": passage.document,
        "node": passage.node,
        "position": passage.label,
        "lang": detect_language(passage.text).value,
    }
