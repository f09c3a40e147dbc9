"""Numbers as times have them, in four languages: `"three"`, `"third"`, `"三"`, `"사흘"`."""

import re

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
"""Words from 0 on."""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
"""From 20 on."""
_WORDS = {word: value for value, word in enumerate(ONES)} | {word: 10 * value for value, word in enumerate(TENS, 2)}
_WORDS |= {"a": 1, "an": 1, "hundred": 100, "thousand": 1000}
_WORDS |= {f"{word}th": value for word, value in _WORDS.items()} | {f"{w[:-1]}ieth": _WORDS[w] for w in TENS}
_WORDS |= {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_HAN = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
    "両": 2,
    "元": 1,
}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_SINO = str.maketrans("영공일이삼사오육칠팔구십백천", "零零一二三四五六七八九十百千")
_NATIVE = {
    "하나": 1, "한": 1, "첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7,
    "여덟": 8, "아홉": 9, "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60,
    "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
_NATIVE_WORD = "|".join(sorted(_NATIVE, key=len, reverse=True))

ENGLISH = rf"(?:\d+(?:st|nd|rd|th)?\b|(?:(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))}|and)\b[ -]?)+)"
ORDINAL = (
    rf"(?:\d+(?:st|nd|rd|th)|(?:(?:{'|'.join(TENS)})[ -])?"
    rf"(?:{'|'.join(word for word in _WORDS if word.endswith('th') or word in ('first', 'second', 'third'))}))"
)
HAN = r"(?:\d+|[〇零一二三四五六七八九十百千两兩両]+)"
HANGUL = rf"(?:\d+|(?:{_NATIVE_WORD})+|[영공일이삼사오육칠팔구십백천]+)"


def number_in(text: str) -> int | None:
    """Return the number that a text is, in figures or words of any of the languages; None for what is none."""
    text = text.strip().casefold()
    if digits := re.fullmatch(r"(\d{1,6})(?:st|nd|rd|th)?", text):
        return int(digits.group(1))
    if re.fullmatch(rf"(?:{_NATIVE_WORD})+", text):
        return sum(_NATIVE[word] for word in re.findall(_NATIVE_WORD, text))
    return _english(text) if text.isascii() else _han(text.translate(_SINO))


def _english(text: str) -> int | None:
    total = 0
    for word in (word for word in re.split(r"[\s-]+", text) if word and word != "and"):
        value = _WORDS.get(word)
        if value is None:
            return None
        total = max(total, 1) * value if value >= 100 else total + value
    return total or None


def _han(text: str) -> int | None:
    if not text or not all(sign in _HAN or sign in _UNITS for sign in text):
        return None
    if all(sign in _HAN for sign in text):
        return int("".join(str(_HAN[sign]) for sign in text))
    total = pending = 0
    for sign in text:
        total, pending = (total + (pending or 1) * _UNITS[sign], 0) if sign in _UNITS else (total, _HAN[sign])
    return total + pending
