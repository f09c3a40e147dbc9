"""What a step with its context costs in a tree of 60 000 nodes, beside one of 1 000.

The author answers at once and writes nonsense in which every sentence begins with a name of its own:
the dearest case for looking names up. The tree is grown without contexts; then the index takes all in.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench import shim
from bench.measure import Measure
from bench.parts import (
    NULL_BOOK,
    EnoughAsked,
    NullAsker,
    counted_queries,
    held_book,
    make_settings,
    resident_megabytes,
)
from bookwright.agents.backends.protocol import Request
from bookwright.flows.walk import write_unit
from bookwright.models.step import Activity

_STEPS = 400
_SKIPPED = 20
"""The first calls, before which the index takes everything in."""


def run(full: bool) -> Iterator[Measure]:
    """Grow a small and a large tree, and go on in each with contexts."""
    sizes = (1_000, 60_000) if full else (300, 1_500)
    found = {nodes: _one_tree(nodes) for nodes in sizes}
    for nodes, figures in found.items():
        yield Measure(f"scale.tree.{nodes}.cpu_per_step", figures["cpu"], "ms, with its context")
        yield Measure(f"scale.tree.{nodes}.queries_per_step", figures["queries"], "SQL statements")
        yield Measure(f"scale.tree.{nodes}.index_seconds", figures["index"], "s to take all in")
        yield Measure(f"scale.tree.{nodes}.memory", figures["memory"], "MB, the index among them")
    few, many = (found[nodes] for nodes in sizes)
    yield Measure(
        "scale.tree.cpu_growth", many["cpu"] / few["cpu"], "large over small tree", "<= 1.25", "WriteHERE 4.3"
    )
    yield Measure("scale.tree.queries_growth", many["queries"] / few["queries"], "large over small tree", "<= 1.1")


def _one_tree(nodes: int) -> dict[str, float]:
    with shim.memory_folder() as home:
        shim.run("resume:stop_at", home=str(home), nodes=nodes)
        return shim.run("scale_tree:go_on", home=str(home))


def go_on(folder: Path, home: str) -> dict[str, Any]:
    """Walk some steps further with contexts, after the index has taken in what is there."""
    seen: list[tuple[float, int]] = []

    def note(request: Request) -> None:
        seen.append((time.process_time() - asker.own_cpu, queries[0]))
        if len(seen) > _STEPS:
            raise EnoughAsked

    asker = NullAsker(on_call=note)
    began = time.perf_counter()
    with counted_queries() as queries:
        settings = make_settings(Path(home), "rehearsal:exact")
        with suppress(EnoughAsked), held_book(settings, asker, with_context=True, **NULL_BOOK) as deps:
            with deps.stores() as stores:
                root = stores.nodes.root()
            deps.desk.contexts.build(root, root, Activity.PLAN, "planner")  # brings the index up to date
            index = time.perf_counter() - began
            write_unit(root, deps)
    steps = list(zip(seen[_SKIPPED:-1], seen[_SKIPPED + 1 :], strict=True))
    return {
        "cpu": statistics.mean(later[0] - earlier[0] for earlier, later in steps) * 1_000,
        "queries": statistics.mean(later[1] - earlier[1] for earlier, later in steps),
        "index": index,
        "memory": resident_megabytes(),
    }
