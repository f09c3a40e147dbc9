"""Runs one command of Prefect until whoever started it is gone.

`python -m bookwright.flows.prefect_child server start`, with the other end of its stdin held by the starter.
"""

import os
import runpy
import signal
import sys
from threading import Thread


def main() -> None:
    """Run Prefect's own command line with the arguments given."""
    Thread(target=_end_with_parent, daemon=True).start()
    # Prefect's worker ends by sending itself SIGINT, which a shell's background job inherits as ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    runpy.run_module("prefect", run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    """Wait for the end of the pipe whose other end the parent holds, however it dies."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
