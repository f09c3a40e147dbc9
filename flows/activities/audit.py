"""Judging a chapter once it is accepted: seven scores from a model, figures from code; `fine` judges what was repaired.

What the judge found goes to the editor who orders repairs (`reading`). Source: DESIGN section 10, item 5; S2-050 to
S2-056.
"""

from bookwright.agents.relay.figures.measure import Measurer
from bookwright.agents.relay.figures.stock import stock_list
from bookwright.agents.steps.activity_run import ActivityRun
from bookwright.agents.workflows import QUALITY
from bookwright.flows.activities.leaving import keeping
from bookwright.flows.activities.surroundings import prose_of, prose_parts, unit_card
from bookwright.flows.deps import Deps
from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.errors import NoResult, RequestRejected
from bookwright.models.step import Activity
from bookwright.models.story.quality import QualityIssue, QualityJudgement, QualityReport
from bookwright.models.text.figures import Figures
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Move

SECOND_ROUND = "quality.2"
_GRAVITY = ("critical", "warning", "info")


def audit(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """Have a chapter judged, and return what an editor is to weigh, the gravest first.

    What is merely noted counts where the whole fell below the threshold. Where no answer can be used the chapter
    stands without scores: the attempts are on record.
    """
    judgement = _judged(unit, QUALITY.name, deps)
    return () if judgement is None else _findings(judgement, deps)


def audit_again(unit: TaskNode, deps: Deps) -> tuple[str, ...]:
    """Have a chapter judged anew once it was put right; return what an editor is to weigh if it still falls short.

    Its scores stand from then on. Nothing is asked of a text that nobody has changed.
    """
    if not _is_repaired(unit, deps):
        return ()
    judgement = _judged(unit, SECOND_ROUND, deps)
    return () if judgement is None or not _falls_short(judgement, deps) else _findings(judgement, deps)


def _is_repaired(unit: TaskNode, deps: Deps) -> bool:
    parts = [part.key for part, _ in prose_parts(unit, deps)]
    with deps.stores() as stores:
        return any(
            prose.origin is DocumentOrigin.REPAIR for prose in stores.documents.of_nodes(parts, DocumentKind.PROSE)
        )


def _judged(unit: TaskNode, step: str, deps: Deps) -> QualityJudgement | None:
    """Ask for a judgement and keep it with the figures; None where no answer can be used."""
    text = prose_of(unit, deps)
    run = ActivityRun(
        deps.desk, Activity.REVIEW, unit, unit, unit_card(unit, deps), context=QUALITY.context, next_activity="close"
    )
    run.lead_with("text", text)
    if run.failures(step) > deps.desk.settings.max_repairs:
        return None
    is_revised = step == SECOND_ROUND
    try:
        found = run.run(
            QUALITY, lambda judged: report_move(unit, text, judged, deps, is_revised=is_revised), step=step
        ).value  # fmt: skip
    except (NoResult, RequestRejected):
        return None
    assert isinstance(found, QualityJudgement)
    return found


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
    said = {} if judgement is None else judgement.model_dump()
    report = QualityReport(unit=unit.label, figures=_figures(unit, text, deps), is_revised=is_revised, **said)
    said_of_it = report.assessment or unit.label
    return keeping(
        NewDocument(node=unit.key, kind=DocumentKind.QUALITY, text=said_of_it, data=report.model_dump_json())
    )


def _figures(unit: TaskNode, text: str, deps: Deps) -> Figures:
    language = deps.brief.language
    with deps.stores() as stores:
        names = [name for entry in stores.codex.entries() for name in entry.names]
    phrases = stock_list(language, deps.desk.settings.home)
    return Measurer(language, phrases, names).measure(text, unit.length)


def _line(issue: QualityIssue) -> str:
    place = f"“{issue.location}”: " if issue.location else ""
    return f"{place}{issue.description}" + (f" → {issue.suggestion}" if issue.suggestion else "")
