"""The bill of a walk: a line for each step that was executed, kept outside of what executes it."""

import base64
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench import shim

_TEXT_BYTES = 1_536
"""Random bytes that make 2 KB of text."""


class Paid(NamedTuple):
    """One executed step, as it was when it began."""

    key: str
    seconds: float
    """Of the machine's own clock, the same in all processes."""
    cpu: float
    """CPU seconds of its process, what the step itself takes left out."""
    megabytes: float
    """Memory that its process holds (Linux)."""
    syncs: int
    """Made so far by its process."""


def read(path: Path) -> list[Paid]:
    """Return all that was executed, in order; nothing where no step has been."""
    if not path.exists():
        return []
    lines = (line.split(" ") for line in path.read_text().splitlines())
    return [Paid(key, float(at), float(cpu), float(held), int(syncs)) for key, at, cpu, held, syncs in lines]


@dataclass
class Ledger:
    """Executes steps, and can end the process in the middle of one: with an answer paid and not recorded."""

    path: Path
    kill_at: int | None = None
    """The step of this process that it does not survive, from 1."""
    step_seconds: float = 0.0
    """How long a step takes."""
    executed: int = 0
    text_bytes: int = 0
    own_cpu: float = 0.0

    def step(self, key: str) -> str:
        """Execute a step: pay for it, and answer with 2 KB of text."""
        began = time.thread_time()
        self.pay(key)
        text = base64.b64encode(os.urandom(_TEXT_BYTES)).decode()
        self.text_bytes += len(text)
        self.own_cpu += time.thread_time() - began
        return text

    def pay(self, key: str) -> None:
        """Put one step on the bill."""
        held = shim.resident_megabytes()
        cpu = time.process_time() - self.own_cpu
        line = f"{key} {time.perf_counter():.6f} {cpu:.6f} {held:.2f} {shim.syncs()}\n"
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(file, line.encode())
        os.close(file)
        self.executed += 1
        if self.executed == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.step_seconds:
            time.sleep(self.step_seconds)


def tree(leaves: int, label: str = "1") -> Iterator[str]:
    """Yield the steps of a tree, depth first: four a leaf, one before and one after the children of any other node.

    94 for 20 leaves, 886 for 200, 4 518 for 1 000.
    """
    if leaves == 1:
        yield from (f"{label}/{step}" for step in ("plan", "draft", "critic", "refine"))
        return
    children = min(leaves, 6)
    yield f"{label}/open"
    for place in range(children):
        yield from tree((leaves + place) // children, f"{label}.{place + 1}")
    yield f"{label}/close"
