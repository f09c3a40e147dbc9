"""A text as figures take it: paragraphs of words, sentences that end where a reader would stop, tokens with places."""

import re
from itertools import islice

from bookwright.models.text.language import Language
from bookwright.models.text.prose import paragraphs, sentences

_WORD = re.compile(r"\w++(?:['’\-]\w++)*+")
_SIGN = re.compile(r"[^\W_]")
_ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|Col|Gen|Lt|Sgt|Rev|Hon|Jr|Sr|No|vs)|\b[A-Z])\.$")
_QUOTING = re.compile(r"(?:と|って)(?!ても|ころ|にかく|もあれ|りあえず)")
_ALIKE = str.maketrans("’ʼ＇", "'''")
_LONGEST = 2_000
_AROUND = 16


def paragraphs_of(text: str) -> list[str]:
    """Return the paragraphs that hold a word; marks between scenes are none."""
    return [part for part in paragraphs(text) if _SIGN.search(part)]


def sentences_of(paragraph: str, language: Language) -> list[str]:
    """Return the sentences of a paragraph; "Mr. Hale" does not end one, nor does speech that と goes on from."""
    joined: list[str] = []
    for piece in sentences(paragraph):
        if joined and _goes_on(joined[-1], piece, language):
            joined[-1] += (" " if language is Language.EN else "") + piece
        elif _SIGN.search(piece):
            joined.append(piece)
    return joined


def all_sentences(text: str, language: Language) -> list[str]:
    """Return the sentences of a whole text."""
    return [sentence for part in paragraphs_of(text) for sentence in sentences_of(part, language)]


def tokens_with_places(text: str, language: Language) -> list[tuple[str, int, int]]:
    """Split a text into words, or characters for zh and ja, each with where it begins and ends."""
    pattern = _WORD if language.is_spaced else _SIGN
    return [(match[0].lower(), *match.span()) for match in pattern.finditer(text)]


def first_tokens(text: str, language: Language, count: int) -> list[str]:
    """Return the words, or characters for zh and ja, that a text begins with."""
    pattern = _WORD if language.is_spaced else _SIGN
    return [match[0].lower() for match in islice(pattern.finditer(text), count)]


def folded(text: str) -> str:
    """Return a text of the same length in small letters, with one kind of apostrophe."""
    small = text.lower()
    if len(small) != len(text):  # a few letters grow when they are made small
        small = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    return small.translate(_ALIKE)


def excerpt(text: str, start: int, end: int, around: int = _AROUND) -> str:
    """Quote a place with a little of what stands about it, on one line."""
    low, high = max(0, start - around), min(len(text), end + around)
    while low > 0 and start - low < 2 * around and text[low - 1].isascii() and text[low - 1].isalnum():
        low -= 1
    while high < len(text) and high - end < 2 * around and text[high].isascii() and text[high].isalnum():
        high += 1
    marks = ("…" if low else "", "…" if high < len(text) else "")
    return f"{marks[0]}{' '.join(text[low:high].split())}{marks[1]}"


def _goes_on(before: str, piece: str, language: Language) -> bool:
    if language is Language.EN:
        return len(before) < _LONGEST and _ABBREVIATION.search(before[-12:]) is not None
    return language is Language.JA and before.endswith(("」", "』")) and _QUOTING.match(piece) is not None
