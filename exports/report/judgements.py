"""What was judged of chapters, in words: scores, what would lift them, checks, and what reviews left on record."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.codex.leak import LeakReport
from bookwright.models.document import DocumentKind, DocumentOrigin
from bookwright.models.story.quality import QualityIssue, QualityReport, ScoreBand, Scores
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores

SCORE_NAMES = {
    "coherence": "coherence", "pacing": "pacing", "prose": "prose", "character_score": "characters", "style": "style",
    "reader_excitement": "excitement", "emotional_resonance": "resonance",
}  # fmt: skip
"""The seven dimensions, as they are called in tables and lines."""

_PRIORITIES = ("high", "medium", "low")
_GRAVITY = ("critical", "warning", "info")
_Kept = TypeVar("_Kept", bound=BaseModel)


@dataclass(frozen=True)
class JudgedChapter:
    """What is on record of a chapter's quality and of how it stands to the codex."""

    number: int
    """0 for a book in one piece."""
    quality: QualityReport | None
    consistency: ConsistencyReport | None
    is_repaired: bool = False
    """Its text was put right after it was judged, by orders that knew what the judgement asks for."""

    @property
    def is_scored(self) -> bool:
        """Whether a model gave it scores."""
        return self.quality is not None and self.quality.scores is not None

    @property
    def name(self) -> str:
        """`"chapter 3"`, or `"the book"`."""
        return f"chapter {self.number}" if self.number else "the book"


def judged_chapters(stores: Stores) -> list[JudgedChapter]:
    """Return what is on record of all chapters, in reading order."""
    chapters = stores.codex.reading_order().chapters
    units = ((number, stores.nodes.by_label(label)) for number, label in enumerate(chapters, 1))
    kept = (judged(stores, unit, number) for number, unit in (units if chapters else [(0, stores.nodes.root())]))
    return [own for own in kept if own.quality is not None or own.consistency is not None]


def judged(stores: Stores, unit: TaskNode, number: int = 0) -> JudgedChapter:
    """Return what is on record of one unit; what has a form that this version does not know counts as none."""
    judgement = stores.documents.current(unit.key, DocumentKind.QUALITY)
    quality = read_as(QualityReport, stores.documents.data_of(judgement))
    consistency = read_current(ConsistencyReport, DocumentKind.CONSISTENCY, stores, unit)
    is_repaired = judgement is not None and _is_repaired_after(judgement.id, stores, unit)
    return JudgedChapter(number, quality, consistency, is_repaired)


def _is_repaired_after(judgement: int, stores: Stores, unit: TaskNode) -> bool:
    texts = (prose for _, prose in stores.prose_below(unit, with_text=False))
    return any(prose.origin is DocumentOrigin.REPAIR and prose.id > judgement for prose in texts)


def mean_scores(judged_: Iterable[JudgedChapter]) -> dict[str, float]:
    """Return the mean of each score over the chapters that have some, the whole first; empty where none has."""
    qualities = (own.quality for own in judged_)
    scores = [named_scores(own.scores) for own in qualities if own is not None and own.scores is not None]
    return {name: round(fmean(own[name] for own in scores), 2) for name in (scores[0] if scores else ())}


def named_scores(scores: Scores) -> dict[str, float]:
    """Return all eight by the names that people read, the whole first."""
    return {"overall": scores.overall} | {SCORE_NAMES[name]: score for name, score in scores.dimensions.items()}


def score_line(scores: dict[str, float]) -> str:
    """Say all eight in one line."""
    others = ", ".join(f"{name} {score:.2f}" for name, score in scores.items() if name != "overall")
    return f"overall {scores['overall']:.2f} ({ScoreBand.of(scores['overall']).words}); {others}"


def check_counts(judged_: Iterable[JudgedChapter]) -> dict[str, int]:
    """Add up the checks against the record: passed, warnings and errors; empty where none came to a result."""
    results: list[str] = [result for own in judged_ if own.consistency for result in own.consistency.results.values()]
    counts = {name: results.count(name.removesuffix("s")) for name in ("passed", "warnings", "errors")}
    return counts if any(counts.values()) else {}


def counts_line(counts: dict[str, int]) -> str:
    """Say them in words, such as `"4 passed, 1 warning, 0 errors"`."""
    words = {"passed": ("passed", "passed"), "warnings": ("warning", "warnings"), "errors": ("error", "errors")}
    return ", ".join(f"{count} {words[name][count != 1]}" for name, count in counts.items())


def proposals(judged_: Sequence[JudgedChapter]) -> list[str]:
    """Return what the evaluator would have done, the most pressing first, and of those what scored lowest.

    Nothing of a chapter that was put right since: whoever gave the orders had it before them, and chose.
    """
    found = [
        (_PRIORITIES.index(one.priority), own.quality.scores.overall if own.quality.scores else 1.0, own, one)
        for own in judged_
        if own.quality is not None and not own.is_repaired
        for one in own.quality.recommendations
    ]
    ranked = sorted(found, key=lambda each: each[:2])
    return [f"{own.name}, {one.priority}: {one.action}" for _, _, own, one in ranked]


def review_lines(stores: Stores, unit: TaskNode) -> list[str]:
    """Return all that reviews have left on record of a unit: scores, proposals, checks, leaks and alerts."""
    own = judged(stores, unit)
    counts = check_counts([own])
    checks = [f"checks against the codex: {counts_line(counts)}"] if counts else []
    alerts = own.consistency.alerts if own.consistency else ()
    return [*_of_quality(own), *checks, *notes_of(stores, unit), *(f"alert: {detail}" for detail in alerts)]


def issue_line(issue: QualityIssue) -> str:
    """Say what could be better, where, and how."""
    place = f" (“{issue.location}”)" if issue.location else ""
    proposed = f" → {issue.suggestion}" if issue.suggestion else ""
    return f"{issue.severity}, {issue.category}: {issue.description}{place}{proposed}"


def _of_quality(own: JudgedChapter) -> Iterator[str]:
    quality = own.quality
    if quality is None:
        return
    if own.is_repaired:
        yield "put right after this judgement"
    if quality.scores is not None:
        again = ", judged again after it was put right" if quality.is_revised else ""
        yield f"scores: {score_line(named_scores(quality.scores))}{again}"
    if quality.assessment:
        yield f"assessment: {quality.assessment}"
    for one in sorted(quality.recommendations, key=lambda one: _PRIORITIES.index(one.priority)):
        yield f"proposal, {one.priority}: {one.action}"
    yield from map(issue_line, sorted(quality.issues, key=lambda issue: _GRAVITY.index(issue.severity)))


def notes_of(stores: Stores, unit: TaskNode) -> tuple[str, ...]:
    """Return a line for each thing that the reviews of a chapter and of its parts could not settle."""
    found = read_current(ConsistencyReport, DocumentKind.CONSISTENCY, stores, unit)
    return (*(_of_consistency(found) if found else ()), *_of_leaks(stores, unit))


def _of_consistency(report: ConsistencyReport) -> Iterator[str]:
    for item in report.details:
        yield f"{item.result}, {item.check}: “{item.text}” stands beside “{item.record}” in the codex"
    yield from report.refused
    yield from report.stray_lines


def _of_leaks(stores: Stores, unit: TaskNode) -> Iterator[str]:
    report = read_current(LeakReport, DocumentKind.LEAK_REVIEW, stores, unit)
    for sentence in report.cut if report is not None else ():
        yield f"{unit.label}: code took out what gave something away: “{' '.join(sentence.split())}”"
    if report is not None and report.decided_by and report.rounds and report.rounds[-1].result == "rejected":
        leaks = report.rounds[-1].leaks
        yield f"{unit.label} gives something away and was let pass ({report.decided_by}): " + "; ".join(
            leak.told for leak in leaks
        )
    for part in stores.nodes.children(unit.key, TaskType.WRITE):
        yield from _of_leaks(stores, part)


def read_current(form: type[_Kept], kind: DocumentKind, stores: Stores, unit: TaskNode) -> _Kept | None:
    """Read what a unit's newest document of a kind holds; None where there is none that this version knows."""
    return read_as(form, stores.documents.data_of(stores.documents.current(unit.key, kind)))


def read_as(form: type[_Kept], data: str) -> _Kept | None:
    """Read what a document holds; None where there is nothing, or nothing that this version knows."""
    try:
        return form.model_validate_json(data) if data else None
    except ValidationError:
        return None
