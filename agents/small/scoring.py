"""Figures that choose between two tellings of a unit: a model of this size cannot judge its own."""

import re
from collections import Counter

from bookwright.agents.quality import repetition
from bookwright.models.text.language import Language
from bookwright.models.text.length import is_off
from bookwright.models.text.prose import paragraphs, sentences
from bookwright.storage.index.ranking import terms

_META = re.compile(
    r"\b(?:story|stories|narrative|chapter|scene|reader|readers|character|characters|plot|author|writer|essay|prompt"
    r"|draft|paragraph|sentence|testament|in conclusion|let me|here is|here are|as an ai)\b"
    r"|故事|本章|读者|章节|作者|物語の|読者|이야기|독자",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|me|my|mine|we|us|our|you|your)\b|我|僕|私|나는|저는")
_SPEECH = re.compile(r'"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』')

_WEIGHTS = {
    "repetition": 3.0, "length": 2.0, "closeness": 2.0, "steadiness": 2.0, "openings": 1.5, "plainness": 2.0,
    "person": 1.0,
}  # fmt: skip
_CLOSE = 10.0
"""Words of the premise per 100 that count as staying with it; more is no better."""

_TAKEN_OVER = 6.0
"""Times per 100 words at which a word that the premise does not have has taken the story over."""


def prose_score(text: str, names: tuple[str, ...], things: tuple[str, ...], target: int, language: Language) -> float:
    """Score a telling from 0 to 1: not repeating, long enough, near its premise, narrated.

    `names` and `things` are the premise's, see `names_in` and `things_in`.
    """
    parts = _parts(text, names, things, target, language)
    return sum(_WEIGHTS[name] * value for name, value in parts.items()) / sum(_WEIGHTS.values())


def better_of(
    draft: str, refined: str, target: int, names: tuple[str, ...], language: Language, things: tuple[str, ...] = ()
) -> str:
    """Return the refined telling if its length is within tolerance and its score higher, else the draft."""
    if is_off(target, language.measure(refined)):
        return draft
    scores = [prose_score(text, names, things, target, language) for text in (draft, refined)]
    return refined if scores[1] > scores[0] else draft


def _parts(
    text: str, names: tuple[str, ...], things: tuple[str, ...], target: int, language: Language
) -> dict[str, float]:
    length = language.measure(text)
    hundreds = max(length / 100, 0.01)
    wanted = set(things) | {term for name in names for term in terms(name)}
    words = terms(text)
    strange = Counter(word for word in words if word not in wanted and len(word) > 3)
    narration = _SPEECH.sub("", text)
    return {
        "repetition": _falling(repetition(text, language), 0.2),
        "length": _falling(abs(length - target) / max(target, 1), 0.5),
        "closeness": min(sum(word in wanted for word in words) / hundreds / _CLOSE, 1.0),
        "steadiness": _falling(max(strange.values(), default=0) / hundreds, _TAKEN_OVER),
        "openings": _distinct_openings(text, language),
        "plainness": _falling(len(_META.findall(text)) / hundreds, 1.0),
        "person": _falling(len(_FIRST_PERSON.findall(narration)) / hundreds, 4.0),
    }


def _falling(value: float, nothing_at: float) -> float:
    """1 at zero, 0 from `nothing_at` on."""
    return max(0.0, 1.0 - value / nothing_at)


def _distinct_openings(text: str, language: Language) -> float:
    """Share of sentences that begin unlike any other, by two words or two characters."""
    parts = [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]
    openings = [" ".join(part.lower().split()[:2]) if language.is_spaced else part[:2] for part in parts]
    return len(set(openings)) / len(openings) if openings else 0.0
