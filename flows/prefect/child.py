"""Runs a module of Prefect until whoever started it is gone, and lets it come to its own end.

`python -m bookwright.flows.prefect.child prefect server start` ends with the starter, who holds the other end of its
stdin. `--apart` before the module runs it in a process of its own: a worker that is stopped kills only the one between.
"""

import os
import runpy
import signal
import subprocess
import sys
from threading import Thread
from typing import Any, TextIO

from bookwright import garbage
from bookwright.storage.files.privacy import keep_private


def main() -> None:
    """Run the module that is named, with the arguments that follow it."""
    if sys.argv[1] == "--apart":
        sys.exit(_run_apart(sys.argv[2:]))
    keep_private()
    garbage.spare_start()
    sys.stdout, sys.stderr = _Unbroken(sys.stdout), _Unbroken(sys.stderr)
    Thread(target=_end_with_starter, daemon=True).start()
    # Prefect's worker ends by sending itself SIGINT, which a shell's background job inherits as ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _run_apart(arguments: list[str]) -> int:
    """Run the module in a session of its own, hand SIGTERM on to it, and return its exit code."""
    command = [sys.executable, "-m", "bookwright.flows.prefect.child", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    code = process.wait()
    return code if code >= 0 else 128 - code


def _end_with_starter() -> None:
    """Wait for the end of the pipe whose other end the starter holds, however it dies, and ask to end."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


class _Unbroken:
    """Output that goes nowhere once nobody reads it: a log line must not end a book (rich exits at a broken pipe)."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._give_up()

    def _give_up(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    main()
