"""The command line in a process whose time of day can be made to jump, by a small preloaded library."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

_SOURCE = Path(__file__).parent / "clockshim.c"
_READY = (
    "import sys, bookwright.cli.writing.running; from bookwright.cli.main import main; sys.stdin.readline(); main()"
)
"""Loads the program, waits for a line, and runs the command."""


@dataclass(frozen=True)
class Clock:
    """A time of day that several processes share."""

    library: Path
    shift: Path

    @classmethod
    def made_in(cls, folder: Path) -> "Clock":
        """Compile the library; skip the test where that cannot be done."""
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None or not sys.platform.startswith("linux"):
            pytest.skip("a clock that jumps needs gcc, and Linux's LD_PRELOAD")
        clock = cls(folder / "clockshim.so", folder / "shift")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", clock.library, _SOURCE, "-ldl"], check=True)
        return clock

    def jump(self, seconds: int) -> None:
        """Let the clock show the real time and so many seconds."""
        new = self.shift.with_suffix(".new")
        new.write_text(str(seconds))
        new.replace(self.shift)

    def begin(self, variables: Mapping[str, str], *arguments: str) -> "subprocess.Popen[str]":
        """Start a command that runs once a line is written to it."""
        preload = {"LD_PRELOAD": str(self.library), "CLOCK_SHIFT": str(self.shift)}
        return subprocess.Popen(
            [sys.executable, "-c", _READY, *arguments], env={**os.environ, **variables, **preload},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip


def go(process: "subprocess.Popen[str]") -> None:
    """Let a command run."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
