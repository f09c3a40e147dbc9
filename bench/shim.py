"""Runs a function of the benches in a process of its own, under the shim that counts syncs."""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent
_SOURCE = Path(__file__).parent / "syncshim.c"
_LIBRARY = _ROOT / "build" / "syncshim.so"
_MEMORY_DISK = Path("/dev/shm")


class NoCompiler(RuntimeError):
    """Syncs cannot be counted here: gcc is missing."""


def run(
    function: str, *, python: str = sys.executable, sync_micros: int | None = None, **arguments: Any
) -> dict[str, Any]:
    """Call `module:function` of this package in a new process and return its result.

    `sync_micros` gives every sync that cost in place of its real one; None counts nothing and
    leaves syncs alone. `python` is the interpreter, for what needs an environment of its own.

    Raises:
        NoCompiler: Syncs are to be counted and there is no gcc.
        subprocess.CalledProcessError: The function failed; its message is on standard error.
    """
    environment = dict(os.environ)
    with memory_folder() as folder:
        if sync_micros is not None:
            environment |= {
                "LD_PRELOAD": str(_library()), "SYNC_COUNT": str(folder / "syncs"), "SYNC_MICROS": str(sync_micros),
            }  # fmt: skip
        command = [python, "-m", "bench.shim", function, json.dumps(arguments | {"folder": str(folder)})]
        done = subprocess.run(command, env=environment, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A folder on a disk of memory where there is one; removed afterwards."""
    where = _MEMORY_DISK if os.access(_MEMORY_DISK, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="bookwright-bench-", dir=where) as name:
        yield Path(name)


@contextmanager
def killed(rest_seconds: float) -> Iterator[None]:
    """Let what `run` calls in the block kill its own process, and rest afterwards; any other end is raised."""
    try:
        yield
    except subprocess.CalledProcessError as error:
        if error.returncode != -signal.SIGKILL:
            raise
    time.sleep(rest_seconds)


def syncs() -> int:
    """Return how many syncs this process has made; 0 where the shim does not count."""
    path = os.environ.get("SYNC_COUNT")
    return int.from_bytes(Path(path).read_bytes()[:8], sys.byteorder) if path else 0


def resident_megabytes(process: int | str = "self") -> float:
    """Return how much memory a process holds now, this one unless another is named (Linux)."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _library() -> Path:
    if _LIBRARY.exists() and _LIBRARY.stat().st_mtime >= _SOURCE.stat().st_mtime:
        return _LIBRARY
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise NoCompiler("gcc is needed to count syncs; install it, or run the other benches")
    _LIBRARY.parent.mkdir(exist_ok=True)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", _LIBRARY, _SOURCE, "-ldl"], check=True)
    return _LIBRARY


def _main() -> None:
    module, _, name = sys.argv[1].partition(":")
    function = getattr(importlib.import_module(f"bench.{module}"), name)
    arguments = json.loads(sys.argv[2])
    print(json.dumps(function(**arguments | {"folder": Path(arguments["folder"])})))


if __name__ == "__main__":
    _main()
