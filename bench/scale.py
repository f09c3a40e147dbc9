"""Whole books of several sizes, killed on the way: what a step, the memory, an export and a resume cost at each.

The author is the rehearsal one, who misses; the vectors are of the `hashing` embedding.
"""

import importlib
import os
import resource
import signal
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import Any, BinaryIO

from sqlalchemy import func, select

from bench import scale_tree, shim
from bench.measure import Measure
from bench.parts import HeardAsker, counted_queries, held_book, make_settings, walk
from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.exports.files import export
from bookwright.flows import walk_steps
from bookwright.flows.deps import Deps
from bookwright.flows.library import opened_library
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.storage import tables
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage

_MODEL = "rehearsal:miss"
_KILLS = (0.3, 0.7)
"""Shares of the book at which its process is killed; once more at its last step, from which is resumed."""

_LEASE_SECONDS = 1.0

_LOOK_EVERY = 20
"""Calls between two looks at how much is written."""

_SMALL = (("economy", (60_000, 150_000)),)
_FULL = (("economy", (50_000, 500_000, 5_000_000)), ("standard", (50_000, 500_000)))

_LINE = Struct("<ddd")
"""One call on record: CPU seconds since the call before (0 for a process's first), prompt tokens, megabytes held."""


def run(full: bool) -> Iterator[Measure]:
    """Write books of each profile and compare the longest with the shortest; then look at a tree larger still."""
    for profile, lengths in _FULL if full else _SMALL:
        found = {}
        for length in lengths:
            found[length] = _one_book(profile, length)
            for name, (value, unit) in found[length].items():
                yield Measure(f"scale.{profile}.{length}.{name}", value, unit)
        yield from _compared(profile, found[lengths[0]], found[lengths[-1]])
    yield from scale_tree.run(full)


Figures = dict[str, tuple[float, str]]


def _compared(profile: str, short: Figures, long: Figures) -> Iterator[Measure]:
    def ratio(name: str) -> float:
        return long[name][0] / short[name][0]

    name, unit = f"scale.{profile}", "longest over shortest"
    yield Measure(
        f"{name}.cpu_deciles", long["cpu_last_over_first_decile"][0], "longest book", "<= 1.25", "WriteHERE 4.3"
    )
    yield Measure(f"{name}.tokens_growth", ratio("tokens_per_step"), unit, "<= 1.1", "WriteHERE 107 000 a call")
    yield Measure(f"{name}.bytes_growth", ratio("bytes_per_step"), unit, "<= 1.1")
    yield Measure(f"{name}.resume_queries_growth", ratio("resume_queries"), unit, "<= 1.5", "DBOS, LangGraph O(n)")
    for form in ("epub", "txt"):
        yield Measure(f"{name}.{form}_memory_growth", long[f"{form}_peak"][0] - short[f"{form}_peak"][0], "MB", "<= 20")


def _one_book(profile: str, length: int) -> Figures:
    with shim.memory_folder() as folder:
        home = str(folder)
        for share in (*_KILLS, None):
            with shim.killed(2 * _LEASE_SECONDS):
                shim.run("scale:write_book", home=home, profile=profile, length=length, share=share)
        resumed = shim.run("scale:finish", home=home, profile=profile, length=length)
        exports = {form: shim.run("scale:export_book", home=home, form=form) for form in ("epub", "txt")}
        return _figures(folder, resumed, exports)


def _figures(home: Path, resumed: dict[str, Any], exports: dict[str, dict[str, float]]) -> Figures:
    lines = list(_LINE.iter_unpack((home / "calls").read_bytes()))
    cpu = [seconds for seconds, _, _ in lines if seconds]
    tenth = max(len(cpu) // 10, 1)
    early, held = lines[min(len(lines) // 10, 1_000)][2], max(megabytes for _, _, megabytes in lines)
    steps = resumed["steps"]
    figures: Figures = {
        "nodes": (resumed["nodes"], "nodes"),
        "passages": (resumed["passages"], "in the index"),
        "steps": (steps, "recorded"),
        "repeated": (len(lines) + 1 - steps, f"calls paid again, {len(_KILLS) + 1} kills in a call"),
        "off": (resumed["off"] * 100, "% of the length"),
        "cpu_per_step": (statistics.mean(cpu) * 1_000, "ms, the author's among them"),
        "cpu_last_over_first_decile": (sum(cpu[-tenth:]) / sum(cpu[:tenth]), "CPU per step"),
        "tokens_per_step": (statistics.mean(tokens for _, tokens, _ in lines), "prompt tokens"),
        "bytes_per_step": (sum(file.stat().st_size for file in home.glob("bookwright.db*")) / steps, "of the database"),
        "vectors": (resumed["vectors"], "MB of vectors, held in memory by embedded Chroma"),
        "memory_growth": (held - early, "MB, the index among them"),
        "resume_millis": (resumed["millis"], "ms beyond imports to the first call after the last kill"),
        "resume_queries": (resumed["queries"], "SQL statements"),
    }
    for form, found in exports.items():
        figures[f"{form}_peak"] = (found["peak"], "MB more than before the export")
        figures[f"{form}_size"] = (found["size"], "MB")
        figures[f"{form}_seconds"] = (found["seconds"], "s")
    return figures


@dataclass
class WatchedAsker:
    """Asks the rehearsal author, notes each call on disk, and kills this process where it is to."""

    models: ModelService
    notes: BinaryIO
    share: float | None
    """Kills once so much is written, or at the call for the title where it is None."""
    deps: Deps | None = None
    calls: int = 0
    _last_cpu: float = field(default=0.0)

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer, unless the process ends here: with an answer that is paid and not recorded."""
        now = time.process_time()
        reply = self.models.ask(request, budget, listener, on_failure)
        passed = now - self._last_cpu if self.calls else 0.0
        self.notes.write(_LINE.pack(passed, reply.usage.input_tokens, shim.resident_megabytes()))
        self._last_cpu, self.calls = now, self.calls + 1
        if self._is_the_place(request):
            self.notes.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return reply

    def _is_the_place(self, request: Request) -> bool:
        if self.share is None:
            return bool(request.facts["activity"] == "publish")
        if self.deps is None or self.calls % _LOOK_EVERY:
            return False
        with self.deps.stores() as stores:
            root = stores.nodes.root()
        return root.written >= self.share * (root.length or 1)


def write_book(folder: Path, home: str, profile: str, length: int, share: float | None) -> dict[str, Any]:
    """Begin a book or go on with it, up to the place of its kill."""
    settings = _settings(home)
    with closing(ModelService(settings)) as models, (Path(home) / "calls").open("ab") as notes:
        asker = WatchedAsker(models, notes, share)
        with held_book(settings, asker, with_context=True, profile=profile, length=length) as deps:
            asker.deps = deps
            walk_steps.publish(walk(deps), deps)
    return {}


def finish(folder: Path, home: str, profile: str, length: int) -> dict[str, Any]:
    """Go on with a book from its last step, and look at what stands there."""
    settings = _settings(home)
    importlib.import_module("chromadb")  # imports are no part of a resume
    with closing(ModelService(settings)) as models, counted_queries() as queries:
        first: dict[str, float] = {}
        began = time.perf_counter()

        def note_first(request: Request) -> None:
            if not first:
                first.update(millis=(time.perf_counter() - began) * 1_000, queries=queries[0])

        asker = HeardAsker(models, note_first)
        with held_book(settings, asker, with_context=True, profile=profile, length=length) as deps:
            walk_steps.publish(walk(deps), deps)
            return first | _what_stands(deps, length)


def export_book(folder: Path, home: str, form: str) -> dict[str, float]:
    """Export the one book of a library, and tell the memory that took beyond what was held before."""
    settings = _settings(home)
    with opened_library(settings) as database:
        with database.read() as connection:
            book = BookRepository(connection).all()[0]
        before, began = shim.resident_megabytes(), time.perf_counter()
        path = export(BookStorage(database, book.id, book.brief.language), form, folder / f"book.{form}")
        seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    return {"peak": peak - before, "seconds": seconds, "size": path.stat().st_size / 2**20}


def _settings(home: str) -> Settings:
    """Settings with a lease that a process after a kill need not wait for long."""
    return make_settings(Path(home), _MODEL).model_copy(update={"lease_seconds": _LEASE_SECONDS})


def _what_stands(deps: Deps, length: int) -> dict[str, float]:
    with deps.stores() as stores:
        vectors = func.sum(func.length(tables.vectors.c.vector))
        return {
            "off": abs(stores.nodes.root().written - length) / length,
            "nodes": stores.nodes.count(),
            "steps": stores.books.get(deps.storage.book).calls,
            "passages": stores.connection.execute(select(func.count()).select_from(tables.passages)).scalar_one(),
            "vectors": stores.connection.execute(select(vectors)).scalar_one() / 2**20,
        }
