"""Judging an accepted chapter: seven scores from a model, figures from code; `fine` judges what was repaired, too.

Source: DESIGN section 10, item 5; S2-050 to S2-056.
"""

from bookwright.agents.relay.figures.measure import Measurer
from bookwright.agents.relay.figures.stock import stock_list
from bookwright.agents.workflows import QUALITY
from bookwright.flows.activities.moves import keep_document
from bookwright.flows.activities.optional_steps import try_step
from bookwright.flows.activities.unit_facts import begin_activity, prose_of, prose_parts
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.step import Activity
from bookwright.models.story.quality import QualityIssue, QualityJudgement, QualityReport
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move

SECOND_ROUND = "quality.2"
_GRAVITY = ("critical", "warning", "info")


def audit(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """Have a chapter judged, and return what an editor is to weigh, the gravest first; nothing where no answer serves.

    What is merely noted counts where the whole fell below the threshold.
    """
    judgement = _judged(unit, QUALITY.name, deps)
    return _findings(judgement, deps) if judgement else ()


def audit_again(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """Have a repaired chapter judged anew, for good; return what an editor is to weigh if it still falls short."""
    parts = [part.key for part, _ in prose_parts(unit, deps)]
    with deps.stores() as stores:
        texts = stores.documents.of_nodes(parts, DocumentKind.PROSE)
    is_repaired = any(prose.origin is DocumentOrigin.REPAIR for prose in texts)
    judgement = _judged(unit, SECOND_ROUND, deps) if is_repaired else None
    return _findings(judgement, deps) if judgement and _falls_short(judgement, deps) else ()


def _judged(unit: TaskNode, step: str, deps: Deps) -> QualityJudgement | None:
    """Ask for a judgement and keep it with the figures; None where no answer can be used."""
    text = prose_of(unit, deps)
    run = begin_activity(Activity.REVIEW, unit, deps, QUALITY.context, next_activity="close")
    run.lead_with("text", text)
    is_revised = step == SECOND_ROUND
    outcome = try_step(
        run, QUALITY, lambda judged: report_move(unit, text, judged, deps, is_revised=is_revised), step=step
    )
    return outcome.value if outcome else None


def _falls_short(judgement: QualityJudgement, deps: Deps) -> bool:
    return judgement.scores.overall < deps.desk.settings.quality_threshold


def _findings(judgement: QualityJudgement, deps: Deps) -> tuple[str, ...]:
    falls_short = _falls_short(judgement, deps)
    gravest = sorted(judgement.issues, key=lambda issue: _GRAVITY.index(issue.severity))
    return tuple(_line(issue) for issue in gravest if falls_short or issue.severity != "info")


def report_move(
    unit: TaskNode, text: str, judgement: QualityJudgement | None, deps: Deps, *, is_revised: bool = False
) -> Move:
    """The move that keeps what is known of a chapter's quality; figures alone where nobody has judged it."""
    language = deps.brief.language
    with deps.stores() as stores:
        names = [name for entry in stores.codex.entries() for name in entry.names]
    figures = Measurer(language, stock_list(language, deps.desk.settings.home), names).measure(text, unit.length)
    said = judgement.model_dump() if judgement else {}
    report = QualityReport(unit=unit.label, figures=figures, is_revised=is_revised, **said)
    return keep_document(unit, DocumentKind.QUALITY, report.assessment or unit.label, data=report.model_dump_json())


def _line(issue: QualityIssue) -> str:
    place = f"“{issue.location}”: " if issue.location else ""
    return f"{place}{issue.description}" + (f" → {issue.suggestion}" if issue.suggestion else "")
