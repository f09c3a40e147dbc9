"""What several processes that share the tests need, made by the first of them that does."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a copy of a folder that `make` fills: the first who asks in a run has it filled, the others wait."""
    own, base = factory.mktemp(name), factory.getbasetemp()
    first = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"first-{name}"
    with first.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not first.exists():
            make(own / "made")
            (own / "made").rename(first)
    return Path(shutil.copytree(first, own / "copy"))
