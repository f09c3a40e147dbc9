"""What one contestant does in a process of its own: walk a tree from where it stands."""

import importlib
import time
from pathlib import Path

from bench.peers.ledger import Ledger, read, tree

STATE, LEDGER = "state", "ledger"
"""What a contestant's folder holds: its own files, and the bill."""
_SECOND = "second"
_HEAD_START = 10
"""Steps that the first of two workers makes before the second begins."""
_LOOK_SECONDS = 0.005


def walk(
    folder: Path, module: str, home: str, leaves: int, kill_at: int | None = None, step_seconds: float = 0.0,
    place: int = 0,
) -> dict[str, float]:  # fmt: skip
    """Walk with `module`, the imports done before the clock starts.

    `place` 1 and 2 are two workers of one tree: the second is ready before the first begins, and
    begins when the first is on its way.
    """
    peer = importlib.import_module(f"bench.peers.{module}")
    state, ledger = Path(home) / STATE, Ledger(Path(home) / LEDGER, kill_at, step_seconds)
    state.mkdir(exist_ok=True)
    keys = tuple(tree(leaves))
    _take_place(Path(home), place)
    began, cpu_began = time.perf_counter(), time.process_time()
    peer.walk(state, keys, ledger)
    return {"began": began, "cpu_began": cpu_began, "text_bytes": ledger.text_bytes}


def _take_place(home: Path, place: int) -> None:
    if place == 2:
        (home / _SECOND).touch()
    while (place == 1 and not (home / _SECOND).exists()) or (place == 2 and len(read(home / LEDGER)) < _HEAD_START):
        time.sleep(_LOOK_SECONDS)
