"""Judging a chapter once it is accepted: seven scores from a model, figures from code, one revision at most.

Source: DESIGN section 10, item 5; S2-050 to S2-056.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from bookwright.agents.activity_run import ActivityRun
from bookwright.agents.relay.figures.measure import Measurer
from bookwright.agents.relay.figures.stock import stock_list
from bookwright.agents.relay.reviewing import is_rejected, review_by_code, span_of
from bookwright.agents.workflows import IMPROVE, QUALITY
from bookwright.flows.activities.acceptance import both, exchange
from bookwright.flows.activities.brief import guard_of
from bookwright.flows.activities.surroundings import is_off_length, kept_in, measured, prose_of, prose_parts, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.figures import Figures
from bookwright.models.quality import QualityIssue, QualityJudgement, QualityReport
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.storage.journal import Move
from bookwright.storage.stores import Stores

_MOST_ORDERS = 5
_GRAVITY = ("critical", "warning", "info")


def audit(unit: TaskNode, deps: Deps) -> None:
    """Have a chapter judged; one that falls short of the threshold is revised once, and kept if that is better.

    Where no answer can be used the chapter stands without scores: the attempts are on record.
    """
    if deps.desk.is_done(Activity.REVIEW, unit, QUALITY.name, 1):
        return  # its text is another since, and no place of the first judgement need stand there
    text = prose_of(unit, deps)
    run = _judge(unit, text, 0, deps)
    if run.failures(QUALITY.name) > deps.desk.settings.max_repairs:
        return

    def concluded(judgement: QualityJudgement) -> Move | None:
        return None if _target(judgement, unit, deps) else report_move(unit, text, judgement, deps)

    try:
        judgement = run.run(QUALITY, concluded).value
    except (NoResult, RequestRejected):
        return
    target = _target(judgement, unit, deps)
    if target is not None and not _is_improved(unit, target, judgement, deps):
        run.make_late(QUALITY.name, report_move(unit, text, judgement, deps))


def report_move(
    unit: TaskNode, text: str, judgement: QualityJudgement | None, deps: Deps, *, is_revised: bool = False
) -> Move:
    """The move that keeps what is known of a chapter's quality; figures alone where nobody has judged it."""
    said = {} if judgement is None else judgement.model_dump()
    report = QualityReport(unit=unit.label, figures=_figures(unit, text, deps), is_revised=is_revised, **said)
    new = NewDocument(
        node=unit.key, kind=DocumentKind.QUALITY, text=report.assessment or unit.label, data=report.model_dump_json()
    )

    def move(stores: Stores, step: int) -> None:
        stores.documents.add(new, step or None)

    return move


def _judge(unit: TaskNode, text: str, round_: int, deps: Deps) -> ActivityRun:
    run = ActivityRun(
        deps.desk, Activity.REVIEW, unit, unit, unit_card(unit, deps), context=QUALITY.context, round_=round_,
        next_activity="close",
    )  # fmt: skip
    run.lead_with("text", text)
    return run


def _figures(unit: TaskNode, text: str, deps: Deps) -> Figures:
    language = deps.brief.language
    with deps.stores() as stores:
        names = [name for entry in stores.codex.entries() for name in entry.names]
    phrases = stock_list(language, deps.desk.settings.home)
    return Measurer(language, phrases, names).measure(text, unit.length)


@dataclass(frozen=True)
class _Target:
    """What is to be revised: a chapter in one piece, or the part of it that most is wrong with."""

    unit: TaskNode
    text: str
    issues: tuple[QualityIssue, ...]


def _target(judgement: QualityJudgement, unit: TaskNode, deps: Deps) -> _Target | None:
    """Return what a judgement below the threshold asks to revise; None where it names no place in any part.

    What an author has written by hand is judged and left as it is.
    """
    if judgement.scores.overall >= deps.desk.settings.quality_threshold or not judgement.issues:
        return None
    parts = [(part, text) for part, text in prose_parts(unit, deps) if not _is_by_hand(part, deps)]
    if len(parts) == 1 and parts[0][0].key == unit.key:
        return _Target(*parts[0], judgement.issues)
    located = [_Target(part, text, _within(text, judgement.issues)) for part, text in parts]
    worst = max(located, key=lambda target: _weight(target.issues), default=None)
    return worst if worst is not None and worst.issues else None


def _is_by_hand(part: TaskNode, deps: Deps) -> bool:
    with deps.stores() as stores:
        prose = stores.documents.current(part.key, DocumentKind.PROSE, with_text=False)
    return prose is not None and prose.origin.is_by_hand


def _within(text: str, issues: Iterable[QualityIssue]) -> tuple[QualityIssue, ...]:
    return tuple(issue for issue in issues if issue.location and span_of(text, issue.location) is not None)


def _weight(issues: Iterable[QualityIssue]) -> tuple[int, ...]:
    """How many issues there are of each gravity, the gravest first."""
    grades = Counter(str(issue.severity) for issue in issues)
    return tuple(grades[grade] for grade in _GRAVITY)


def _is_improved(unit: TaskNode, target: _Target, judgement: QualityJudgement, deps: Deps) -> bool:
    """Revise a chapter for its gravest issues and judge it again; True if one of the two reports was kept."""
    revised = _revised(target, deps)
    if revised is None:
        return False
    parts = prose_parts(unit, deps)
    before = "\n\n".join(text for _, text in parts)
    after = "\n\n".join(revised if part.key == target.unit.key else text for part, text in parts)
    run = _judge(unit, after, 1, deps)

    def concluded(again: QualityJudgement) -> Move:
        if again.scores.overall < judgement.scores.overall:
            return report_move(unit, before, judgement, deps)
        kept = report_move(unit, after, again, deps, is_revised=True)
        return both(_exchanged(revised, target.unit, unit, deps), kept)

    try:
        run.run(QUALITY, concluded)
    except (NoResult, RequestRejected):
        return False
    return True


def _exchanged(text: str, part: TaskNode, unit: TaskNode, deps: Deps) -> Move:
    """Put a text in the place of a part's prose; what is closed already is to be summed up anew."""
    above = () if part.key == unit.key else (part, *deps.storage.above(part))
    closed = list(takewhile(lambda node: node.key != unit.key, above))

    def reopened(stores: Stores, step: int) -> None:
        for node in closed:
            stores.nodes.change(node.key, revision=node.revision + 1)

    return both(exchange(text, part, deps), reopened)


def _revised(target: _Target, deps: Deps) -> str | None:
    """The text revised for its issues; None where that gives something away or is off its length."""
    unit = target.unit
    card = measured(replace(unit_card(unit, deps), spots=_orders(target.issues)), target.text, unit, deps)
    run = ActivityRun(
        deps.desk, Activity.WRITE, unit, unit, card, context="write_plan", round_=1, next_activity="close",
        guard=guard_of(unit, deps),
    )  # fmt: skip
    run.lead_with("text", target.text)
    try:
        answer = str(run.run(IMPROVE, next_step=QUALITY.name).value)
    except (NoResult, RequestRejected):
        return None
    issues = review_by_code(answer, kept_in(unit, deps), deps.brief.language, deps.embedder)
    if is_rejected(issues) or is_off_length(answer, unit, card.is_last, deps):
        return None
    return answer


def _orders(issues: Iterable[QualityIssue]) -> tuple[str, ...]:
    gravest = sorted(issues, key=lambda issue: _GRAVITY.index(issue.severity))
    return tuple(map(_order, gravest[:_MOST_ORDERS]))


def _order(issue: QualityIssue) -> str:
    place = f"“{issue.location}”: " if issue.location else ""
    return f"{place}{issue.description}" + (f" → {issue.suggestion}" if issue.suggestion else "")
