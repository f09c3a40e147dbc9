"""A style in figures, from a sample or from chapters that were accepted, and how far a text has moved from it."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from math import log
from statistics import fmean
from typing import Literal

from bookwright.agents.relay.figures.dialogue import dialogue_share, narration, speech_in
from bookwright.agents.relay.figures.rhythm import rhythm_of
from bookwright.agents.relay.figures.style_words import (
    MARKS,
    PAST,
    PERSONS,
    POLITE,
    PRESENT,
    content_words,
    small_word_counts,
)
from bookwright.agents.relay.figures.text import all_sentences, paragraphs_of, tokens_with_places
from bookwright.models.text.figures import Drift, StyleProfile
from bookwright.models.text.language import Language

_STRETCH = 400
"""Tokens over which different words are counted: a longer text has fewer for its length, whoever wrote it."""
_FREQUENT = 20
_QUOTE_PAIRS = ("“”", "「」", "『』", "«»", "‘’", '""', "''")
_LEAST = 6
_LEAST_PERSONS = {Language.EN: 6, Language.ZH: 6, Language.JA: 3, Language.KO: 3}
"""Pronouns to judge by; Japanese and Korean mostly leave them out."""

_CHANGED_PLACE = 0.15
"""Share of different words by which two styles are as far apart as can be."""


def profile_of(texts: Iterable[str], language: Language) -> StyleProfile:
    """Measure the style of a sample, or of chapters taken together."""
    text = unicodedata.normalize("NFC", "\n\n".join(texts))
    told = narration(text, language)
    rhythm = rhythm_of(text, language)
    length = language.measure(text)
    per_thousand = 1_000 / max(length, 1)
    return StyleProfile(
        language=language.value, length=length,
        sentence_mean=rhythm.mean, sentence_spread=rhythm.spread, paragraph_mean=rhythm.paragraph_mean,
        dialogue=round(dialogue_share(text, language), 3), variety=round(_variety(text, language), 3),
        frequent=tuple(word for word, _ in Counter(content_words(text, language)).most_common(_FREQUENT)),
        small_words={word: round(n * per_thousand, 2) for word, n in small_word_counts(text, language).items()},
        punctuation={name: round(len(mark.findall(text)) * per_thousand, 2) for name, mark in MARKS.items()},
        quotes=_quotes(text), person=_person(told, language), tense=_tense(told, language),
        politeness=_politeness(told, language), examples=_examples(text, language),
    )  # fmt: skip


def drift(text: StyleProfile, profile: StyleProfile) -> Drift:
    """Measure how far a text lies from a profile: 0 for the same habits, 1 for other ones, each part alone.

    Below some 2 000 words the figures of one hand scatter by up to 0.2.
    """
    parts = {
        "sentence length": _ratio(text.sentence_mean, profile.sentence_mean),
        "sentence spread": _ratio(text.sentence_spread, profile.sentence_spread),
        "paragraph length": _ratio(text.paragraph_mean, profile.paragraph_mean) / 2,
        "dialogue": min(abs(text.dialogue - profile.dialogue) / 0.5, 1.0),
        "variety of words": min(abs(text.variety - profile.variety) / _CHANGED_PLACE, 1.0),
        "small words": _distance(text.small_words, profile.small_words),
        "punctuation": _distance(text.punctuation, profile.punctuation),
        "person": _switched(text.person, profile.person),
        "tense": _switched(text.tense, profile.tense),
        "politeness": _switched(text.politeness, profile.politeness),
    }
    ordered = dict(sorted(((name, round(value, 3)) for name, value in parts.items()), key=lambda item: -item[1]))
    switched = max(parts["person"], parts["tense"], parts["politeness"]) / 2
    return Drift(overall=round(max(fmean(list(parts.values())[:7]), switched), 3), parts=ordered)


def _variety(text: str, language: Language) -> float:
    tokens = [token for token, _, _ in tokens_with_places(text, language)]
    stretches = [tokens[i : i + _STRETCH] for i in range(0, len(tokens) - _STRETCH + 1, _STRETCH)] or [tokens]
    return fmean(len(set(stretch)) / max(len(stretch), 1) for stretch in stretches)


def _quotes(text: str) -> str:
    counts = {pair: text.count(pair[0]) for pair in _QUOTE_PAIRS if pair != "''"}
    pair = max(counts, key=lambda name: counts[name])
    return pair if counts[pair] else ""


def _person(told: str, language: Language) -> Literal["first", "second", "third", ""]:
    first, second, third = (len(patterns[language].findall(told)) for patterns in PERSONS.values())
    if first + second + third < _LEAST_PERSONS[language]:
        return ""
    if first >= 0.25 * third and first >= second:  # somebody who says "I" mostly tells of others
        return "first"
    return "second" if second > third else "third"


def _tense(told: str, language: Language) -> Literal["past", "present", ""]:
    if language not in PAST:
        return ""
    past, present = _told_times(told, language)
    if past + present < _LEAST or abs(past - present) < 0.2 * (past + present):
        return ""
    return "past" if past > present else "present"


def _told_times(told: str, language: Language) -> tuple[int, int]:
    """Count what is told as past and as present: verbs in en, sentences by their endings in ja and ko."""
    if language is Language.EN:
        return len(PAST[language].findall(told)), len(PRESENT[language].findall(told))
    found = all_sentences(told, language)
    past = [PAST[language].search(sentence) is not None for sentence in found]
    now = [PRESENT[language].search(sentence) is not None for sentence in found]
    return sum(past), sum(present and not is_past for is_past, present in zip(past, now, strict=True))


def _politeness(told: str, language: Language) -> Literal["plain", "polite", ""]:
    if language not in POLITE:
        return ""
    found = all_sentences(told, language)
    polite = sum(POLITE[language].search(sentence) is not None for sentence in found)
    if len(found) < _LEAST:
        return ""
    return "polite" if polite > len(found) / 2 else "plain"


def _examples(text: str, language: Language) -> tuple[str, ...]:
    """Choose a short, a usual and a long sentence of paragraphs without speech: the 10th, 50th, 90th of a hundred."""
    told = "\n".join(part for part, spans in speech_in(paragraphs_of(text), language) if not spans)
    found = sorted(set(all_sentences(told, language)), key=lambda sentence: (language.measure(sentence), sentence))
    if len(found) < _LEAST:
        return ()
    return tuple(found[len(found) * share // 100][:240] for share in (10, 50, 90))


def _ratio(one: float, other: float) -> float:
    """Compare two sizes: twice or half is as far as can be."""
    if one <= 0 or other <= 0:
        return float(one != other)
    return min(abs(log(one / other)) / log(2), 1.0)


def _distance(one: dict[str, float], other: dict[str, float]) -> float:
    """Compare two tables of rates by what they do not share; those of one hand share some nine tenths."""
    whole = sum(max(one.get(name, 0.0), other.get(name, 0.0)) for name in {*one, *other})
    shared = sum(min(rate, other.get(name, 0.0)) for name, rate in one.items())
    return 1 - shared / whole if whole else 0.0


def _switched(one: str, other: str) -> float:
    return float(bool(one and other) and one != other)
