"""The report of a review or a verification, as a person reads it."""

from collections.abc import Iterable

from bookwright.agents.blueprints.wording import check_name, word
from bookwright.models.faults import BlueprintReport, CheckResult, CheckState, Fault
from bookwright.models.language import Language


def report_text(report: BlueprintReport, language: Language) -> str:
    """Return a report as Markdown; one of a verification begins with its verdict."""
    blocks = []
    if report.verdict is not None:
        blocks.append(f"**{word('verdict', language)}: {word(report.verdict.value, language)}**")
    blocks += [report.assessment] if report.assessment else []
    if report.checks:
        blocks += [f"## {word('checks', language)}", "\n".join(_check(own, language) for own in report.checks)]
    blocks += _faults(report, language)
    blocks += [] if report.was_read else [word("not_read", language)]
    return "\n\n".join(blocks)


def _faults(report: BlueprintReport, language: Language) -> Iterable[str]:
    shown = report.open if report.verdict is not None else report.faults
    yield f"## {word('open' if report.verdict is not None else 'faults', language)}"
    if not shown:
        yield word("nothing_found", language)
        return
    yield "\n".join(_fault(own, report, language) for own in shown)


def _check(result: CheckResult, language: Language) -> str:
    note = f" ({result.note})" if result.note else ""
    mark = "x" if result.state is CheckState.PASSED else " "
    return f"- [{mark}] {check_name(result.check, language)}: {word(result.state.value, language)}{note}"


def _fault(fault: Fault, report: BlueprintReport, language: Language) -> str:
    order = f" → {fault.order}" if fault.order else ""
    state = ""
    if report.verdict is None:
        state = f" ({word('to_mend' if fault.label in report.given else 'unmended', language)})"
    quoted = f" “{fault.evidence}”" if fault.evidence else ""
    return f"- **{fault.label or word('unnamed', language)}** [{fault.severity}] {fault.fault}{quoted}{order}{state}"
