"""Scores, and the bands they lie in."""

import pytest
from pydantic import ValidationError

from bookwright.models.story.quality import ScoreBand, Scores

SEVEN = ("coherence", "pacing", "prose", "character_score", "style", "reader_excitement", "emotional_resonance")


@pytest.mark.parametrize(
    ("score", "band"),
    [
        (1.0, ScoreBand.EXCELLENT),
        (0.85, ScoreBand.EXCELLENT),
        (0.849, ScoreBand.GOOD),
        (0.70, ScoreBand.GOOD),
        (0.699, ScoreBand.ACCEPTABLE),
        (0.50, ScoreBand.ACCEPTABLE),
        (0.499, ScoreBand.NEEDS_IMPROVEMENT),
        (0.0, ScoreBand.NEEDS_IMPROVEMENT),
    ],
)
def test_a_band_holds_its_lower_bound(score: float, band: ScoreBand) -> None:
    assert ScoreBand.of(score) is band


def test_the_dimensions_are_the_seven_and_the_band_is_of_the_whole() -> None:
    scores = Scores(**dict.fromkeys(SEVEN, 0.6), overall=0.9)

    assert tuple(scores.dimensions) == SEVEN


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_score_lies_between_0_and_1(wrong: float) -> None:
    with pytest.raises(ValidationError):
        Scores(**dict.fromkeys(SEVEN, 0.5), overall=wrong)
