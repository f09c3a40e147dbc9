"""Stands for a Python that a fork of ours starts: what it is to run is a fork, too, and this process ends as that does.

`forked.py SOCKET MODULE ...` hands on its files, its environment and every signal; whoever kills it kills the fork.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

_LOOK_SECONDS = 0.05
_HANDED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(address: str, *module: str) -> None:
    """Have the module run in a fork, and wait for its end."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(address)
    order = {"run": module, "environment": dict(os.environ), "cwd": os.getcwd(), "parents": [os.getpid(), os.getppid()]}
    said = f"{json.dumps(order)}\n".encode()
    line.sendall(said[socket.send_fds(line, [said], (0, 1, 2)) :])
    pid = _answer(line)
    for number in _HANDED_ON:
        signal.signal(number, lambda got, _: _hand_on(pid, got))
    for number in (0, 1, 2):
        os.close(number)  # whoever reads what the fork says is to see its end, and its stdin is nobody else's
    while (ended := _looked(line, pid)) is None:
        _wait(pid)
    if ended < 0:
        with suppress(OSError):  # nothing can be put in the way of a kill
            signal.signal(-ended, signal.SIG_DFL)
        os.kill(os.getpid(), -ended)
    os._exit(ended)


def _wait(pid: int) -> None:
    """Wait for its end where the system tells of it, and else a little."""
    if hasattr(os, "pidfd_open"):
        with suppress(ProcessLookupError), open(os.pidfd_open(pid)) as told:
            select.select([told], [], [])
    else:
        time.sleep(_LOOK_SECONDS)


def _hand_on(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it has just ended
        os.kill(pid, number)


def _looked(line: socket.socket, pid: int) -> int | None:
    line.sendall(f"{json.dumps({'look': pid})}\n".encode())
    ended = _answer(line)
    return ended[0] if ended else None


def _answer(line: socket.socket) -> Any:
    return json.loads(line.recv(1024))


if __name__ == "__main__":
    main(*sys.argv[1:])
