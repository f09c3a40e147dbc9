"""What the Chief Editor is told of a book: enough to name its parts, bounded however large the book is."""

from dataclasses import dataclass
from typing import Any

from bookwright.models.book import Book
from bookwright.models.codex.record import RecordKind, neutral_names
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.branches.repository import BranchRepository
from bookwright.storage.stores import Stores

_REASON = 200
_GATES = 10


@dataclass(frozen=True)
class FactBounds:
    """How much of a book is told."""

    title: int
    """Characters of each title."""
    units: int
    records: int
    """Of each register, the newest ones."""


FULL = FactBounds(title=80, units=40, records=30)
"""Some 12 000 characters at most."""
SMALL = FactBounds(title=30, units=10, records=6)
"""Some 2 000, for a model with a small window."""


def book_facts(book: Book, stores: Stores, bounds: FactBounds = FULL) -> dict[str, Any]:
    """Gather a book's title, state, the top of its tree, the ids of its records and what waits.

    No text of the story is among them, and of a secret no more than a number: an id may tell what it is.
    """
    root = stores.nodes.root()
    return {
        "title": _short(book.title, bounds.title),
        "state": book.state.value,
        "reason": _short(book.reason, _REASON),
        "language": book.brief.language.english_name,
        "written": root.written,
        "length": book.brief.length,
        "unit": book.brief.length_unit,
        "parts": _parts(root, stores, bounds),
        "codex": _records(RecordKind.ENTRY, stores, bounds),
        "secrets": list(neutral_names(stores.codex.secrets()).values())[-bounds.records :],
        "threads": _records(RecordKind.FORESHADOWING, stores, bounds),
        "branches": [_short(fork.name, bounds.title) for fork in BranchRepository(stores.connection).family(book.id)][
            -bounds.records :
        ],
        "gates_waiting": [
            {"gate": gate.id, "kind": gate.kind.value, "node": gate.label}
            for gate in stores.gates.all()
            if gate.is_waiting
        ][:_GATES],
    }


def _parts(root: TaskNode, stores: Stores, bounds: FactBounds) -> list[dict[str, Any]]:
    """The units of the two levels below the book: all of a small book, the highest and last ones of a large one."""
    numbers = {label: number for number, label in enumerate(stores.codex.reading_order().chapters, 1)}
    units: list[TaskNode] = []
    for unit in stores.nodes.children(root.key, TaskType.WRITE)[-bounds.units :]:
        units += [unit, *stores.nodes.children(unit.key, TaskType.WRITE)[-bounds.units :]]
    shown = sorted(units, key=lambda unit: unit.depth) if len(units) > bounds.units else units
    return [_part(unit, numbers.get(unit.label), bounds) for unit in shown[: bounds.units]]


def _part(unit: TaskNode, chapter: int | None, bounds: FactBounds) -> dict[str, Any]:
    facts = {
        "node": unit.label, "level": unit.level.value, "title": _short(unit.title, bounds.title),
        "status": unit.status.value,
    }  # fmt: skip
    return facts if chapter is None else {"chapter": chapter, **facts}


def _records(kind: RecordKind, stores: Stores, bounds: FactBounds) -> list[dict[str, str]]:
    records = [stored.record for stored in stores.codex.current(kind)[-bounds.records :]]
    return [
        {"id": record.id, "name": _short(getattr(record, "name", "") or getattr(record, "title", ""), bounds.title)}
        for record in records
    ]


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 2] + " …"
