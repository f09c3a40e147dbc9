"""Finds sentences that tell a secret in its own words."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from bookwright.agents.relay.leaks.letters import plain_letters
from bookwright.agents.relay.leaks.sharing import names_of, without_names
from bookwright.agents.relay.leaks.units import Run, Sentence, runs_of, spared
from bookwright.models.codex.entries import Importance, Secret
from bookwright.models.text.lazy_pattern import lazy_pattern

THRESHOLDS = {Importance.CRITICAL: 0.55, Importance.HIGH: 0.60, Importance.MEDIUM: 0.70, Importance.LOW: 0.75}
"""Similarity above which it is a leak. Source: DETAILS "Leak checks and thresholds"."""

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = lazy_pattern(rf"[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*|[々〻ー]|(?!_)[{_CJK}]")


@dataclass(frozen=True)
class Alike:
    """A run of sentences that is like a secret, and how much, 0 to 1."""

    run: Run
    score: float


@lru_cache(maxsize=4_096)
def tokens(text: str) -> tuple[str, ...]:
    """Cut a text into spelt words, kana, han characters and Korean syllables, all in plain form."""
    found = _TOKEN.findall(unicodedata.normalize("NFKC", text))
    plain = (plain_letters(token) if len(token) == 1 else token.casefold() for token in found)
    return tuple(token for token in plain if token)


def wording_score(secret: Sequence[str], told: Sequence[str]) -> float:
    """Tell how far a text has the secret's words in its order, 0 to 1.

    The part of the text that is as long as the secret and fits it best is compared, by edits that
    insert or delete a word; a text shorter than the secret is compared whole. Words and not letters
    are counted, because two English sentences of one length share half of their letters.
    """
    if not secret or not told:
        return 0.0
    measure = fuzz.partial_ratio if len(told) >= len(secret) else fuzz.ratio
    return measure(secret, told) / 100


def find_alike(sentences: Sequence[Sentence], secret: Secret) -> list[Alike]:
    """Return the runs of sentences above the secret's threshold, the best of those that overlap.

    They are above it with the names and without: a name stands in harmless sentences, too.
    """
    texts, least = spared(sentences, secret.allowed_expressions), THRESHOLDS[secret.importance]
    found = _above(least, tokens(secret.content), [tokens(text) for text in texts], runs_of(len(texts)))
    names = names_of([secret])
    words = tokens(without_names(secret.content, names, " "))
    if found and words:
        told = [tokens(without_names(text, names, " ")) for text in texts]
        found = _above(least, words, told, [alike.run for alike in found])
    return best_apart(found)


def _above(least: float, words: Sequence[str], told: Sequence[Sequence[str]], runs: Iterable[Run]) -> list[Alike]:
    held = [set(each) for each in told]
    near = (run for run in runs if _may_reach(set(words), held, run, least))
    scored = [Alike(run, wording_score(words, _joined(told, run))) for run in near]
    return [each for each in scored if each.score > least]


def best_apart(found: Sequence[Alike]) -> list[Alike]:
    """Keep the best of the runs that overlap, the shorter where two are as good; in reading order."""
    kept: list[Alike] = []
    for each in sorted(found, key=lambda alike: (-alike.score, alike.run.count)):
        if not any(each.run.overlaps(other.run) for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda alike: alike.run.first)


def _may_reach(words: set[str], held: Sequence[set[str]], run: Run, least: float) -> bool:
    """True if enough of the secret's words are there; comparing the rest would be in vain.

    With a similarity of r at least r / 2 of the secret's words are shared.
    """
    shared = words.intersection(*[set().union(*held[run.first : run.last + 1])])
    return bool(words) and len(shared) >= least / 2 * len(words)


def _joined(told: Sequence[Sequence[str]], run: Run) -> list[str]:
    return [word for words in told[run.first : run.last + 1] for word in words]
