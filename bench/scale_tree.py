"""What a step with its context costs in trees of 2 000, 15 000 and 60 000 nodes.

A tree is laid into the database: volumes, acts, chapters of 300 words, each closed with its designs, its prose and
its summary, in nonsense in which every text begins with a name of its own, the dearest case for looking names up.
Then the walk goes on in the middle of the last act, with an author who answers at once.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from bench import shim
from bench.measure import Measure
from bench.parts import (
    NULL_BOOK,
    POOL,
    EnoughAsked,
    NullAsker,
    counted_queries,
    counted_rows,
    held_book,
    make_settings,
)
from bookwright.agents.backends.protocol import Request
from bookwright.flows.walk import write_unit
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.stores import Stores

_STEPS = 400
_SKIPPED = 150
"""The first calls, in which the units above are planned and everything is met for the first time."""

_CHAPTER = 300
_DESIGNS = 3
_CHAPTERS_AN_ACT, _ACTS_A_VOLUME = 100, 5
_WORDS = 30
"""Words of each text that is laid down: short, so that the largest tree is embedded in a bench's time."""
_LAID = Random(2)


def run(full: bool) -> Iterator[Measure]:
    """Lay trees of several sizes, and go on in each: without contexts, then with them."""
    sizes = (2_000, 15_000, 60_000) if full else (600, 2_200)
    found = {nodes: _one_tree(nodes) for nodes in sizes}
    for nodes, figures in found.items():
        name = f"scale.tree.{nodes}"
        yield Measure(f"{name}.bare_cpu_per_step", figures["bare"]["cpu"], "ms, without contexts")
        yield Measure(f"{name}.cpu_per_step", figures["whole"]["cpu"], "ms, with its context")
        yield Measure(f"{name}.queries_per_step", figures["whole"]["queries"], "SQL statements")
        yield Measure(f"{name}.rows_per_step", figures["whole"]["rows"], "rows read")
        yield Measure(f"{name}.index_seconds", figures["whole"]["index"], "s to take all in")
        yield Measure(f"{name}.memory", figures["whole"]["memory"], "MB, the index among them")
    least, most = found[sizes[0]], found[sizes[-1]]
    for kind, label in (("bare", "bare_cpu"), ("whole", "cpu")):
        growth = most[kind]["cpu"] / least[kind]["cpu"]
        yield Measure(f"scale.tree.{label}_growth", growth, "largest over smallest tree", "<= 1.25", "WriteHERE 4.3")
    for name in ("queries", "rows"):
        growth = most["whole"][name] / least["whole"][name]
        yield Measure(f"scale.tree.{name}_growth", growth, "largest over smallest tree", "<= 1.1")


def _one_tree(nodes: int) -> dict[str, dict[str, float]]:
    with shim.memory_folder() as home:
        shim.run("scale_tree:lay", home=str(home), nodes=nodes)
        return {
            name: shim.run("scale_tree:go_on", home=str(home), with_context=name == "whole")
            for name in ("bare", "whole")
        }


def lay(folder: Path, home: str, nodes: int, acts_a_volume: int = _ACTS_A_VOLUME) -> dict[str, int]:
    """Lay about so many nodes into a new library; half of the last act stands."""
    settings = make_settings(Path(home), "rehearsal:exact")
    acts = max(round(nodes / (1 + _DESIGNS) / _CHAPTERS_AN_ACT + 0.5), 1)
    with held_book(settings, NullAsker(), **NULL_BOOK) as deps:
        with deps.stores() as stores:
            volume = root = stores.nodes.root()
        for number in range(acts):
            with deps.storage.write() as stores:
                if number % acts_a_volume == 0:
                    _close(stores, volume)
                    [volume] = _added(stores, root, Level.VOLUME, 150_000)
                _lay_act(stores, volume, is_last=number == acts - 1)
        with deps.stores() as stores:
            return {"nodes": stores.nodes.count()}


def _lay_act(stores: Stores, volume: TaskNode, *, is_last: bool) -> None:
    [act] = _added(stores, volume, Level.ACT, 30_000)
    for _ in range(_CHAPTERS_AN_ACT // 2 if is_last else _CHAPTERS_AN_ACT):
        [chapter] = _added(stores, act, Level.CHAPTER, _CHAPTER)
        for design in _added(stores, chapter, Level.CHAPTER, None, _DESIGNS):
            stores.nodes.change(design.key, status=NodeStatus.DONE.value)
        stores.documents.add(_text(design, DocumentKind.DESIGN), None)
        stores.documents.add(_text(chapter, DocumentKind.PROSE), None)
        stores.nodes.add_written(chapter, _CHAPTER)
        _close(stores, chapter)
    if not is_last:
        _close(stores, act)


def _added(stores: Stores, parent: TaskNode, level: Level, length: int | None, count: int = 1) -> list[TaskNode]:
    kind = TaskType.WRITE if length else TaskType.DESIGN
    items = [PlanNode(task_type=kind, title="", goal=_nonsense(12), length=length) for _ in range(count)]
    common = {"level": level.value, "planning_round": 1} | ({} if length else {"unit": parent.key})
    return stores.nodes.add(parent, items, **common)


def _close(stores: Stores, unit: TaskNode) -> None:
    """Close a unit with its summary; the book stays open."""
    if unit.parent is not None:
        stores.documents.add(_text(unit, DocumentKind.SUMMARY), None)
        stores.nodes.change(unit.key, status=NodeStatus.DONE.value)


def _nonsense(words: int) -> str:
    """Return some words, of which the first is a name."""
    first, *others = _LAID.choices(POOL, k=words)
    return " ".join((first.capitalize(), *others))


def _text(node: TaskNode, kind: DocumentKind) -> NewDocument:
    return NewDocument(node=node.key, kind=kind, text=f"{_nonsense(_WORDS)}.")


def go_on(folder: Path, home: str, with_context: bool, steps: int = _STEPS, skipped: int = _SKIPPED) -> dict[str, Any]:
    """Walk some steps further, with contexts after the index has taken in what is there."""
    seen: list[tuple[float, int, int]] = []

    def note(request: Request) -> None:
        seen.append((time.process_time() - asker.own_cpu, queries[0], rows[0]))
        if len(seen) > skipped + steps:
            raise EnoughAsked

    asker = NullAsker(on_call=note)
    began = time.perf_counter()
    with counted_queries() as queries, counted_rows() as rows:
        settings = make_settings(Path(home), "rehearsal:exact")
        with suppress(EnoughAsked), held_book(settings, asker, with_context=with_context, **NULL_BOOK) as deps:
            with deps.stores() as stores:
                root = stores.nodes.root()
            deps.desk.contexts.build(root, root, Activity.PLAN, "planner")  # brings the index up to date
            index = time.perf_counter() - began
            write_unit(root, deps)
    cpu, statements, read = zip(*seen[skipped:], strict=True)
    return {
        "cpu": (cpu[-1] - cpu[0]) / steps * 1_000,
        "queries": (statements[-1] - statements[0]) / steps,
        "rows": (read[-1] - read[0]) / steps,
        "index": index,
        "memory": shim.resident_megabytes(),
    }
