"""The verdict on a book, as its last verification gave it."""

from pathlib import Path

import pytest

from bookwright.exports.report.verdict import BookVerdict, verdict_on
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.faults import BlueprintReport, Fault, FaultSeverity, VerdictKind
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book, make_settings

LEFT = (Fault(fault="The glove is never explained.", severity=FaultSeverity.CRITICAL), Fault(fault="A slip."))


def verified(home: Path, *reports: BlueprintReport) -> BookStorage:
    """A finished book with those reports, each at a task of its own."""
    storage = make_book(make_settings(home), "The lamp went out.")
    with storage.write() as stores:
        root = stores.nodes.root()
        stores.nodes.change(root.key, status=NodeStatus.DONE.value)
        for number, report in enumerate(reports):
            plan = PlanNode(task_type=TaskType.DESIGN, title="Round", goal="Look.")
            [task] = stores.nodes.add(
                root, [plan], unit=root.key, level=Level.BOOK.value, stage=f"validation/round{number}"
            )
            stores.documents.add(
                NewDocument(node=task.key, kind=DocumentKind.REPORT, text="x", data=report.model_dump_json()), None
            )
    return storage


@pytest.mark.parametrize(
    ("verdict", "left", "words"),
    [
        (VerdictKind.PASSED, (), "passed"),
        (VerdictKind.OPEN_POINTS, LEFT[1:], "passed with open points; 1 point is open"),
        (VerdictKind.FAILED, LEFT, "failed; 2 points are open, 1 critical"),
    ],
)
def test_the_last_verdict_counts_with_what_is_left(
    tmp_path: Path, verdict: VerdictKind, left: tuple[Fault, ...], words: str
) -> None:
    first, later = BlueprintReport(verdict=VerdictKind.PASSED), BlueprintReport(verdict=verdict, open=left)
    storage = verified(tmp_path, first, BlueprintReport(faults=LEFT), later)

    with storage.read() as stores:
        found = verdict_on(stores)

    assert found is not None
    assert (found.verdict, found.words, found.is_failed) == (verdict.value, words, verdict is VerdictKind.FAILED)
    storage.database.dispose()


def test_a_book_that_goes_on_or_was_never_verified_has_no_verdict(tmp_path: Path) -> None:
    storage = verified(tmp_path, BlueprintReport(verdict=VerdictKind.FAILED, open=LEFT))
    with storage.write() as stores:
        assert verdict_on(stores) == BookVerdict("failed", "1.1", 2, 1)
        stores.nodes.change(stores.nodes.root().key, status=NodeStatus.OPEN.value)

    with storage.read() as stores:
        assert verdict_on(stores) is None
    storage.database.dispose()
