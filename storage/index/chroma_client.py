"""Clients of Chroma: of an index in a folder, or of a server. Chroma is imported when the first is made."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4


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
