"""Functions of the benches under the shim that counts syncs, each in a fork of one process that has imported them.

A process can be put under the shim only when it begins, and importing what the benches measure takes longer than most
of them do. As a script, `preloaded.py SOCKET -m bench.shim ...` stands for a Python that `shim.run` starts: it has the
process fork, and ends as that fork does.
"""

import importlib
import json
import os
import select
import shlex
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SYNC_MICROS = 1_000
"""What a sync costs there."""

_ROOT = Path(__file__).parents[2]
_IMPORTED = ("bench.engine", "bench.peers.contest", "bench.peers.engine", "bench.peers.raw_journal")
_MOST_BYTES = 1 << 16
_NOT_HERE = 64
"""The exit code where syncs are to cost something else."""
_PYTHON = """#!/bin/sh
[ "$SYNC_MICROS" ] || exec {other} "$@"
unset LD_PRELOAD
exec {python} -IS {this} {door} "$@"
"""


@contextmanager
def preloaded(other: str) -> Iterator[str]:
    """A Python for `shim.run` as long as the block lasts; `other` runs what is not to be under the shim.

    Raises:
        NoCompiler: There is no gcc.
    """
    from bench import shim  # a script without its folders finds no bench

    with tempfile.TemporaryDirectory(prefix="bookwright-preloaded-") as name:
        door, python, syncs = (Path(name, part) for part in ("door", "python", "syncs"))
        quoted = {"other": other, "python": sys.executable, "this": __file__, "door": str(door)}
        python.write_text(_PYTHON.format(**{part: shlex.quote(text) for part, text in quoted.items()}))
        python.chmod(0o700)
        counting = {"LD_PRELOAD": str(shim._library()), "SYNC_COUNT": str(syncs), "SYNC_MICROS": str(SYNC_MICROS)}
        command = [sys.executable, "-m", "tests.bench.preloaded", str(door)]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=_ROOT, env=os.environ | counting, stdin=pipe, stdout=pipe) as process:
            assert process.stdout is not None
            process.stdout.readline()
            yield str(python)


def _serve(address: str) -> None:
    """Fork for each order, one after the other, until stdin ends."""
    for name in _IMPORTED:
        importlib.import_module(name)
    door = socket.socket(socket.AF_UNIX)
    door.bind(address)
    door.listen()
    print(flush=True)
    while sys.stdin not in select.select([door, sys.stdin], [], [])[0]:
        line, _ = door.accept()
        said, files, _, _ = socket.recv_fds(line, _MOST_BYTES, 2)
        micros, *arguments = json.loads(said)
        code = _forked(arguments, files) if micros == os.environ["SYNC_MICROS"] else _NOT_HERE
        for number in files:
            os.close(number)
        line.sendall(json.dumps(code).encode())
        line.close()


def _forked(arguments: list[str], files: list[int]) -> int:
    """Run `bench.shim` in a fork, with these files as its stdout and stderr; return its exit code."""
    from bench import shim

    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        for place, number in enumerate(files, 1):
            os.dup2(number, place)
        sys.argv = arguments
        shim._main()
        sys.stdout.flush()
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)


def _stand_in(address: str, *arguments: str) -> int:
    """Have the process fork with what this one was given, and return the exit code."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(address)
    said = json.dumps([os.environ["SYNC_MICROS"], *arguments[1:]]).encode()
    socket.send_fds(line, [said], (1, 2))
    return int(json.loads(line.recv(_MOST_BYTES)))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(_stand_in(*sys.argv[1:]))
    _serve(sys.argv[1])
