"""The four languages of a book: how they are recognised, counted and named.

Their regular expressions are compiled when they are first used: one with a range of han characters takes 5 ms.
"""

import re
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, cast


class _LazyPattern:
    """Stands for a pattern, and takes each of its methods over when it is first asked for it."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern to call the methods of; the functions of `re` do not take it, and `match.re` is not it."""
    return cast(re.Pattern[str], _LazyPattern(source, flags))


_KANA = lazy_pattern(r"[\u3040-\u30ff]+")
_HANGUL = lazy_pattern(r"[\uac00-\ud7af\u1100-\u11ff]+")
_HAN = lazy_pattern(r"[\u4e00-\u9fff\u3400-\u4dbf]+")
_EASTERN = r"\u3040-\u30ff\uac00-\ud7af\u1100-\u11ff\u4e00-\u9fff\u3400-\u4dbf"
"""Kana, hangul and han."""
_SPELT = lazy_pattern(rf"[^\W\d_{_EASTERN}]+")
"""A word that is spelt with letters."""
_WORD = re.compile(r"\w++(?:['’\-]\w++)*+")
_SHAPES = {code: "a" if _WORD.match(chr(code)) else "'" if chr(code) in "'-" else " " for code in range(128)}
"""What each letter of ASCII is to the count of words: part of one, a joint within one, or nothing."""
_LATIN = lazy_pattern(r"[A-Za-z\u00c0-\u024f]+")
_BEYOND_LATIN = lazy_pattern(r"[^\x00-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf-\u024f\u2000-\u206f]")
"""Any sign that may count as a letter and not as one of a Latin script."""
_TWENTY_LETTERS = lazy_pattern(r"(?:[\W\d_]*+[^\W\d_]){20}")
_WORD_WEIGHT = 2
"""A spelt word says about as much as two characters of Chinese, Japanese or Korean."""
_HAN_A_KANA_ZH, _HAN_A_KANA_JA = 8, 12
"""How many han characters stand beside one of kana, at least in Chinese with a Japanese name or two in it,
and at most in Japanese. Between the two a text may be either."""


TRADITIONAL, SIMPLIFIED = "zh", "zh-hans"
"""What a text in Chinese is named by, after its script; every other language by its own name."""


class Language(StrEnum):
    """The language a book is written in."""

    EN = "en"
    ZH = "zh"
    JA = "ja"
    KO = "ko"

    @property
    def english_name(self) -> str:
        """The name that stands in English prompts, such as `"Japanese"`."""
        return {"en": "English", "zh": "Chinese", "ja": "Japanese", "ko": "Korean"}[self.value]

    @property
    def length_unit(self) -> str:
        """What a length counts: `"words"` for Latin scripts, `"characters"` for zh, ja and ko."""
        return "words" if self is Language.EN else "characters"

    @property
    def is_spaced(self) -> bool:
        """Whether spaces stand between its words: in en and ko."""
        return self in (Language.EN, Language.KO)

    def measure(self, text: str) -> int:
        """Count `text` in this language's unit.

        Words for English; for zh, ja and ko characters with punctuation and without spaces.
        Source: DESIGN section 4, "Length is a contract".
        """
        return _counted(text, in_words=self is Language.EN)


@lru_cache(maxsize=16)
def _counted(text: str, *, in_words: bool) -> int:
    """Count words or characters; the last few texts are remembered, as a draft is measured by many."""
    if not in_words:
        return len("".join(text.split()))
    plain = text.replace("’", "'").replace("“", " ").replace("”", " ").replace("—", " ")
    if not plain.isascii():
        return len(_WORD.findall(text))
    # by where they begin, in a tenth of the time: behind nothing, or a joint that joins nothing
    shape = " " + plain.translate(_SHAPES)
    return shape.count(" a") + shape.count(" 'a") + shape.count("''a")


def detect_language(text: str) -> Language:
    """Tell a text's language by its script: kana is ja, hangul ko, han alone zh, else en.

    Where kana and hangul both occur, the first met decides. Source: S0-033 to S0-037.
    """
    kana, hangul = _KANA.search(text), _HANGUL.search(text)
    if kana and (hangul is None or kana.start() < hangul.start()):
        return Language.JA
    if hangul:
        return Language.KO
    return Language.ZH if _HAN.search(text) else Language.EN


def script_shares(text: str) -> dict[Language, float]:
    """Tell which share of a text belongs to each language's script, 0 to 1 each, spelt words weighed as words.

    Han counts for zh and, where kana stand beside it, for ja; the shares need not add up to 1.
    """
    spelt = _SPELT.findall(text)
    held = ((_KANA, text), (_HANGUL, text), (_HAN, text), (_LATIN, "".join([word[0] for word in spelt])))
    kana, hangul, han, latin = (len("".join(script.findall(letters))) for script, letters in held)
    total = (kana + hangul + han + _WORD_WEIGHT * len(spelt)) or 1
    return {
        Language.EN: _WORD_WEIGHT * latin / total,
        Language.ZH: han / total if kana * _HAN_A_KANA_ZH < han else 0.0,
        Language.JA: (kana + han) / total if kana * _HAN_A_KANA_JA >= han else 0.0,
        Language.KO: hangul / total,
    }


def is_in(language: Language, text: str) -> bool:
    """Judge whether a text is in a language, names and loan words allowed; under 20 letters it passes for any."""
    if language is Language.EN and (text.isascii() or not _BEYOND_LATIN.search(text)):
        return True  # nothing to weigh up
    return not _TWENTY_LETTERS.match(text) or script_shares(text)[language] >= 0.5
