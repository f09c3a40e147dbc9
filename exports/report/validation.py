"""What a blueprint's last verification says of a book, a line for each thing."""

from collections.abc import Iterator

from bookwright.agents.blueprints.wording import check_name, word
from bookwright.models.document import DocumentKind
from bookwright.models.faults import BlueprintReport, CheckState
from bookwright.models.tree.plan import TaskType
from bookwright.storage.stores import Stores


def validation_of(stores: Stores, language: str) -> Iterator[str]:
    """Yield the verdict, what was not checked, and what is open; nothing of a book that was never verified.

    `language` is the book's, with its script: `en`, `zh-hans` and so on.
    """
    report = _last(stores)
    if report is None or report.verdict is None:
        return
    yield f"{word('verdict', language)}: {word(report.verdict.value, language)}"
    for check in report.checks:
        if check.state is CheckState.NOT_CHECKED:
            note = f" ({check.note})" if check.note else ""
            yield f"{check_name(check.check, language)}: {word(check.state.value, language)}{note}"
    for fault in report.open:
        yield f"{fault.label or word('unnamed', language)}: {fault.fault}"


def _last(stores: Stores) -> BlueprintReport | None:
    tasks = [task for task in stores.nodes.children(stores.nodes.root().key, TaskType.DESIGN) if task.stage]
    kept = stores.documents.of_nodes([task.key for task in tasks], DocumentKind.REPORT)
    found = [BlueprintReport.model_validate_json(stores.documents.data_of(document)) for document in kept]
    return next((report for report in reversed(found) if report.verdict is not None), None)
