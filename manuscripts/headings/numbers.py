"""Numbers as headings write them, read and written: figures, roman, in words, in han and in hangul."""

import re

from bookwright.models.story_time.lexicon import ONES, TENS
from bookwright.models.text.language import Language

_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_VALUES = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4,
    "I": 1,
}  # fmt: skip
_ORDINALS = {
    "first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine",
    "twelfth": "twelve", "last": "",
}  # fmt: skip
"""Those that are not a cardinal with an ending, by themselves; empty for one without a number."""
_OWN_ORDINALS = {cardinal: ordinal for ordinal, cardinal in _ORDINALS.items() if cardinal}
_WORDS = {word: value for value, word in enumerate(ONES)} | {word: 10 * value for value, word in enumerate(TENS, 2)}

_HAN_DIGITS = {
    **{digit: value for value, digit in enumerate("〇一二三四五六七八九")}, "零": 0, "○": 0, "両": 2, "两": 2, "兩": 2,
    **{digit: value for value, digit in enumerate("壹贰叁肆伍陆柒捌玖", 1)},
    "壱": 1, "弐": 2, "参": 3, "貳": 2, "參": 3,
    "陸": 6,
}  # fmt: skip
_HAN_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_HAN_TENS = {"廿": "二十", "卅": "三十"}
_HAN, _HANGUL = "〇一二三四五六七八九十百千", "영일이삼사오육칠팔구십백천"

HAN_NUMBER = "[0-9〇零○一二三四五六七八九十百千两兩両廿卅壹贰叁肆伍陆柒捌玖拾佰仟壱弐参貳參陸]+"
HANGUL_NUMBER = "(?:[0-9]+|[일이삼사오육칠팔구십백천]+)"
WORD_NUMBER = (
    rf"(?:(?:{'|'.join([*ONES, *TENS, 'hundred', 'and', *_ORDINALS])}|[a-z]{{2,9}}(?:ieth|teenth|th))\b[\s-]?)+"
)
"""Each word ends at a boundary, so that there is one way only to read a line."""
_MOST_ROMAN, _MOST_WORDS, _MOST_HAN = 3_999, 999, 9_999
"""What can be written so."""

_ROMAN_SIGNS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_NARROW: dict[int, str] = {
    **{code: chr(code - 0xFEE0) for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))},
    **{0x2160 + place: sign for place, sign in enumerate(_ROMAN_SIGNS)},
    **{0x2170 + place: sign.lower() for place, sign in enumerate(_ROMAN_SIGNS)},
    0x3000: " ", 0xA0: " ",
}  # fmt: skip

_SIGNS = "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ"
_OF_LETTERS = str.maketrans("IVXLCDM", "ⅠⅤⅩⅬⅭⅮⅯ")
_WIDE = {ord(sign): ord(sign) + 0xFEE0 for sign in "0123456789IVXLCDMivxlcdm"}


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
        word = _ORDINALS.get(word) or word.removesuffix("th")
    return _WORDS.get(word)


def in_han(text: str) -> int | None:
    """Read a number in han or hangul, by place (`"一〇二"`) or by units (`"一百零二"`)."""
    text = text.translate(str.maketrans(_HANGUL, _HAN))
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


def written_like(own: str, number: int, language: Language) -> str:
    """Return a number written as another is: `"XIII"` after `"XII"`, 十三 after 十二; else in figures."""
    narrow = plain_digits(own)
    if narrow.isdigit():
        told = f"{number:0{len(own)}d}" if narrow.startswith("0") else str(number)
        return told if own.isascii() else told.translate(_WIDE)
    if roman(narrow) is not None and number <= _MOST_ROMAN:
        return _roman_like(own, number)
    if in_words(narrow) is not None and number <= _MOST_WORDS:
        return _words_like(own, number)
    if in_han(narrow) is not None and number <= _MOST_HAN:
        return _han_like(own, number, language)
    return str(number)


def roman_numeral(number: int) -> str:
    """Spell a number below 4000 in Roman capitals."""
    spelt = ""
    for letters, value in _ROMAN_VALUES.items():
        spelt, number = spelt + letters * (number // value), number % value
    return spelt


def word_numeral(number: int) -> str:
    """Spell a number below 1000 in English, such as `"one hundred and five"`."""
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    below = ONES[rest] if rest < len(ONES) else TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")
    if not hundreds:
        return below
    return f"{ONES[hundreds]} hundred" + (f" and {below}" if rest else "")


def han_numeral(number: int) -> str:
    """Spell a number below 10 000 as Chinese chapters are counted, such as 三十一 or 一百零五."""
    spelt, rest = "", f"{number:04d}"
    for place, unit in enumerate(("千", "百", "十", "")):
        digit = int(rest[place])
        if digit:
            spelt += _HAN[digit] + unit
        elif spelt and int(rest[place:]) and not spelt.endswith("零"):
            spelt += "零"
    return spelt.removeprefix("一") if 10 <= number < 20 else spelt


def _roman_like(own: str, number: int) -> str:
    told = roman_numeral(number)
    if own.isascii():
        return told if own.isupper() else told.lower()
    if not set(own.upper()) & set(_SIGNS):
        return (told if plain_digits(own).isupper() else told.lower()).translate(_WIDE)
    ones = number if number <= len(_SIGNS) else number % 10
    signs = roman_numeral(number - ones).translate(_OF_LETTERS) + (_SIGNS[ones - 1] if ones else "")
    return signs if own.isupper() else signs.lower()


def _words_like(own: str, number: int) -> str:
    told = word_numeral(number)
    if _is_ordinal(own):
        head, joint, last = re.split(r"^(.*)([ -])", told)[1:] if re.search("[ -]", told) else ("", "", told)
        told = head + joint + _ordinal(last)
    if re.search(r"hundred (?!and)", own, re.IGNORECASE):
        told = told.replace(" and ", " ")
    if re.search("ty [a-z]", own, re.IGNORECASE):
        told = told.replace("-", " ")
    return _cased_like(own, told)


def _is_ordinal(own: str) -> bool:
    last = re.split("[ -]", own.strip().casefold())[-1]
    return last.endswith("th") or last in _OWN_ORDINALS.values()


def _ordinal(word: str) -> str:
    return _OWN_ORDINALS.get(word) or (f"{word[:-1]}ieth" if word.endswith("y") else f"{word}th")


def _cased_like(own: str, told: str) -> str:
    if own.isupper():
        return told.upper()
    if own.islower():
        return told
    if re.search("[ -][a-z]", re.sub(r"\band\b", "AND", own)):
        return told.capitalize()
    return re.sub(r"\b(?!and\b)[a-z]", lambda first: first[0].upper(), told)


def _han_like(own: str, number: int, language: Language) -> str:
    is_by_place = not set(own) & set("十百千拾佰仟廿卅십백천") and len(own) > 1
    if is_by_place:
        return str(number).translate(str.maketrans("0123456789", ("零" if "零" in own else "〇") + _HAN[1:10]))
    if language is Language.ZH or "一百" in own:
        return han_numeral(number)
    told = re.sub("一(?=[千百十])", "", han_numeral(number)).replace("零", "")
    return told.translate(str.maketrans(_HAN, _HANGUL)) if re.search("[가-힣]", own) else told
