"""The words and marks by which a style is known: those that nobody chooses on purpose."""

import re

from bookwright.models.text.language import Language
from bookwright.models.text.lazy_pattern import lazy_pattern

SMALL_WORDS = {
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
}  # fmt: skip

MARKS = {
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
PERSONS = {"first": _FIRST, "second": _SECOND, "third": _THIRD}

_KO_PAST = "".join(chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28) if chr(code) not in "있겠")
"""Syllables that end in ㅆ, by which Korean tells what is past."""

PAST = {
    Language.EN: lazy_pattern(r"\b(?:was|were|had|did|said|went|came|took|saw|knew|looked|[a-z]{2,}ed)\b"),
    Language.JA: lazy_pattern(r"(?:た|だった|ました|でした)[。！？!?]?$"),
    Language.KO: lazy_pattern(rf"[{_KO_PAST}](?:다|어요|습니다|지요|죠|네요)[.!?…]*$"),
}
PRESENT = {
    Language.EN: lazy_pattern(r"\b(?:is|are|has|does|says|goes|comes|takes|sees|knows|looks|am)\b"),
    Language.JA: lazy_pattern(r"(?:る|う|く|す|つ|ぬ|む|ぐ|ぶ|だ|ない|ます|です|である)[。！？!?]?$"),
    Language.KO: lazy_pattern(r"(?:는다|[한인온간선난된]다|있다|없다|이다|[아어해]요|니다)[.!?]?$"),
}
POLITE = {
    Language.JA: lazy_pattern(r"(?:です|ます|でした|ました|ません|でしょう|ましょう)(?:[かねよ]?)[。！？!?]?$"),
    Language.KO: lazy_pattern(r"(?:요|니다|니까)[.!?…]?$"),
}

_EN_WORD = lazy_pattern(r"[a-z]+(?:'[a-z]+)?")
_KO_WORD = lazy_pattern(r"[가-힣]{2,}")
_HAN_RUN = lazy_pattern(r"[\u4e00-\u9fff]+")
_JA_RUN = lazy_pattern(r"[\u4e00-\u9fff々]+[ぁ-ん]?|[ァ-ヶー]{2,}")


def content_words(text: str, language: Language) -> list[str]:
    """Return what a text is made of besides small words.

    zh has no spaces, so its words are pairs of characters; of ja, runs of kanji and katakana.
    """
    if language is Language.ZH:
        return [run[i : i + 2] for run in _HAN_RUN.findall(text) for i in range(len(run) - 1)]
    pattern = {Language.EN: _EN_WORD, Language.KO: _KO_WORD, Language.JA: _JA_RUN}[language]
    small = set(SMALL_WORDS[language])
    return [
        word
        for word in pattern.findall(text.lower())
        if word not in small and (language is not Language.EN or len(word) > 3)
    ]


def small_word_counts(text: str, language: Language) -> dict[str, int]:
    """Count each small word: whole words in en, the ends of words in ko, wherever it stands in zh and ja."""
    if language is Language.EN:
        words = _EN_WORD.findall(text.lower())
        return {word: words.count(word) for word in SMALL_WORDS[language]}
    if language is Language.KO:
        return {word: len(re.findall(rf"{word}(?![가-힣])", text)) for word in SMALL_WORDS[language]}
    return {word: text.count(word) for word in SMALL_WORDS[language]}
