"""Judging a chapter once it is accepted: seven scores from a model, figures from code, one revision at most.

Source: DESIGN section 10, item 5; S2-050 to S2-056.
"""

from dataclasses import replace

from bookwright.agents.desk import ActivityRun
from bookwright.agents.relay.figures.measure import Measurer
from bookwright.agents.relay.figures.stock import stock_list
from bookwright.agents.relay.reviewing import is_rejected, review_by_code
from bookwright.agents.workflows import IMPROVE, QUALITY
from bookwright.flows.activities.acceptance import both, exchange
from bookwright.flows.activities.brief import guard_of
from bookwright.flows.activities.surroundings import is_off_length, kept_in, prose_of, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.figures import Figures
from bookwright.models.length import LengthRecord
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
    text = prose_of(unit, deps)
    run = _judge(unit, text, 0, deps)
    if run.failures(QUALITY.name) > deps.desk.settings.max_repairs:
        return

    def concluded(judgement: QualityJudgement) -> Move | None:
        return None if _wants_revision(judgement, unit, deps) else report_move(unit, text, judgement, deps)

    try:
        judgement = run.run(QUALITY, concluded).value
    except (NoResult, RequestRejected):
        return
    if _wants_revision(judgement, unit, deps) and not _is_improved(unit, text, judgement, deps):
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
    run = deps.desk.begin(
        Activity.REVIEW, unit, unit, unit_card(unit, deps), context=QUALITY.context, round_=round_,
        next_activity="close",
    )  # fmt: skip
    run.add("text", text)
    return run


def _figures(unit: TaskNode, text: str, deps: Deps) -> Figures:
    language = deps.brief.language
    with deps.stores() as stores:
        names = [name for entry in stores.codex.entries() for name in entry.names]
    phrases = stock_list(language, deps.desk.settings.home)
    return Measurer(language, phrases, names).measure(text, unit.length)


def _wants_revision(judgement: QualityJudgement, unit: TaskNode, deps: Deps) -> bool:
    """True below the threshold, for a chapter that was written in one piece and has something to put right."""
    if judgement.scores.overall >= deps.desk.settings.quality_threshold or not judgement.issues:
        return False
    with deps.stores() as stores:
        return stores.documents.current(unit.key, DocumentKind.PROSE, with_text=False) is not None


def _is_improved(unit: TaskNode, text: str, judgement: QualityJudgement, deps: Deps) -> bool:
    """Revise a chapter for its gravest issues and judge it again; True if one of the two reports was kept."""
    revised = _revised(unit, text, judgement, deps)
    if revised is None:
        return False
    run = _judge(unit, revised, 1, deps)

    def concluded(again: QualityJudgement) -> Move:
        if again.scores.overall < judgement.scores.overall:
            return report_move(unit, text, judgement, deps)
        return both(exchange(revised, unit, deps), report_move(unit, revised, again, deps, is_revised=True))

    try:
        run.run(QUALITY, concluded)
    except (NoResult, RequestRejected):
        return False
    return True


def _revised(unit: TaskNode, text: str, judgement: QualityJudgement, deps: Deps) -> str | None:
    """The chapter revised for its issues; None where that gives something away or is off its length."""
    with deps.stores() as stores:
        asked = LengthRecord(ratio=stores.books.length_ratio(unit.book)).to_ask(unit.length or 1)
    card = replace(unit_card(unit, deps), ask_length=asked, spots=_orders(judgement))
    run = deps.desk.begin(
        Activity.WRITE, unit, unit, card, context="write_plan", round_=1, next_activity="close",
        guard=guard_of(unit, deps),
    )  # fmt: skip
    run.add("text", text)
    try:
        answer = str(run.run(IMPROVE, next_step=QUALITY.name).value)
    except (NoResult, RequestRejected):
        return None
    issues = review_by_code(answer, kept_in(unit, deps), deps.brief.language, deps.embedder)
    if is_rejected(issues) or is_off_length(answer, unit, card.is_last, deps):
        return None
    return answer


def _orders(judgement: QualityJudgement) -> tuple[str, ...]:
    gravest = sorted(judgement.issues, key=lambda issue: _GRAVITY.index(issue.severity))
    return tuple(map(_order, gravest[:_MOST_ORDERS]))


def _order(issue: QualityIssue) -> str:
    place = f"“{issue.location}”: " if issue.location else ""
    return f"{place}{issue.description}" + (f" → {issue.suggestion}" if issue.suggestion else "")
