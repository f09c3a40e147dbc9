"""Emphasis as a book's prose has it: `*so*`, in whatever way a file sets it."""

import re
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from bookwright.models.text.language import lazy_pattern

_TOLD = lazy_pattern(r"(?<!\S)[^\s*]+(?:[^\S\n]+[^\s*]+)*(?!\S)")
"""Words of one line, but for those that hold an asterisk: no mark could stand around them."""
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # han, kana and hangul have no spaces
_BEGIN, _END = "\x01", "\x02"
"""Characters that no text holds."""
_WORDS = lazy_pattern(rf"(?<!{_LETTER}){_LETTER}*(?:{_BEGIN}[^{_BEGIN}{_END}]*{_END}{_LETTER}*)+")
EMPHASIS = lazy_pattern(
    rf"(?<!\*)(?<!{_LETTER})\*(?=\S)([^*\n]+(?<=\S)(?=\*(?!\*|{_LETTER}))|[^\s*]+(?=\*s(?!{_LETTER})))\*"
)
"""Models write thoughts and foreign words between asterisks, as Markdown does; a plural's s may stand behind a word."""


def with_emphasis(pieces: Iterable[tuple[str, bool]]) -> str:
    """Join the pieces of a text, each with whether it is stressed.

    The marks stand around words, line by line: where a part of a word is stressed, around all of it.
    """
    told = ""
    for is_stressed, some in groupby(pieces, key=itemgetter(1)):
        text = "".join(piece for piece, _ in some)
        told += _TOLD.sub(rf"{_BEGIN}\g<0>{_END}", text) if is_stressed else text
    told = _WORDS.sub(lambda words: f"{_BEGIN}{re.sub(f'[{_BEGIN}{_END}]', '', words[0])}{_END}", told)
    return re.sub(f"[{_BEGIN}{_END}]", "*", told)


def without_emphasis(text: str) -> str:
    """Return a text without those marks."""
    return EMPHASIS.sub(r"\1", text)
