"""Ways to hide a keyword from a search for its letters, as the drafts of the bench and the tests use them."""

import unicodedata
from collections.abc import Callable

from bookwright.agents.relay.leaks.folding import first_forms
from bookwright.models.text.language import Language

Respelling = Callable[[str], str]

_CYRILLIC = str.maketrans("aceopxyisjABCEHKMOPTXkmt", "асеорхуіѕјАВСЕНКМОРТХкмт")
_GREEK = str.maketrans("aonupxABEZHIKMNOPTYX", "αοηυρχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
_HALF_KANA = {unicodedata.normalize("NFKC", chr(code)): chr(code) for code in range(0xFF66, 0xFF9E)}


def wide(word: str) -> str:
    """Full-width Latin letters."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in word)


def capitals(word: str) -> str:
    """Every other letter a capital."""
    return "".join(c.upper() if place % 2 else c.lower() for place, c in enumerate(word))


def between(sign: str) -> Respelling:
    """Return a respelling with a sign between all letters."""
    return lambda word: sign.join(word.replace(" ", ""))


def once(sign: str) -> Respelling:
    """Return a respelling with a sign at one place inside the first word."""
    return lambda word: word[:1] + sign + word[1:]


def cyrillic(word: str) -> str:
    """Cyrillic letters that look like Latin ones."""
    return word.translate(_CYRILLIC)


def greek(word: str) -> str:
    """Greek letters that look like Latin ones."""
    return word.translate(_GREEK)


def bold(word: str) -> str:
    """Mathematical bold letters."""
    return "".join(chr(0x1D400 + ord(c.upper()) - 65) if c.isascii() and c.isalpha() else c for c in word)


def accented(word: str) -> str:
    """Letters with an accent each."""
    return "".join(c + "\u0301" if c.isascii() and c.isalpha() else c for c in word)


def traditional(word: str) -> str:
    """Traditional characters. Source: OpenCC's dictionary, the first form of each."""
    return word.translate(first_forms("STCharacters"))


def old_kanji(word: str) -> str:
    """Japanese characters as before the reform of 1946."""
    return word.translate(first_forms("JPShinjitaiCharacters"))


def katakana(word: str) -> str:
    """Hiragana as katakana."""
    return "".join(chr(ord(c) + 0x60) if "ぁ" <= c <= "ゖ" else c for c in word)


def hiragana(word: str) -> str:
    """Katakana as hiragana."""
    return "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in word)


def half_kana(word: str) -> str:
    """Kana in half width, voicing as a sign of its own."""
    parts = unicodedata.normalize("NFD", katakana(word))
    spread = parts.replace("\u3099", "ﾞ").replace("\u309a", "ﾟ")
    return "".join(_HALF_KANA.get(c, c) for c in spread)


def decomposed(word: str) -> str:
    """Letters and marks, syllables and their parts, one by one."""
    return unicodedata.normalize("NFD", word)


def jamo(word: str) -> str:
    """Korean syllables as the letters on the keys."""
    names = (unicodedata.name(c, "") for c in unicodedata.normalize("NFD", word))
    letters = (name.replace("CHOSEONG", "LETTER").replace("JUNGSEONG", "LETTER") for name in names)
    return "".join(unicodedata.lookup(name.replace("JONGSEONG", "LETTER")) for name in letters if name)


_ANY: tuple[Respelling, ...] = (between("\u200b"), once("\u00ad"), between("."), between(" "), once("\ufeff"))

RESPELLINGS: dict[Language, tuple[Respelling, ...]] = {
    Language.EN: (wide, capitals, cyrillic, between("-"), bold, accented, greek, *_ANY[:4]),
    Language.ZH: (traditional, once("*"), lambda word: between(" ")(traditional(word)), once("　"), *_ANY),
    Language.JA: (old_kanji, katakana, half_kana, once("・"), hiragana, decomposed, *_ANY),
    Language.KO: (decomposed, jamo, between("·"), once("-"), lambda word: decomposed(between("\u200b")(word)), *_ANY),
}
