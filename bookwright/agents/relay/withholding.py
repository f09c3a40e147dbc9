"""Keeping texts that are withheld out of those that are not: sentence by sentence, by phrases and by words.

A section that anybody may read can still quote a secret. What is cut here is cut before a prompt is made.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
_SENTENCE = re.compile(r"[^.!?。！？…\n]*(?:[.!?。！？…]+[\"”’」』）)\]]*[ \t\u3000]*|\n+|$)")
_WIDE = "\u3040"
"""From here on a character stands alone; before it, letters make words."""
_WORDS, _CHARACTERS = 4, 8
"""So many in a row that two texts have in common are one quoting the other."""
_LEAST_LETTERS, _LEAST_CHARACTERS = 4, 2
"""A withheld text shorter than this is too short to be known again."""


class Withheld:
    """What must not come out of a filter: texts, known by their phrases, and words."""

    def __init__(self, texts: Iterable[str], keywords: Iterable[str] = ()) -> None:
        self._phrases: set[tuple[str, ...]] = set()
        for text in texts:
            self._phrases.update(_phrases(_tokens(text)))
        self._phrases.update(tuple(tokens) for word in keywords if (tokens := _tokens(word)))
        self._lengths = sorted({len(phrase) for phrase in self._phrases})

    def touches(self, text: str) -> bool:
        """Whether a text holds one of the words, or a phrase of one of the texts."""
        tokens = _tokens(text)
        return any(
            tuple(tokens[start : start + length]) in self._phrases
            for length in self._lengths
            for start in range(len(tokens) - length + 1)
        )

    def cut(self, text: str) -> str:
        """Return a text without the sentences that touch what is withheld; all of it if one runs over two."""
        if not self.touches(text):
            return text
        kept = "".join(piece for piece in _SENTENCE.findall(text) if piece and not self.touches(piece)).strip()
        return "" if self.touches(kept) else kept

    def free(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words and phrases that touch nothing."""
        return tuple(word for word in words if not self.touches(word))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


def _phrases(tokens: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """The phrases by which a text is known again: runs of it, or all of one that is shorter."""
    run = _CHARACTERS if sum(token >= _WIDE for token in tokens) * 2 > len(tokens) else _WORDS
    if len(tokens) < run:
        return [tuple(tokens)] if _is_telling(tokens) else []
    return [tuple(tokens[start : start + run]) for start in range(len(tokens) - run + 1)]


def _is_telling(tokens: Sequence[str]) -> bool:
    wide = sum(token >= _WIDE for token in tokens)
    return wide >= _LEAST_CHARACTERS or sum(map(len, tokens)) - wide >= _LEAST_LETTERS
