"""A style in figures, its rhythm among them, of a sample or of accepted chapters; how far a text has moved from it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from statistics import fmean, pstdev
from typing import Literal

from bookwright.agents.relay.figures.dialogue import dialogue_share, narration, speech_in
from bookwright.agents.relay.figures.text import all_sentences, paragraphs_of, sentences_of, tokens_with_places
from bookwright.models.text.figures import Drift, Rhythm, StyleProfile
from bookwright.models.text.language import Language, lazy_pattern

_STRETCH = 400
"""Tokens over which different words are counted: a longer text has fewer for its length, whoever wrote it."""
_FREQUENT = 20
_QUOTE_PAIRS = ("“”", "「」", "『』", "«»", "‘’", '""')
_LEAST = 6
_LEAST_PERSONS = {Language.EN: 6, Language.ZH: 6, Language.JA: 3, Language.KO: 3}
"""Pronouns to judge by; Japanese and Korean mostly leave them out."""

_CHANGED_PLACE = 0.15
"""Share of different words by which two styles are as far apart as can be."""

_SMALL_WORDS = {
    Language.EN: (
        "the a and of to in that it was he she his her i you they as with for on at but had not be by from this which "
        "or so if when then there what would could all into out up no like just who than over before back"
    ).split(),
    Language.ZH: (
        "的 了 着 过 地 得 在 是 不 没 也 就 都 又 还 才 却 便 把 被 将 和 与 而 但 因为 所以 如果 这 那 里 上 下"
        " 一个 起来 出来 什么 怎么 自己 只 很 更 已经"
    ).split(),
    Language.JA: (
        "は が を に で と も の へ から まで より だけ しか ばかり ながら けれど しかし だが そして"
        " また もう まだ この その あの という ような ている ていた だった である です ます ない なかった のだ"
    ).split(),
    Language.KO: (
        "은 는 이 가 을 를 의 에 에서 로 와 과 도 만 까지 부터 처럼 보다 그리고 그러나 하지만 그런데"
        " 그 이 저 것 수 않 못 더 다시 아직 이미 있었다 없었다 했다 였다"
    ).split(),
}

_MARKS = {
    "comma": lazy_pattern(r"[,，、]"),
    "semicolon": lazy_pattern(r"[;；]"),
    "colon": lazy_pattern(r"[:：]"),
    "dash": lazy_pattern(r"[—–―─]+|(?<=\s)--?(?=\s)"),
    "ellipsis": lazy_pattern(r"…+|\.{3,}|。{2,}"),
    "exclamation": lazy_pattern(r"[!！]+"),
    "question": lazy_pattern(r"[?？]+"),
    "bracket": lazy_pattern(r"[(（]"),
}

_FIRST = {
    Language.EN: lazy_pattern(r"\b(?:I|me|my|mine|we|us|our)\b"),
    Language.ZH: lazy_pattern(r"(?:我|咱)"),
    Language.JA: lazy_pattern(r"(?:私|僕|俺|わたし|あたし|ぼく|おれ)(?=[はがをにのもと、])"),
    Language.KO: lazy_pattern(r"(?<![가-힣])(?:나|내|우리|저|제)(?:는|가|를|의|에게|도|와)?(?![가-힣])"),
}
_SECOND = {
    Language.EN: lazy_pattern(r"\b(?:you|your|yours)\b", re.IGNORECASE),
    Language.ZH: lazy_pattern(r"[你您]"),
    Language.JA: lazy_pattern(r"(?:あなた|君|きみ|お前)(?=[はがをにのもと、])"),
    Language.KO: lazy_pattern(r"(?<![가-힣])(?:너|네|당신)(?:는|가|를|의|은|이|을)?(?![가-힣])"),
}
_THIRD = {
    Language.EN: lazy_pattern(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE),
    Language.ZH: lazy_pattern(r"[他她]"),
    Language.JA: lazy_pattern(r"(?:彼女|彼)(?=[はがをにのもと、])"),
    Language.KO: lazy_pattern(r"(?<![가-힣])(?:그|그녀|그들)(?:는|가|를|의|에게|도|와)?(?![가-힣])"),
}

_KO_PAST = "".join(chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28) if chr(code) not in "있겠")
"""Syllables that end in ㅆ, by which Korean tells what is past."""

_PAST = {
    Language.EN: lazy_pattern(r"\b(?:was|were|had|did|said|went|came|took|saw|knew|looked|[a-z]{2,}ed)\b"),
    Language.JA: lazy_pattern(r"(?:た|だった|ました|でした)[。！？!?]?$"),
    Language.KO: lazy_pattern(rf"[{_KO_PAST}](?:다|어요|습니다|지요|죠|네요)[.!?…]*$"),
}
_PRESENT = {
    Language.EN: lazy_pattern(r"\b(?:is|are|has|does|says|goes|comes|takes|sees|knows|looks|am)\b"),
    Language.JA: lazy_pattern(r"(?:る|う|く|す|つ|ぬ|む|ぐ|ぶ|だ|ない|ます|です|である)[。！？!?]?$"),
    Language.KO: lazy_pattern(r"(?:는다|[한인온간선난된]다|있다|없다|이다|[아어해]요|니다)[.!?]?$"),
}
_POLITE = {
    Language.JA: lazy_pattern(r"(?:です|ます|でした|ました|ません|でしょう|ましょう)(?:[かねよ]?)[。！？!?]?$"),
    Language.KO: lazy_pattern(r"(?:요|니다|니까)[.!?…]?$"),
}

_EN_WORD = lazy_pattern(r"[a-z]+(?:'[a-z]+)?")
_KO_WORD = lazy_pattern(r"[가-힣]{2,}")
_HAN_RUN = lazy_pattern(r"[\u4e00-\u9fff]+")
_JA_RUN = lazy_pattern(r"[\u4e00-\u9fff々]+[ぁ-ん]?|[ァ-ヶー]{2,}")

_RUN = 4
_ENDING = {Language.JA: 2, Language.KO: 2}
"""Characters that make an ending."""
_LEAST_STEP = {Language.EN: 1}
"""How far two short sentences may differ and still be as long; else 2 characters."""
_TAIL = re.compile(r"[\W_]+$")


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
        frequent=tuple(word for word, _ in Counter(_content_words(text, language)).most_common(_FREQUENT)),
        small_words={word: round(n * per_thousand, 2) for word, n in _small_word_counts(text, language).items()},
        punctuation={name: round(len(mark.findall(text)) * per_thousand, 2) for name, mark in _MARKS.items()},
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


def _content_words(text: str, language: Language) -> list[str]:
    """Return what a text is made of besides small words.

    zh has no spaces, so its words are pairs of characters; of ja, runs of kanji and katakana.
    """
    if language is Language.ZH:
        return [run[i : i + 2] for run in _HAN_RUN.findall(text) for i in range(len(run) - 1)]
    pattern = {Language.EN: _EN_WORD, Language.KO: _KO_WORD, Language.JA: _JA_RUN}[language]
    small = set(_SMALL_WORDS[language])
    return [
        word
        for word in pattern.findall(text.lower())
        if word not in small and (language is not Language.EN or len(word) > 3)
    ]


def _small_word_counts(text: str, language: Language) -> dict[str, int]:
    """Count each small word: whole words in en, the ends of words in ko, wherever it stands in zh and ja."""
    if language is Language.EN:
        words = _EN_WORD.findall(text.lower())
        return {word: words.count(word) for word in _SMALL_WORDS[language]}
    if language is Language.KO:
        return {word: len(re.findall(rf"{word}(?![가-힣])", text)) for word in _SMALL_WORDS[language]}
    return {word: text.count(word) for word in _SMALL_WORDS[language]}


def _variety(text: str, language: Language) -> float:
    tokens = [token for token, _, _ in tokens_with_places(text, language)]
    stretches = [tokens[i : i + _STRETCH] for i in range(0, len(tokens) - _STRETCH + 1, _STRETCH)] or [tokens]
    return fmean(len(set(stretch)) / max(len(stretch), 1) for stretch in stretches)


def _quotes(text: str) -> str:
    pair = max(_QUOTE_PAIRS, key=lambda marks: text.count(marks[0]))
    return pair if pair[0] in text else ""


def _person(told: str, language: Language) -> Literal["first", "second", "third", ""]:
    first, second, third = (len(patterns[language].findall(told)) for patterns in (_FIRST, _SECOND, _THIRD))
    if first + second + third < _LEAST_PERSONS[language]:
        return ""
    if first >= 0.25 * third and first >= second:  # somebody who says "I" mostly tells of others
        return "first"
    return "second" if second > third else "third"


def _tense(told: str, language: Language) -> Literal["past", "present", ""]:
    if language not in _PAST:
        return ""
    past, present = _told_times(told, language)
    if past + present < _LEAST or abs(past - present) < 0.2 * (past + present):
        return ""
    return "past" if past > present else "present"


def _told_times(told: str, language: Language) -> tuple[int, int]:
    """Count what is told as past and as present: verbs in en, sentences by their endings in ja and ko."""
    if language is Language.EN:
        return len(_PAST[language].findall(told)), len(_PRESENT[language].findall(told))
    found = all_sentences(told, language)
    past = [_PAST[language].search(sentence) is not None for sentence in found]
    now = [_PRESENT[language].search(sentence) is not None for sentence in found]
    return sum(past), sum(present and not is_past for is_past, present in zip(past, now, strict=True))


def _politeness(told: str, language: Language) -> Literal["plain", "polite", ""]:
    if language not in _POLITE:
        return ""
    found = all_sentences(told, language)
    polite = sum(_POLITE[language].search(sentence) is not None for sentence in found)
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
