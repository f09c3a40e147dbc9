"""What a verb costs before it does its work: CPU seconds of a process of its own, its files in the page cache.

Verbs that look are run to their end on a small book. Writing is measured up to its first request, which a server
of the bench receives in place of a provider.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

from bench.measure import Measure
from bench.shim import memory_folder

LOOKS = (("version",), ("--help",), ("status",), ("status", "start"), ("tree", "start"), ("log", "start"))
WRITES = (("write", "--no-prefect"), ("write",))
MOST_LOOK, MOST_WRITE = 0.5, 3.0

_TIMES = 5
_PATIENCE = 60.0
_PREMISE = ("--premise", "A clerk finds a letter.", "--title", "Start", "--words", "900")


def run(full: bool) -> Iterator[Measure]:
    """Run every verb once to warm the page cache and then some times; the figure is the median."""
    for verb, seconds in rows(_TIMES):
        most = MOST_WRITE if verb.startswith("write") else MOST_LOOK
        yield Measure(f"starts.{verb}", seconds, "s of CPU", f"<= {most}")


def rows(times: int) -> Iterator[tuple[str, float]]:
    """Yield each verb as it is typed with the median of its CPU seconds."""
    with memory_folder() as home:
        made = {"BOOKWRIGHT_HOME": str(home), "BOOKWRIGHT_MODEL": "rehearsal:exact", "BOOKWRIGHT_EMBEDDING": "hashing"}
        _ended(["write", *_PREMISE, "--no-prefect"], made)
        for look in LOOKS:
            yield " ".join(look), _median(times, partial(_ended, look, made))
        with _provider() as provider:
            asked = {**made, "BOOKWRIGHT_MODEL": "compatible:nobody", "LLM_BASE_URL": provider.address}
            for write in WRITES:
                command = [*write, *_PREMISE, "--new"]
                yield " ".join(write), _median(times, partial(_asking, command, asked, provider.asked))


def _median(times: int, measured: Callable[[], float]) -> float:
    measured()
    return statistics.median(measured() for _ in range(times))


def _ended(arguments: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a verb to its end and return the CPU seconds that it and its children took."""
    process = _started(arguments, environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return usage.ru_utime + usage.ru_stime


def _asking(arguments: Sequence[str], environment: Mapping[str, str], asked: Event) -> float:
    """Write until a model is asked, and return the CPU seconds that the process itself took up to then."""
    asked.clear()
    process = _started(arguments, environment)
    try:
        if not asked.wait(_PATIENCE):
            raise TimeoutError(f"{' '.join(arguments)} asked nothing")
        return cpu_seconds(process.pid)
    finally:
        process.wait()  # it ends by itself: its request is refused


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process that runs; Linux counts them in ticks of ten milliseconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _started(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bookwright", *arguments]
    return subprocess.Popen(
        command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip


class _Provider(ThreadingHTTPServer):
    """Refuses every request, and tells that one came."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusing)
        self.asked = Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Refusing(BaseHTTPRequestHandler):
    server: _Provider

    def do_POST(self) -> None:
        self.server.asked.set()
        self.send_error(401)

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def _provider() -> Iterator[_Provider]:
    with _Provider() as provider:
        thread = Thread(target=provider.serve_forever)
        thread.start()
        try:
            yield provider
        finally:
            provider.shutdown()
            thread.join()
