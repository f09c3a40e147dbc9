"""What spans cost: nothing while they are off, and so much a step while they are on."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Measure
from bench.parts import NULL_BOOK, EnoughAsked, NullAsker, counted_queries, held_book, make_settings, walk
from bookwright.flows.tracing import Traced, traced_by, untraced

_COUNT_IMPORTS = """
import sys
import bookwright.flows.open_book
from bookwright.flows.tracing import tracing_as_set
tracing_as_set()
print(sum(name == "bookwright.agents.tracing.spans" for name in sys.modules))
"""


def run(full: bool) -> Iterator[Measure]:
    """Walk the null book without spans and with spans that nobody is sent."""
    steps = 10_000 if full else 600
    imported = subprocess.run([sys.executable, "-c", _COUNT_IMPORTS], check=True, capture_output=True, text=True)
    yield Measure("tracing.off.modules", float(imported.stdout), "modules that make spans, imported", "<= 0")
    with TemporaryDirectory() as folder:
        _walked(Path(folder, "warm"), 200, untraced())
        off, off_statements = _walked(Path(folder, "off"), steps, untraced())
        on, on_statements = _walked(Path(folder, "on"), steps, _spans())
    yield Measure("tracing.off.cpu_per_step", off, "ms, prompts among them")
    yield Measure("tracing.on.cpu_per_step", on, "ms, prompts among them")
    yield Measure("tracing.on.more_statements", float(on_statements - off_statements), "SQL statements", "<= 0")


def _spans() -> Traced:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(InMemorySpanExporter()))
    return traced_by(provider)


def _walked(home: Path, steps: int, traced: Traced) -> tuple[float, int]:
    """CPU milliseconds a step, and how many statements the walk made."""
    asker = NullAsker(steps)
    with counted_queries() as queries, held_book(make_settings(home, "rehearsal:exact"), asker, **NULL_BOOK) as deps:
        began = time.process_time()
        with suppress(EnoughAsked), traced(deps, "write-book") as watched:
            walk(watched)
        cpu = time.process_time() - began - asker.own_cpu
    return cpu / steps * 1_000, queries[0]
