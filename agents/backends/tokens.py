"""Estimates of token counts without a tokenizer, corrected by what the providers count themselves.

The weights of Qwen, o200k, cl100k and SmolLM2 are least squares, with each digit's given, over half of the passages of
`tests/agents/backends/passages` and half of the prompts' templates, counted by the tokenizers themselves; the other
halves come out within 10 %. Gemma's stand as in facts/local-models-chroma.md section D: its tokenizer was not at hand.
"""

import math
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from threading import Lock

from bookwright.models.text.language import lazy_pattern
from bookwright.models.text.plain import CharacterTable

_KINDS = {
    "h": lazy_pattern(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "k": lazy_pattern(r"[\u3040-\u30ff]"),
    "g": lazy_pattern(r"[\u1100-\u11ff\uac00-\ud7af]"),
    "a": lazy_pattern(r"[^\W\d_\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"),
    "d": lazy_pattern(r"\d"),
    "m": lazy_pattern(r"[^\w\s]|_"),
}
"""Han, kana, hangul, letters of spelt words, digits and marks; a character may be of two kinds."""
_LONG_WORD_LETTERS = 6
_SHAPES = CharacterTable(lambda each: "".join(kind for kind, pattern in _KINDS.items() if pattern.match(each)) or " ")
_APART = str.maketrans(dict.fromkeys(_KINDS.keys() - {"a"}, " "))


@dataclass(frozen=True)
class _Weights:
    """Tokens for each occurrence of a feature, in the order in which `_features` counts them."""

    han: float
    kana: float
    hangul: float
    word: float
    extra_letter: float
    digit: float
    mark: float
    newline: float


_FAMILIES = {
    "qwen": _Weights(0.81, 0.69, 1.04, 1.03, 0.30, 1.0, 0.57, 0.18),
    "gemma": _Weights(0.80, 0.45, 0.80, 0.96, 0.14, 0.6, 1.40, 0.4),
    "o200k": _Weights(0.96, 0.82, 0.94, 1.04, 0.20, 0.6, 0.54, 0.26),
    "cl100k": _Weights(1.44, 1.08, 1.51, 1.07, 0.27, 0.6, 0.47, 0.16),
    "smollm2": _Weights(2.00, 1.92, 2.86, 1.02, 0.26, 1.0, 0.62, 1.04),
    "unknown": _Weights(1.0, 1.0, 1.0, 1.05, 0.25, 1.0, 0.6, 0.3),
}
_PATTERNS = (
    ("gpt-3*", "cl100k"), ("gpt-4", "cl100k"), ("gpt-4-*", "cl100k"), ("gpt-*", "o200k"), ("o[1-9]*", "o200k"),
    ("*qwen*", "qwen"), ("*gemma*", "gemma"), ("*smollm*", "smollm2"),
)  # fmt: skip
_MARGIN = 1.1
_BYTES_PER_TOKEN = 3
_FRAME = 400
"""Tokens that a provider adds to a prompt: marks of roles, and its own words on how to use a tool."""
_SMOOTHING = 0.2
_LEAST_TEXT = 50
"""Tokens below which a count says nothing about the ratio: chat frames weigh too much."""


def family_of(model: str) -> str:
    """Tell which tokenizer family a model (without its provider) is likely to use."""
    bare = model.lower().rpartition("/")[2]
    return next((family for pattern, family in _PATTERNS if fnmatchcase(bare, pattern)), "unknown")


def count_raw(text: str, family: str) -> float:
    """Estimate the tokens of `text` by the family's weights, without margin or correction."""
    weights = _FAMILIES[family]
    han, kana, hangul, words, extra, digits, marks, newlines = _features(text)
    return (
        weights.han * han + weights.kana * kana + weights.hangul * hangul + weights.word * words
        + weights.extra_letter * extra + weights.digit * digits + weights.mark * marks + weights.newline * newlines
    )  # fmt: skip


@lru_cache(maxsize=256)
def _features(text: str) -> tuple[int, ...]:
    """Count what tokens depend on. Cached, for the blocks of a prompt come again in the next step."""
    shape = text.translate(_SHAPES)
    words = shape.translate(_APART).split()
    extra = sum([len(word) - _LONG_WORD_LETTERS for word in words if len(word) > _LONG_WORD_LETTERS])
    han, kana, hangul, digits, marks = map(shape.count, "hkgdm")
    return han, kana, hangul, len(words), extra, digits, marks, text.count("\n")


def _bytes(texts: tuple[str, ...]) -> int:
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


class TokenCounter:
    """Token estimates for each model, drawn towards what its provider has counted. Thread-safe."""

    def __init__(self) -> None:
        self._ratios: dict[str, float] = {}
        self._lock = Lock()

    def estimate(self, name: str, *texts: str) -> int:
        """Estimate the tokens of `texts` for `provider:model`, 10 % above what is likely."""
        return math.ceil(self._raw(name, texts) * self.ratio(name) * _MARGIN)

    def unsaid(self, name: str, *texts: str) -> int:
        """Estimate, on the high side, what a provider did not count, so that no cap is passed by it.

        Not below a token for three bytes: hardly any text has more, in any of the four languages.
        """
        return max(self.estimate(name, *texts), math.ceil(_bytes(texts) / _BYTES_PER_TOKEN))

    def bound(self, name: str, *texts: str) -> int:
        """Return an upper bound of any provider's count for a prompt of `texts`: a token for each byte, and its frame.

        Tokenizers fall back to bytes at the worst, so a cap that is held by this figure is held.
        """
        return max(_bytes(texts) + _FRAME, self.estimate(name, *texts))

    def observe(self, name: str, counted: int, *texts: str) -> None:
        """Learn that the provider counted so many tokens for `texts`."""
        raw = self._raw(name, texts)
        if raw < _LEAST_TEXT or counted <= 0:
            return
        seen = min(max(counted / raw, 0.25), 4.0)
        with self._lock:
            before = self._ratios.get(name)
            self._ratios[name] = seen if before is None else before + _SMOOTHING * (seen - before)

    def ratio(self, name: str) -> float:
        """Tell how many tokens the provider counts where the weights say one; 1.0 before the first count."""
        with self._lock:
            return self._ratios.get(name, 1.0)

    @staticmethod
    def _raw(name: str, texts: tuple[str, ...]) -> float:
        family = family_of(name.partition(":")[2])
        return sum(count_raw(text, family) for text in texts)
