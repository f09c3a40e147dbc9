"""What the reviews of a chapter have left on record for its author."""

from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.codex.leak import LeakReport
from bookwright.models.document import DocumentKind
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

_Kept = TypeVar("_Kept", bound=BaseModel)


def notes_of(stores: Stores, unit: TaskNode) -> tuple[str, ...]:
    """Return a line for each thing that the reviews of a chapter and of its parts could not settle."""
    found = read_current(ConsistencyReport, DocumentKind.CONSISTENCY, stores, unit)
    return (*(_of_consistency(found) if found else ()), *_of_leaks(stores, unit))


def _of_consistency(report: ConsistencyReport) -> Iterator[str]:
    for item in report.details:
        yield f"{item.result}, {item.check}: “{item.text}” stands beside “{item.record}” in the codex"
    yield from report.refused
    yield from report.stray_lines


def _of_leaks(stores: Stores, unit: TaskNode) -> Iterator[str]:
    report = read_current(LeakReport, DocumentKind.LEAK_REVIEW, stores, unit)
    for sentence in report.cut if report is not None else ():
        yield f"{unit.label}: code took out what gave something away: “{' '.join(sentence.split())}”"
    if report is not None and report.decided_by and report.rounds and report.rounds[-1].result == "rejected":
        leaks = report.rounds[-1].leaks
        yield f"{unit.label} gives something away and was let pass ({report.decided_by}): " + "; ".join(
            leak.told for leak in leaks
        )
    for part in stores.nodes.children(unit.key, TaskType.WRITE):
        yield from _of_leaks(stores, part)


def read_current(form: type[_Kept], kind: DocumentKind, stores: Stores, unit: TaskNode) -> _Kept | None:
    """Read what a unit's newest document of a kind holds; None where there is none that this version knows."""
    found = stores.documents.current(unit.key, kind)
    return read_as(form, stores.documents.data_of(found) if found else "")


def read_as(form: type[_Kept], data: str) -> _Kept | None:
    """Read what a document holds; None where there is nothing, or nothing that this version knows."""
    try:
        return form.model_validate_json(data) if data else None
    except ValidationError:
        return None
