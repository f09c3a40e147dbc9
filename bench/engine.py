"""What one step costs: syncs, CPU, bytes, memory, and its speed beside a raw SQLite journal."""

import os
import statistics
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import select

from bench import shim
from bench.measure import Measure
from bench.parts import NullAsker, counted_queries, make_settings, walk_null_book
from bench.peers.raw_journal import RawJournal
from bookwright.flows.library import open_library, opened_library
from bookwright.storage.tables import texts

_SYNC_MICROS = 1_000
_EARLY_STEPS = 1_000


def run(full: bool) -> Iterator[Measure]:
    """Measure the engine: some rounds beside a raw journal, then one long run."""
    rounds, steps, many = (5, 2_000, 47_000) if full else (3, 1_000, 5_000)
    beside = shim.run("engine:beside_a_raw_journal", sync_micros=_SYNC_MICROS, rounds=rounds, steps=steps)
    yield Measure("engine.syncs_per_step", beside["syncs"], "syncs", "<= 1.1", "raw 1.01, LangGraph 2.03, DBOS 4.0")
    yield Measure("engine.raw_syncs_per_step", beside["raw_syncs"], "syncs")
    yield Measure("engine.speed_over_raw", beside["speed"], "of a raw journal", ">= 0.5", "LangGraph 0.38, DBOS 0.16")
    yield Measure("engine.stored_over_text", beside["stored"], "bytes, uncompressed", "<= 1.4", "WriteHERE 25 to 108")
    yield Measure("engine.stored_over_text_compressed", beside["stored_compressed"], "bytes")
    long = shim.run("engine:long_run", sync_micros=0, steps=many)
    at = f"at {many:,} steps"
    yield Measure("engine.cpu_per_step", long["cpu"], "ms, prompts apart", "<= 1.0", "Burr 0.43, DBOS 3.1")
    yield Measure("engine.queries_per_step", long["queries"], "SQL statements")
    yield Measure("engine.prompt_cpu_per_step", long["prompt_cpu"], "ms to render a prompt")
    yield Measure("engine.cpu_last_over_first_decile", long["deciles"], at, "<= 1.25", "WriteHERE 4.3 at 201 nodes")
    yield Measure("engine.memory_growth", long["growth"], f"MB {at}", "<= 20", "LangGraph tasks +514")


def beside_a_raw_journal(folder: Path, rounds: int, steps: int) -> dict[str, float]:
    """Take turns with a raw journal, in one process and on one disk; medians of the rounds."""
    walk_null_book(folder / "warm", NullAsker(200))
    found = [_one_round(folder / str(number), steps) for number in range(rounds)]
    return {name: statistics.median(each[name] for each in found) for name in found[0]}


def long_run(folder: Path, steps: int) -> dict[str, float]:
    """Walk far, with syncs counted and free: CPU a step, its growth, and memory."""
    with counted_queries() as queries:
        walk_null_book(folder / "warm", NullAsker(_EARLY_STEPS))
    early = shim.resident_megabytes()
    asker = NullAsker(steps, times_prompts=True)
    began = time.process_time()
    walk_null_book(folder / "long", asker)
    engine = time.process_time() - began - asker.own_cpu - asker.prompt_cpu
    tenth = steps // 10
    first, last = asker.cpu[tenth] - asker.cpu[0], asker.cpu[-1] - asker.cpu[-1 - tenth]
    return {
        "cpu": engine / steps * 1_000,
        "queries": queries[0] / _EARLY_STEPS,
        "prompt_cpu": asker.prompt_cpu / steps * 1_000,
        "deciles": last / first,
        "growth": shim.resident_megabytes() - early,
    }


def _one_round(folder: Path, steps: int) -> dict[str, float]:
    asker = NullAsker(steps)
    empty = _empty_library(folder / "empty")
    before, began = shim.syncs(), time.perf_counter()
    walk_null_book(folder, asker)
    seconds, syncs = time.perf_counter() - began, shim.syncs() - before
    before, began = shim.syncs(), time.perf_counter()
    _raw_journal(folder, steps, asker.text_bytes // steps)
    raw_seconds, raw_syncs = time.perf_counter() - began, shim.syncs() - before
    found = {"syncs": syncs / steps, "raw_syncs": raw_syncs / steps, "speed": raw_seconds / seconds}
    return found | _bytes(folder, empty)


def _raw_journal(folder: Path, steps: int, size: int) -> None:
    journal = RawJournal(folder)
    for number in range(steps):
        journal.record(str(number), os.urandom(size))
    journal.close()


def _empty_library(home: Path) -> int:
    """Bytes of a library without a book: a page of each table and index."""
    settings = make_settings(home, "rehearsal:exact")
    open_library(settings).dispose()
    return settings.database_path.stat().st_size


def _bytes(home: Path, empty: int) -> dict[str, float]:
    """What steps add to an empty library over the texts in them: as it is, and as if they were not compressed."""
    settings = make_settings(home, "rehearsal:exact")
    with opened_library(settings) as database, database.read() as connection:
        bodies = list(connection.execute(select(texts.c.body)).scalars())
    packed, plain = sum(map(len, bodies)), sum(len(zlib.decompress(body)) for body in bodies)
    stored = settings.database_path.stat().st_size - empty
    return {"stored": (stored - packed + plain) / plain, "stored_compressed": stored / plain}
