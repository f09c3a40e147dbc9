"""What a blueprint's last verification says of a book, a line for each thing."""

from collections.abc import Iterator

from bookwright.agents.blueprints.wording import check_name, word
from bookwright.exports.report.verdict import last_verification
from bookwright.models.faults import CheckState
from bookwright.storage.stores import Stores


def validation_of(stores: Stores, language: str) -> Iterator[str]:
    """Yield the verdict, what was not checked, and what is open; nothing of a book that was never verified.

    `language` is the book's, with its script: `en`, `zh-hans` and so on.
    """
    _, report = last_verification(stores)
    if report is None or report.verdict is None:
        return
    yield f"{word('verdict', language)}: {word(report.verdict.value, language)}"
    for check in report.checks:
        if check.state is CheckState.NOT_CHECKED:
            note = f" ({check.note})" if check.note else ""
            yield f"{check_name(check.check, language)}: {word(check.state.value, language)}{note}"
    for fault in report.open:
        yield f"{fault.label or word('unnamed', language)}: {fault.fault}"
