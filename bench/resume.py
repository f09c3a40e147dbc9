"""How long a stopped book takes to its first new step, and how many queries: by the book's size."""

import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench import shim
from bench.measure import Measure
from bench.parts import EnoughAsked, NullAsker, counted_queries, walk_null_book
from bookwright.agents.backends.protocol import Request


def run(full: bool) -> Iterator[Measure]:
    """Stop books of several sizes, then go on with each in turn, some times, in fresh processes."""
    sizes, times = ((200, 1_000, 10_000), 7) if full else ((200, 1_000), 5)
    with ExitStack() as folders:
        homes = {size: str(folders.enter_context(shim.memory_folder())) for size in sizes}
        for size, home in homes.items():
            shim.run("resume:stop_at", home=home, nodes=size)
        rounds = [{size: shim.run("resume:go_on", home=home) for size, home in homes.items()} for _ in range(times)]
    millis, cpu = (
        {size: statistics.median(each[size][name] for each in rounds) for size in sizes} for name in ("millis", "cpu")
    )
    queries = {size: rounds[0][size]["queries"] for size in sizes}
    for size in sizes:
        yield Measure(f"resume.{size}.millis", millis[size], "ms beyond imports", "<= 100", "DBOS, LangGraph O(n)")
        yield Measure(f"resume.{size}.queries", queries[size], f"queries, depth {rounds[0][size]['depth']}")
    least, most = sizes[0], sizes[-1]
    growth = f"of {most:,} over {least} nodes"
    yield Measure("resume.cpu_growth", cpu[most] / cpu[least], f"CPU {growth}", "<= 1.5", "DBOS, LangGraph O(n)")
    yield Measure("resume.queries_growth", queries[most] / queries[least], growth, "<= 1.5")


def stop_at(folder: Path, home: str, nodes: int) -> dict[str, int]:
    """Walk until the book has so many nodes, and stop before the next call."""
    asker = NullAsker()

    def stop_when_large(request: Request) -> None:
        if asker.nodes >= nodes:
            raise EnoughAsked

    asker.on_call = stop_when_large
    walk_null_book(Path(home), asker)
    return {"calls": asker.calls}


def go_on(folder: Path, home: str) -> dict[str, float]:
    """Resume in this process up to the first call; imports are done when the clock starts."""
    found: dict[str, float] = {}

    def stop_at_once(request: Request) -> None:
        found["millis"] = (time.perf_counter() - began) * 1_000
        found["cpu"] = (time.process_time() - cpu_began) * 1_000
        found["queries"] = queries[0]
        found["depth"] = request.facts["label"].count(".")
        raise EnoughAsked

    asker = NullAsker(on_call=stop_at_once)
    with counted_queries() as queries:
        began, cpu_began = time.perf_counter(), time.process_time()
        walk_null_book(Path(home), asker)
    return found
