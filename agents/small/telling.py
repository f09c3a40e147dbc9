"""Writing prose by continuation: what a piece goes on from, how pieces are joined, when a unit is complete.

And the figures that choose between two tellings of a unit: a model of this size cannot judge its own.
"""

import re
from collections import Counter

from bookwright.agents.quality import repetition
from bookwright.models.text.language import Language
from bookwright.models.text.length import is_off
from bookwright.models.text.prose import cut_to, paragraphs, sentences
from bookwright.storage.index.ranking import terms

PIECES = 3
"""Pieces that a unit of 300 words takes."""

PIECE_TOKENS = 160
"""Longer pieces lose the thread; shorter ones cost calls. Source: local-models-chroma.md section E."""

_CARRIED = {Language.EN: 70, Language.ZH: 120, Language.JA: 140, Language.KO: 120}
_END = re.compile(r"""[.!?…。！？]["'”’」』）)]*(?=\s|$|[^\sA-Za-z0-9.,])""")
_ENOUGH = 0.95


def carried(text: str, language: Language) -> str:
    """Return the last sentences of a text, as much of them as the next piece goes on from."""
    kept: list[str] = []
    room = _CARRIED[language]
    for part in reversed(paragraphs(text)):
        fitting: list[str] = []
        for sentence in reversed(sentences(part)):
            room -= language.measure(sentence)
            if room < 0 and (fitting or kept):
                break
            fitting.insert(0, sentence)
        if fitting:
            kept.insert(0, (" " if language.is_spaced else "").join(fitting))
        if room < 0:
            break
    return "\n\n".join(kept)


def prefill_for(before: str, opening: str, so_far: str, language: Language) -> str:
    """Return the words that the next piece goes on from.

    `before` is the end of the text before this unit, `opening` what the unit opens with, `so_far` the unit's text with
    its opening, or nothing. A long text is cut to its end: a weak model copies whatever it sees much of.
    """
    text = so_far or opening
    if language.measure(text) <= 2 * _CARRIED[language]:
        return "\n\n".join(part for part in (before, text) if part)
    return carried(text, language)


def joined(text: str, piece: str) -> str:
    """Put a piece after the text it goes on from; it may begin in mid-sentence."""
    piece = piece if piece.startswith(("\n", " ")) else piece.strip()
    if not text or not piece or piece[0] in " ,.;:!?'’\n" or not (piece[0].isascii() and text[-1].isascii()):
        return text + piece
    return f"{text} {piece}"


def trimmed(text: str) -> str:
    """Cut a text after its last whole sentence; empty if it holds none."""
    ends = list(_END.finditer(text))
    return text[: ends[-1].end()].strip() if ends else ""


def is_enough(text: str, target: int, language: Language) -> bool:
    """True when a unit needs no further piece; what is too much is cut afterwards."""
    return language.measure(text) >= _ENOUGH * target


def ended(text: str, closing: str, target: int, language: Language) -> str:
    """Cut a text to its target with the story's last sentence at its end, as a paragraph of its own."""
    room = target - language.measure(closing)
    kept = cut_to(trimmed(text), max(room, 1), language)
    return "\n\n".join(part for part in (kept, closing) if part)


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
    length = language.measure(text)
    hundreds = max(length / 100, 0.01)
    wanted = set(things) | {term for name in names for term in terms(name)}
    words = terms(text)
    strange = Counter(word for word in words if word not in wanted and len(word) > 3)
    narration = _SPEECH.sub("", text)
    parts = {
        "repetition": _falling(repetition(text, language), 0.2),
        "length": _falling(abs(length - target) / max(target, 1), 0.5),
        "closeness": min(sum(word in wanted for word in words) / hundreds / _CLOSE, 1.0),
        "steadiness": _falling(max(strange.values(), default=0) / hundreds, _TAKEN_OVER),
        "openings": _distinct_openings(text, language),
        "plainness": _falling(len(_META.findall(text)) / hundreds, 1.0),
        "person": _falling(len(_FIRST_PERSON.findall(narration)) / hundreds, 4.0),
    }
    return sum(_WEIGHTS[name] * value for name, value in parts.items()) / sum(_WEIGHTS.values())


def better_of(
    draft: str, refined: str, target: int, names: tuple[str, ...], language: Language, things: tuple[str, ...] = ()
) -> str:
    """Return the refined telling if its length is within tolerance and its score higher, else the draft."""
    if is_off(target, language.measure(refined)):
        return draft
    scores = [prose_score(text, names, things, target, language) for text in (draft, refined)]
    return refined if scores[1] > scores[0] else draft


def _falling(value: float, nothing_at: float) -> float:
    """1 at zero, 0 from `nothing_at` on."""
    return max(0.0, 1.0 - value / nothing_at)


def _distinct_openings(text: str, language: Language) -> float:
    """Share of sentences that begin unlike any other, by two words or two characters."""
    parts = [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]
    openings = [" ".join(part.lower().split()[:2]) if language.is_spaced else part[:2] for part in parts]
    return len(set(openings)) / len(openings) if openings else 0.0
