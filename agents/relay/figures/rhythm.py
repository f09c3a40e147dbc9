"""How long sentences and paragraphs run, and where they run alike."""

import re
from collections.abc import Sequence
from statistics import fmean, pstdev

from bookwright.agents.relay.figures.dialogue import narration
from bookwright.agents.relay.figures.text import all_sentences, paragraphs_of, sentences_of
from bookwright.models.text.figures import Rhythm
from bookwright.models.text.language import Language

_RUN = 4
_ENDING = {Language.JA: 2, Language.KO: 2}
"""Characters that make an ending."""
_LEAST_STEP = {Language.EN: 1}
"""How far two short sentences may differ and still be as long; else 2 characters."""
_TAIL = re.compile(r"[\W_]+$")


def rhythm_of(text: str, language: Language) -> Rhythm:
    """Measure the sentences and paragraphs of a text."""
    parts = paragraphs_of(text)
    lengths = [language.measure(sentence) for part in parts for sentence in sentences_of(part, language)]
    sizes = [language.measure(part) for part in parts]
    runs = equal_runs(lengths, _LEAST_STEP.get(language, 2))
    return Rhythm(
        sentences=len(lengths), mean=_mean(lengths), spread=_spread(lengths), longest=max(lengths, default=0),
        equal_runs=len(runs), longest_equal_run=max(runs, default=0), same_ending_run=_same_endings(text, language),
        paragraphs=len(sizes), paragraph_mean=_mean(sizes), paragraph_spread=_spread(sizes),
    )  # fmt: skip


def equal_runs(lengths: Sequence[int], least_step: int = 1) -> list[int]:
    """Return how long each run is in which four lengths or more equal the first within a tenth, or the least step."""
    runs: list[int] = []
    start = 0
    for place in range(1, len(lengths) + 1):
        step = max(least_step, lengths[start] // 10)
        if place == len(lengths) or abs(lengths[place] - lengths[start]) > step:
            if place - start >= _RUN:
                runs.append(place - start)
            start = place
    return runs


def _same_endings(text: str, language: Language) -> int:
    """Count the longest row of telling sentences that end alike."""
    if language not in _ENDING:
        return 0
    told = all_sentences(narration(text, language), language)
    endings = [_TAIL.sub("", sentence)[-_ENDING[language] :] for sentence in told]
    longest = current = 0
    for place, ending in enumerate(endings):
        current = current + 1 if place and ending == endings[place - 1] else 1
        longest = max(longest, current)
    return longest


def _mean(values: list[int]) -> float:
    return round(fmean(values), 2) if values else 0.0


def _spread(values: list[int]) -> float:
    return round(pstdev(values), 2) if values else 0.0
