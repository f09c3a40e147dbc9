"""Numbers as headings write them: figures, roman, in words, in han and in hangul."""

import re

_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
"""Words from 0 on."""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
"""From 20 on."""
ORDINALS = {
    "first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine",
    "twelfth": "twelve", "last": "",
}  # fmt: skip
"""Those that are not a cardinal with an ending, by themselves; empty for one without a number."""
_WORDS = {word: value for value, word in enumerate(ONES)} | {word: 10 * value for value, word in enumerate(TENS, 2)}

_HAN_DIGITS = {
    **{digit: value for value, digit in enumerate("〇一二三四五六七八九")}, "零": 0, "○": 0, "両": 2, "两": 2, "兩": 2,
    **{digit: value for value, digit in enumerate("壹贰叁肆伍陆柒捌玖", 1)},
    "壱": 1, "弐": 2, "参": 3, "貳": 2, "參": 3,
    "陸": 6,
}  # fmt: skip
_HAN_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_HAN_TENS = {"廿": "二十", "卅": "三十"}
_HANGUL = str.maketrans("영일이삼사오육칠팔구십백천", "〇一二三四五六七八九十百千")

HAN_NUMBER = "[0-9〇零○一二三四五六七八九十百千两兩両廿卅壹贰叁肆伍陆柒捌玖拾佰仟壱弐参貳參陸]+"
HANGUL_NUMBER = "(?:[0-9]+|[일이삼사오육칠팔구십백천]+)"
WORD_NUMBER = (
    rf"(?:(?:{'|'.join([*ONES, *TENS, 'hundred', 'and', *ORDINALS])}|[a-z]{{2,9}}(?:ieth|teenth|th))\b[\s-]?)+"
)
"""Each word ends at a boundary, so that there is one way only to read a line."""


_ROMAN_SIGNS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_NARROW: dict[int, str] = {
    **{code: chr(code - 0xFEE0) for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))},
    **{0x2160 + place: sign for place, sign in enumerate(_ROMAN_SIGNS)},
    **{0x2170 + place: sign.lower() for place, sign in enumerate(_ROMAN_SIGNS)},
    0x3000: " ", 0xA0: " ",
}  # fmt: skip


def plain_digits(text: str) -> str:
    """Return a text with wide letters, figures and spaces in their narrow forms; its signs stay as they are."""
    return text.translate(_NARROW)


def number_of(text: str) -> int | None:
    """Read a number in any of the ways of a heading; None for what is none."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 6 else None
    for read in (roman, in_words, in_han):
        found = read(text)
        if found is not None:
            return found
    return None


def roman(text: str) -> int | None:
    """Read a Roman number in one case, such as `"XIV"` or `"xiv"`."""
    upper = text.upper()
    if not text or text not in (upper, text.lower()) or not _ROMAN.fullmatch(upper):
        return None
    values = [_ROMAN_VALUES[letter] for letter in upper]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def in_words(text: str) -> int | None:
    """Read an English number below 1000, cardinal or ordinal, such as `"twenty-first"`."""
    total = 0
    words = [word for word in re.split(r"[\s-]+", text.casefold()) if word and word != "and"]
    if not words:
        return None
    for word in words:
        value = _word(word)
        if value is None:
            return None
        total = (total or 1) * 100 if value == 100 else total + value
    return total


def _word(word: str) -> int | None:
    if word.startswith("hundred"):
        return 100
    if word.endswith("ieth"):
        word = f"{word[:-4]}y"
    elif word not in _WORDS:
        word = ORDINALS.get(word) or word.removesuffix("th")
    return _WORDS.get(word)


def in_han(text: str) -> int | None:
    """Read a number in han or hangul, by place (`"一〇二"`) or by units (`"一百零二"`)."""
    text = text.translate(_HANGUL)
    for short, long in _HAN_TENS.items():
        text = text.replace(short, long)
    if not text or not all(sign in _HAN_DIGITS or sign in _HAN_UNITS or sign.isdigit() for sign in text):
        return None
    digits = [_HAN_DIGITS.get(sign, int(sign) if sign.isdigit() else -1) for sign in text]
    if all(digit >= 0 for digit in digits):
        return int("".join(map(str, digits))) if len(digits) <= 6 else None
    return _by_units(text)


def _by_units(text: str) -> int:
    total = pending = 0
    for sign in text:
        if sign in _HAN_UNITS:
            total += (pending or 1) * _HAN_UNITS[sign]
            pending = 0
        else:
            digit = _HAN_DIGITS.get(sign, -1)
            pending = 10 * pending + int(sign) if digit < 0 else digit
    return total + pending
