"""The verdict on a finished book: what the last verification of its blueprint came to."""

from dataclasses import dataclass

from bookwright.models.document import DocumentKind
from bookwright.models.faults import BlueprintReport, FaultSeverity, VerdictKind
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import Stores

_NAMES = {
    VerdictKind.PASSED: "passed", VerdictKind.OPEN_POINTS: "passed with open points", VerdictKind.FAILED: "failed",
}  # fmt: skip


@dataclass(frozen=True)
class BookVerdict:
    """A verdict, and what is left open."""

    verdict: str
    """`passed`, `open_points` or `failed`."""
    node: str
    """The label of the verification, whose report tells what is left."""
    open: int
    """How many faults are left."""
    critical: int
    """Those of them that nobody should leave."""

    @property
    def words(self) -> str:
        """The verdict in words, with how much is left."""
        name = _NAMES[VerdictKind(self.verdict)]
        if not self.open:
            return name
        points = "point is" if self.open == 1 else "points are"
        return f"{name}; {self.open} {points} open" + (f", {self.critical} critical" if self.critical else "")

    @property
    def is_failed(self) -> bool:
        """True where the book does not hold what its kind promises."""
        return self.verdict == VerdictKind.FAILED


def is_over(stores: Stores) -> bool:
    """Whether the book's last page is written."""
    return stores.nodes.root().status is not NodeStatus.OPEN


def verdict_on(stores: Stores) -> BookVerdict | None:
    """Return the last verdict on a book that is written to its end; None where nobody gave one, or it goes on."""
    if not is_over(stores):
        return None
    node, report = last_verification(stores)
    if report is None or report.verdict is None:
        return None
    critical = sum(fault.severity is FaultSeverity.CRITICAL for fault in report.open)
    return BookVerdict(report.verdict.value, node, len(report.open), critical)


def last_verification(stores: Stores) -> tuple[str, BlueprintReport | None]:
    """Return the label of the last verification and its report; None where a book has none."""
    tasks = {task.key: task for task in stores.nodes.children(stores.nodes.root().key) if task.stage}
    for document in sorted(stores.documents.of_nodes(tasks, DocumentKind.REPORT), key=lambda own: -own.id):
        report = BlueprintReport.model_validate_json(stores.documents.data_of(document))
        if report.verdict is not None:
            return tasks[document.node].label, report
    return "", None
