"""Finds the nearest vectors in Chroma, and makes sure that it holds what it should."""

import hashlib
import json
import logging
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np

from bookwright.failpoints import Failpoint, around
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookwrightError
from bookwright.models.settings import Settings
from bookwright.storage.embedding import Vectors
from bookwright.storage.passages import Row, StoredVector
from bookwright.storage.scan_index import Look

_BATCH = 500
"""Vectors of one call; Chroma takes 5 461."""

_ROWS_AT_ONCE = 2_000
_SAMPLE = 20

_SELF_MATCH = 1e-3
"""Cosine distance within which a vector has found itself."""

_HNSW = {"space": "cosine", "ef_search": 400, "ef_construction": 200, "max_neighbors": 32, "sync_threshold": 250}
"""At the defaults 10 % of the hundred nearest of 10 000 went missing, at these none.

What was not synced is added anew at each opening, so a lower threshold opens faster.
"""

_log = logging.getLogger(__name__)


class IndexDamaged(BookwrightError):
    """Chroma does not hold what it should, or cannot be asked; it has to be built again."""


class ChromaIndex:
    """One collection of one book. Only the holder of the book's lease may open the embedded one.

    Two processes in one folder damage it without an error; so each book has a folder of its own.
    Chroma is told ids, vectors and a few keys; texts stay in the database. Its native code can crash
    the process on a file that was cut short, so an embedded index carries a seal: the sizes of its
    files, taken away while it is opened. One without its seal, or shorter than that says, is damaged.
    """

    def __init__(self, book: str, model: str, settings: Settings) -> None:
        self._name = collection_name(book)
        self._model = model
        self._url = settings.chroma_url
        self.folder = settings.home / "index" / self._name
        self._seal_file = self.folder / "seal.json"
        self._client: Any = None
        self._collection: Any = None

    @property
    def applied(self) -> Row:
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
            with around(Failpoint.FILL_INDEX):
                collection.modify(metadata={"model": self._model, "applied": items[-1].row})
        self.seal()

    def nearest(self, queries: Vectors, kinds: Sequence[DocumentKind], count: int) -> list[list[Row]]:
        """Return for each query the rows of the `count` nearest passages of some kinds, nearest first.

        Raises:
            IndexDamaged: Chroma could not answer.
        """
        names = [kind.value for kind in kinds]
        where = {"kind": names[0]} if len(names) == 1 else {"kind": {"$in": names}}
        with _damage():
            answer = self._opened().query(query_embeddings=queries, n_results=count, where=where, include=[])
        return [[_row(identity) for identity in found] for found in answer["ids"]]

    def seal(self) -> None:
        """Vouch for the files as they are."""
        if self._url:
            return
        with _damage():
            new = self._seal_file.with_suffix(".new")
            new.write_text(json.dumps(self._sizes()))
            with around(Failpoint.SEAL_INDEX):
                new.replace(self._seal_file)

    def break_seal(self) -> None:
        """Make sure, before anything is opened, that it may be.

        Raises:
            IndexDamaged: The files are not those that were vouched for.
        """
        if self._url or not self.folder.exists():
            return
        with _damage():
            sealed = json.loads(self._seal_file.read_text())
            self._seal_file.unlink()
            sizes = self._sizes()
        if any(sizes.get(name, 0) < size for name, size in sealed.items()):
            raise IndexDamaged("files of the index are missing or cut short")

    def _sizes(self) -> dict[str, int]:
        """Sizes of the files that hold vectors; nothing is ever deleted, so they only grow."""
        return {path.relative_to(self.folder).as_posix(): path.stat().st_size for path in self.folder.rglob("*.bin")}

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
            with suppress(IndexDamaged), _damage():
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
            self._client = _server(self._url) if self._url else _embedded(_generation(self.folder))
        return self._client


def open_whole(
    book: str, model: str, settings: Settings, look: Look, damage: IndexDamaged | None = None
) -> ChromaIndex:
    """Open a book's collection and fill it; one that is known or found to be damaged is built again.

    Nothing is embedded: the vectors come from the database.

    Raises:
        IndexDamaged: Not even a new one can be used.
    """
    index = ChromaIndex(book, model, settings)
    reason = str(damage) if damage else _what_is_wrong(index, look)
    if reason:
        _log.warning("the index of book %r is built again: %s", book, reason)
        index.drop()
    fill(index, look)
    index.seal()
    return index


def fill(index: ChromaIndex, look: Look) -> None:
    """Add the passages that came after the collection's stamp.

    Raises:
        IndexDamaged: Chroma did not take them.
    """
    while True:
        with look() as repository:
            rows = repository.after(index.applied, _ROWS_AT_ONCE)
        if not rows:
            return
        index.add(rows)


def _what_is_wrong(index: ChromaIndex, look: Look) -> str:
    """Compare a collection with its stamp and let a sample of vectors find themselves; empty if all is well."""
    try:
        index.break_seal()
        applied = index.applied
        with look() as repository:
            expected = repository.count(up_to=applied)
            sample = repository.sample(_SAMPLE, applied)
        if not index.is_ours():
            return "it was made with other settings"
        if index.count() != expected:
            return f"it holds {index.count()} passages in place of {expected}"
        return "" if index.finds(sample) else "vectors do not find themselves"
    except IndexDamaged as error:
        return str(error)


def collection_name(book: str) -> str:
    """A name that Chroma and every file system take, readable where the book's id is ASCII."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", book).strip("-")[:40]
    return f"{readable or 'book'}-{hashlib.sha256(book.encode()).hexdigest()[:10]}"


def _generation(folder: Path) -> Path:
    """Return the folder of a book's present index, or a new one.

    Chroma remembers for the life of the process what it opened at a path, also what failed to open,
    so an index that is built again gets a path of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    present = sorted(path for path in folder.iterdir() if path.is_dir())
    return present[-1] if present else folder / uuid4().hex[:8]


def _embedded(folder: Path) -> Any:
    import chromadb  # takes 0.6 s and 100 MB, and a short book never needs it
    from chromadb.config import Settings as ChromaSettings

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
    passage = item.passage
    return f"{passage.node}-{passage.document}-{passage.chunk}-{item.row}"


def _row(identity: str) -> Row:
    return int(identity.rpartition("-")[2])


def _metadata(item: StoredVector) -> dict[str, Any]:
    passage = item.passage
    return {
        "kind": passage.kind.value,
        "document": passage.document,
        "node": passage.node,
        "position": passage.label,
        "lang": passage.language.value,
    }
