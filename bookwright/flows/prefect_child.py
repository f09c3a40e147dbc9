"""Runs a module of Prefect until whoever started it is gone, and lets it come to its own end.

`python -m bookwright.flows.prefect_child prefect server start` ends with the starter, who holds the
other end of its stdin. With `--apart` before the module it runs in a process of its own: a worker
that is stopped kills its flow runs outright, and so kills only the one in between.
"""

import os
import runpy
import signal
import subprocess
import sys
from threading import Thread


def main() -> None:
    """Run the module that is named, with the arguments that follow it."""
    if sys.argv[1] == "--apart":
        sys.exit(_run_apart(sys.argv[2:]))
    Thread(target=_end_with_starter, daemon=True).start()
    # Prefect's worker ends by sending itself SIGINT, which a shell's background job inherits as ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _run_apart(arguments: list[str]) -> int:
    """Run the module in a session of its own, hand SIGTERM on to it, and return its exit code."""
    command = [sys.executable, "-m", "bookwright.flows.prefect_child", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    code = process.wait()
    return code if code >= 0 else 128 - code


def _end_with_starter() -> None:
    """Wait for the end of the pipe whose other end the starter holds, however it dies, and ask to end."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)  # whoever read them may be gone, too, and a broken pipe ends a program
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
