"""What is said about the quality of a unit: scores with their bands, issues, and the figures beside them."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bookwright.models.frozen import FrozenModel
from bookwright.models.text.figures import Figures

Score = Annotated[float, Field(ge=0, le=1)]
Said = Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)]


class ScoreBand(StrEnum):
    """What a score amounts to. Source: DETAILS 002, "Quality"."""

    EXCELLENT = "excellent"
    GOOD = "good"
    ACCEPTABLE = "acceptable"
    NEEDS_IMPROVEMENT = "needs_improvement"

    @classmethod
    def of(cls, score: float) -> "ScoreBand":
        """Return the band that a score from 0 to 1 lies in; a band holds its lower bound."""
        return next(band for band, least in LEAST.items() if score >= least)

    @property
    def words(self) -> str:
        """The band as people read it."""
        return self.value.replace("_", " ")


LEAST = {
    ScoreBand.EXCELLENT: 0.85,
    ScoreBand.GOOD: 0.70,
    ScoreBand.ACCEPTABLE: 0.50,
    ScoreBand.NEEDS_IMPROVEMENT: float("-inf"),
}
"""The lower bound of each band, the best first."""


class Scores(FrozenModel):
    """The seven dimensions and the whole, 0 to 1 each, as a model judged them. Source: S2-051."""

    coherence: Score
    pacing: Score
    prose: Score
    character_score: Score
    style: Score
    reader_excitement: Score
    emotional_resonance: Score
    overall: Score

    @property
    def dimensions(self) -> dict[str, float]:
        """The seven without the whole."""
        return self.model_dump(exclude={"overall"})


class QualityIssue(FrozenModel):
    """Something that could be better, and where. Source: S2-053."""

    category: Said
    severity: Literal["critical", "warning", "info"]
    location: Said = ""
    description: Said
    suggestion: Said = ""


class Recommendation(FrozenModel):
    """What to do about it."""

    priority: Literal["high", "medium", "low"]
    action: Said


class QualityJudgement(FrozenModel):
    """The answer of whoever judges a unit: what was found first, the numbers after it. Source: CRAFT, "Quality"."""

    issues: Annotated[tuple[QualityIssue, ...], Field(max_length=12)] = ()
    scores: Scores
    assessment: Said = ""
    recommendations: Annotated[tuple[Recommendation, ...], Field(max_length=8)] = ()


class QualityReport(FrozenModel):
    """What is known of one unit's quality; the scores are missing until somebody has judged it."""

    unit: str
    """Its label."""
    figures: Figures | None = None
    scores: Scores | None = None
    assessment: Said = ""
    issues: tuple[QualityIssue, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    is_revised: bool = False
    """The text was revised once for its first scores; these are of the revised one."""
