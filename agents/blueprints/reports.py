"""The report of a review or a verification, as a person reads it."""

from collections.abc import Iterable

from bookwright.agents.blueprints.wording import check_name, word
from bookwright.models.faults import BlueprintReport, CheckResult, CheckState, Fault, VerdictKind


def report_text(report: BlueprintReport, locale: str) -> str:
    """Return a report as Markdown, in the words of a `locale`; one of a verification begins with its verdict."""
    blocks = []
    if report.verdict is not None:
        told = word("pair", locale, what=word("verdict", locale), told=word(report.verdict.value, locale))
        blocks.append(f"**{told}**")
    blocks += [report.assessment] if report.assessment else []
    if report.checks:
        blocks += [f"## {word('checks', locale)}", "\n".join(_check(own, locale) for own in report.checks)]
    blocks += _faults(report, locale)
    blocks += [] if report.was_read else [word("not_read", locale)]
    return "\n\n".join(blocks)


def _faults(report: BlueprintReport, locale: str) -> Iterable[str]:
    shown = report.open if report.verdict is not None else report.faults
    yield f"## {word('open' if report.verdict is not None else 'faults', locale)}"
    if not shown:
        is_unseen = report.verdict is VerdictKind.OPEN_POINTS
        yield word("only_unseen" if is_unseen else "nothing_found", locale)
        return
    yield "\n".join(_fault(own, report, locale) for own in shown)


def _check(result: CheckResult, locale: str) -> str:
    note = word("aside", locale, n=result.note) if result.note else ""
    mark = "x" if result.state is CheckState.PASSED else " "
    told = word("pair", locale, what=check_name(result.check, locale), told=word(result.state.value, locale))
    return f"- [{mark}] {told}{note}"


def _fault(fault: Fault, report: BlueprintReport, locale: str) -> str:
    order = f" → {fault.order}" if fault.order else ""
    state = ""
    if report.verdict is None:
        state = word("aside", locale, n=word("to_mend" if fault.label in report.given else "unmended", locale))
    quoted = f" {word('quoted', locale, n=fault.evidence)}" if fault.evidence else ""
    severity = word(f"severity_{fault.severity}", locale)
    return f"- **{fault.label or word('unnamed', locale)}** [{severity}] {fault.fault}{quoted}{order}{state}"
