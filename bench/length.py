"""How near a finished book comes to its length when each draft misses by 30 to 50 percent."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bench import shim
from bench.measure import Measure
from bench.parts import held_book, make_settings, walk
from bookwright.agents.backends.service import ModelService
from bookwright.flows import walk_steps
from bookwright.flows.deps import Deps
from bookwright.models.text.length import is_off
from bookwright.models.tree.plan import TaskType
from bookwright.storage.tables import nodes

_MODEL = "rehearsal:miss"
_OTHERS = "StoryWriter 57 to 88, GPT-4o 2.7"


def run(full: bool) -> Iterator[Measure]:
    """Write whole books with the rehearsal author who misses."""
    for length in (20_000, 200_000, 1_000_000) if full else (20_000, 200_000):
        book = shim.run("length:write_book", length=length)
        name = f"length.{length}"
        yield Measure(f"{name}.off", book["off"] * 100, "% of the book", "<= 3")
        yield Measure(f"{name}.S_l", book["score"], "LongBench-Write S_l", ">= 97", _OTHERS)
        yield Measure(f"{name}.units_off", book["units_off"], "units beyond 15 %", "<= 0")
        for count in ("units", "nodes", "steps", "calls"):
            yield Measure(f"{name}.{count}", book[count], count)


def write_book(folder: Path, length: int) -> dict[str, Any]:
    """Write one book to its end and look at what stands there."""
    settings = make_settings(folder, _MODEL)
    with closing(ModelService(settings)) as models, held_book(settings, models, length=length) as deps:
        walk_steps.publish(walk(deps), deps)
        return _figures(deps, length)


def length_score(asked: int, written: int) -> float:
    """Return LongBench-Write's S_l, 0 to 100: too long loses a third of the excess, too short half.

    Source: LongBench-Write (arXiv 2408.07055), its evaluation code.
    """
    if written > asked:
        return 100 * max(0.0, 1 - (written / asked - 1) / 3)
    return 100 * max(0.0, 1 - (asked / max(written, 1) - 1) / 2)


def _figures(deps: Deps, length: int) -> dict[str, Any]:
    with deps.stores() as stores:
        written = stores.nodes.root().written
        leaves = list(stores.nodes.leaves())
        calls = stores.books.get(deps.storage.book).calls
        failed = sum(role.failed for role in stores.steps.by_role())
        return {
            "off": abs(written - length) / length,
            "score": length_score(length, written),
            "units_off": sum(is_off(leaf.length or 1, leaf.written) for leaf in leaves),
            "units": stores.nodes.count(nodes.c.task_type == TaskType.WRITE.value),
            "nodes": stores.nodes.count(),
            "steps": calls - failed,
            "calls": calls,
        }
