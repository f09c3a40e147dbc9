"""The studio as figures: memory and CPU at rest and with listeners, a look at a long book, what comes over the wire."""

import gzip
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from bench.measure import Measure
from bench.shim import resident_megabytes
from bench.starts import cpu_seconds
from bookwright.flows.library import open_library
from bookwright.models.brief import make_brief
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.settings import Settings, load_settings
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage

_LISTENERS, _REQUESTS, _LOOKS = 12, 200, 20
_REST_SECONDS = 5.0


def run(is_full: bool) -> Iterator[Measure]:
    """Measure a studio over a book of 2,000 chapters (300 unless it is to be the full size)."""
    chapters = 2_000 if is_full else 300
    with TemporaryDirectory(prefix="bookwright-bench-") as folder:
        settings = load_settings(home=Path(folder), embedding="hashing", model="rehearsal:exact", free_megabytes=0)
        storage = _long_book(settings, chapters)
        with _studio(settings) as (process, client):
            yield Measure("studio.memory", round(resident_megabytes(process.pid)), "MB", reference="83 on the trial")
            yield Measure("studio.cpu_at_rest", _cpu(process.pid), "%", "<= 2")
            yield from _looks(client, chapters)
            yield from _scripts(client)
            yield from _heard(client, process, storage)
            answered = list(
                ThreadPoolExecutor(_REQUESTS).map(lambda _: client.get("/shelf").status_code, range(_REQUESTS))
            )
            yield Measure("studio.requests_at_once", answered.count(200), "answered", f">= {_REQUESTS}")


def _looks(client: httpx.Client, chapters: int) -> Iterator[Measure]:
    for name, path in (("desk", "/books/long"), ("tree", "/books/long/now"), ("shelf", "/")):
        client.get(path)
        took = []
        for _ in range(_LOOKS):
            began = time.perf_counter()
            answer = client.get(path)
            took.append(time.perf_counter() - began)
        yield Measure(f"studio.look.{name}.{chapters}", round(sorted(took)[_LOOKS // 2] * 1000, 1), "ms", "<= 100")
        yield Measure(f"studio.size.{name}.{chapters}", round(len(answer.content) / 1000, 1), "KB", "<= 300")


def _scripts(client: httpx.Client) -> Iterator[Measure]:
    scripts = [client.get(path).content for path in re.findall(r'<script src="([^"]+)', client.get("/").text)]
    yield Measure("studio.scripts", round(sum(map(len, scripts)) / 1000, 1), "KB", "<= 150")
    yield Measure("studio.scripts.gz", round(sum(len(gzip.compress(one)) for one in scripts) / 1000, 1), "KB")


def _heard(client: httpx.Client, process: "subprocess.Popen[str]", storage: BookStorage) -> Iterator[Measure]:
    """Twelve listeners hear of a change that another process makes."""
    heard: list[float] = []
    ready, gate = threading.Barrier(_LISTENERS + 1), threading.Lock()

    def listen() -> None:
        with client.stream("GET", "/live", timeout=60) as stream:
            lines = stream.iter_lines()
            next(lines)
            ready.wait()
            next(line for line in lines if "changed" in line)
            with gate:
                heard.append(time.perf_counter())

    threads = [threading.Thread(target=listen, daemon=True) for _ in range(_LISTENERS)]
    for thread in threads:
        thread.start()
    ready.wait()
    yield Measure(f"studio.cpu_with_{_LISTENERS}_listeners", _cpu(process.pid), "%", "<= 5")
    began = time.perf_counter()
    with storage.write() as stores:
        stores.books.change("long", title="Another name")
    for thread in threads:
        thread.join(30)
    yield Measure("studio.listeners_that_heard", len(heard), "listeners", f">= {_LISTENERS}")
    yield Measure("studio.change_to_event", round(max(heard, default=began + 60) - began, 2), "s", "<= 1.5")


@contextmanager
def _studio(settings: Settings) -> "Iterator[tuple[subprocess.Popen[str], httpx.Client]]":
    environment = os.environ | {"BOOKWRIGHT_HOME": str(settings.home), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "bookwright", "studio", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        limits = httpx.Limits(max_connections=_REQUESTS + _LISTENERS)
        with httpx.Client(base_url=address.partition("/enter")[0], limits=limits, timeout=60) as client:
            client.get(address, follow_redirects=True)
            yield process, client
        process.terminate()
        process.wait(30)


def _long_book(settings: Settings, chapters: int) -> BookStorage:
    brief = make_brief({"premise": "A long road.", "length": chapters * 100, "language": "en"})
    storage = BookStorage(open_library(settings), "long", brief.language)
    with storage.write() as stores:
        stores.books.create("long", brief)
        root = stores.nodes.add_root("The Road", brief.premise, brief.length)
        items = [
            PlanNode(task_type=TaskType.WRITE, title=f"Milestone {i}", goal="go on") for i in range(1, chapters + 1)
        ]
        nodes = stores.nodes.add(root, items, level="chapter", length=100, unit_index=lambda i: i + 1)
        for node in nodes:
            text = f"The road went on past the milestone of {node.title}. " * 10
            made = stores.documents.add(NewDocument(node=node.key, kind=DocumentKind.PROSE, text=text), None)
            stores.nodes.change(node.key, status=NodeStatus.DONE.value)
            stores.nodes.add_written(node, made.length)
    return storage


def _cpu(pid: int) -> float:
    before = cpu_seconds(pid)
    time.sleep(_REST_SECONDS)
    return round((cpu_seconds(pid) - before) / _REST_SECONDS * 100, 1)
