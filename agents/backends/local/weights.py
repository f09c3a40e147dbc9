"""Weights of the embedded model: where they lie, whether they are what they should be, how larger ones are fetched."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bookwright.agents.backends.local import packaged
from bookwright.agents.backends.local.packaged import PACKAGED, SMOLLM2, Progress, WeightFile, file_hash, is_genuine
from bookwright.models.errors import (
    BackendError,
    BackendUnavailable,
    DiskFull,
    MissingWeights,
    RequestRejected,
    UnknownModel,
)
from bookwright.models.settings import Settings
from bookwright.models.text.hints import did_you_mean
from bookwright.tls import system_tls

HUB = "https://huggingface.co"

_FRUITLESS_TRIES = 3
"""Tries in a row that bring no byte before the network is called down."""

_SPARE_BYTES = 200 << 20


@dataclass(frozen=True)
class Weights:
    """One model of the catalogue."""

    name: str
    repository: str
    """Where the hub keeps it."""
    licence: str
    files: tuple[WeightFile, ...]
    """More than one for a model that comes in parts; the first leads to the others."""

    @property
    def size(self) -> int:
        """All of it, in bytes."""
        return sum(file.size for file in self.files)


CATALOGUE = {
    weights.name: weights
    for weights in (
        Weights(
            "qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B-Instruct-GGUF", "Apache-2.0",
            (WeightFile("qwen2.5-0.5b-instruct-q4_k_m.gguf", 491_400_032,
                        "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db"),),
        ),
        Weights(
            "qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B-Instruct-GGUF", "Apache-2.0",
            (WeightFile("qwen2.5-1.5b-instruct-q4_k_m.gguf", 1_117_320_736,
                        "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e"),),
        ),
        Weights(
            "qwen2.5-3b", "Qwen/Qwen2.5-3B-Instruct-GGUF", "Qwen Research (not for commercial use)",
            (WeightFile("qwen2.5-3b-instruct-q4_k_m.gguf", 2_104_932_768,
                        "626b4a6678b86442240e33df819e00132d3ba7dddfe1cdc4fbb18e0a9615c62d"),),
        ),
        Weights(
            "qwen2.5-7b", "Qwen/Qwen2.5-7B-Instruct-GGUF", "Apache-2.0",
            (WeightFile("qwen2.5-7b-instruct-q4_k_m-00001-of-00002.gguf", 3_993_201_344,
                        "dfce12e3862a5283ccfb88221b48480e58745165de856439950d0f22590580db"),
             WeightFile("qwen2.5-7b-instruct-q4_k_m-00002-of-00002.gguf", 689_872_288,
                        "539cf93f78e887edea1c04e2d7d8cdaca9d01dae9c9025bcb8accbe29df3d72a")),
        ),
        Weights(
            "qwen2.5-coder-0.5b", "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "Apache-2.0",
            (WeightFile("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", 491_400_064,
                        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"),),
        ),
        Weights(
            "qwen2.5-coder-1.5b", "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "Apache-2.0",
            (WeightFile("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", 1_117_320_768,
                        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"),),
        ),
    )
}  # fmt: skip
"""Sizes and hashes as several unrelated public repositories pin them. A file whose hash is not known
does not belong here."""


def find(name: str) -> Weights:
    """Return a model of the catalogue.

    Raises:
        UnknownModel: There is none of that name; the message lists them.
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    hint = did_you_mean(name, CATALOGUE, "; any other GGUF file runs by its path, as embedded:/path/to.gguf")
    known = ((SMOLLM2, PACKAGED.size), *((weights.name, weights.size) for weights in CATALOGUE.values()))
    listed = ", ".join(f"{known_name} ({size / 1e9:.1f} GB)" for known_name, size in known)
    raise UnknownModel(f"no weights are called {name!r}{hint} Known are {listed}")


def size_of(name: str) -> int:
    """Return how many bytes `get` brings.

    Raises:
        UnknownModel: There is no such model; the message lists them.
    """
    return PACKAGED.size if name == SMOLLM2 else find(name).size


def locate(name: str, settings: Settings) -> Path:
    """Return the file of an embedded model: `smollm2`, a name of the catalogue, or a path.

    Raises:
        MissingWeights, UnknownModel: No such file is here; the message says how to get it.
    """
    if name == SMOLLM2:
        return packaged.located(settings)
    if name in CATALOGUE:
        path = settings.home / "models" / CATALOGUE[name].files[0].name
        if not path.is_file():
            raise MissingWeights(f"the weights of {name} are not here yet: `bookwright models get {name}` fetches them")
        return path
    path = Path(name).expanduser()
    if not path.is_file():
        raise UnknownModel(
            f"no model file is at {name!r}; `embedded:` takes {SMOLLM2}, {', '.join(CATALOGUE)} or a path"
        )
    return path


def get(name: str, settings: Settings, progress: Progress | None = None) -> Path:
    """Fetch a model of the catalogue, going on where an earlier download broke off; return its file, or its first part.

    Raises:
        UnknownModel: The catalogue has no such model.
        MissingWeights: The built-in model's package cannot be had, or no installer is here.
        BackendUnavailable: The hub cannot be reached; what has come is kept.
        RequestRejected: The hub does not give the file.
        BackendError: What came is not the file; it was thrown away.
        DiskFull: There is no room for it.
    """
    folder, tell = settings.home / "models", progress or (lambda done, total: None)
    return packaged.fetch(folder, tell) if name == SMOLLM2 else fetch(find(name), folder, tell)


def fetch(weights: Weights, folder: Path, progress: Progress, hub: str = HUB) -> Path:
    """Fetch the files of one model into a folder; see `get`."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in weights.files:
        _fetch(file, f"{hub}/{weights.repository}/resolve/main/{file.name}", folder, progress)
    return folder / weights.files[0].name


def _fetch(file: WeightFile, url: str, folder: Path, progress: Progress) -> None:
    path, part = folder / file.name, folder / f"{file.name}.part"
    if path.is_file() and is_genuine(path, file, folder):
        progress(file.size, file.size)
        return
    _download(file, url, part, progress)
    if _size(part) != file.size or file_hash(part) != file.sha256:
        part.unlink()
        raise BackendError(
            f"what {url} sent is not {file.name} as it was pinned; it was deleted, nothing was installed"
        )
    os.replace(part, path)
    is_genuine(path, file, folder)


def _download(file: WeightFile, url: str, part: Path, progress: Progress) -> None:
    fruitless = 0
    while (have := _size(part)) < file.size:
        _require_room(part.parent, file.size - have)
        try:
            for done in _streamed(file, url, part, have):
                progress(done, file.size)
        except (httpx2.TransportError, OSError) as error:
            fruitless = 0 if _size(part) > have else fruitless + 1
            if fruitless == _FRUITLESS_TRIES:
                raise BackendUnavailable(_no_network(file, url, part, error), kind="connection") from error
        else:
            return


def _streamed(file: WeightFile, url: str, part: Path, have: int) -> Iterator[int]:
    """Append what is missing and yield the bytes there are; begin anew where the server knows no ranges."""
    headers = {"Range": f"bytes={have}-", "Accept-Encoding": "identity"} if have else {"Accept-Encoding": "identity"}
    timeout = httpx2.Timeout(60, connect=20)
    with httpx2.stream(
        "GET", url, headers=headers, follow_redirects=True, timeout=timeout, verify=system_tls()
    ) as reply:
        _require_content(reply, url)
        goes_on = reply.status_code == 206 and reply.headers.get("content-range", "").startswith(f"bytes {have}-")
        done = have if goes_on else 0
        with part.open("ab" if goes_on else "wb") as out:
            for chunk in reply.iter_bytes():
                out.write(chunk)
                done += len(chunk)
                yield done
                if done > file.size:
                    return


def _require_content(reply: httpx2.Response, url: str) -> None:
    if reply.status_code in (200, 206):
        return
    if reply.status_code == 429 or reply.status_code >= 500:
        raise httpx2.TransportError(f"the server answered {reply.status_code}")
    raise RequestRejected(f"{url} cannot be had: the server answered {reply.status_code}")


def _require_room(folder: Path, missing: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < missing + _SPARE_BYTES:
        raise DiskFull(f"{missing / 1e6:,.0f} MB are still to come and {free / 1e6:,.0f} MB are free in {folder}")


def _no_network(file: WeightFile, url: str, part: Path, error: Exception) -> str:
    kept = _size(part)
    rest = f"{kept / 1e6:,.0f} of {file.size / 1e6:,.0f} MB are kept; " if kept else ""
    return f"{url} cannot be reached ({type(error).__name__}: {error}). {rest}the same command goes on from there"


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
