"""Writing a number as an author's own headings write theirs: figures, Roman, in words, in han and in hangul."""

import re

from bookwright.manuscripts.headings.numbers import ONES, ORDINALS, TENS, in_han, in_words, plain_digits, roman
from bookwright.models.text.language import Language

_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
          (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip
_MOST_ROMAN, _MOST_WORDS, _MOST_HAN = 3_999, 999, 9_999
_SIGNS = "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ"
_OF_LETTERS = str.maketrans("IVXLCDM", "ⅠⅤⅩⅬⅭⅮⅯ")
_WIDE = {ord(sign): ord(sign) + 0xFEE0 for sign in "0123456789IVXLCDMivxlcdm"}

_ORDINALS = {cardinal: ordinal for ordinal, cardinal in ORDINALS.items() if cardinal}

_HAN_UNITS = "千百十"
_HAN = "零一二三四五六七八九"
_HANGUL = str.maketrans("一二三四五六七八九十百千", "일이삼사오육칠팔구십백천")


def written_like(own: str, number: int, language: Language) -> str:
    """Return a number in the way of another: `"XIII"` after `"XII"`, `"thirteen"` after `"twelve"`, 十三 after 十二.

    In figures where the other way has no word for it.
    """
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
    for value, letters in _ROMAN:
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
    for place, unit in enumerate((*_HAN_UNITS, "")):
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
    return last.endswith("th") or last in _ORDINALS.values()


def _ordinal(word: str) -> str:
    return _ORDINALS.get(word) or (f"{word[:-1]}ieth" if word.endswith("y") else f"{word}th")


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
        return str(number).translate(str.maketrans("0123456789", ("零" if "零" in own else "〇") + _HAN[1:]))
    if language is Language.ZH or "一百" in own:
        return han_numeral(number)
    told = re.sub("一(?=[千百十])", "", han_numeral(number)).replace("零", "")
    return told.translate(_HANGUL) if re.search("[가-힣]", own) else told
