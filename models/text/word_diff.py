"""What two versions of a prose text differ in, word by word, in time that grows with their length and no faster.

Paragraphs are compared first, then the sentences of those that changed, then the words of sentences that changed.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_EASTERN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LEVELS = (
    re.compile(r"[^\n]*\n+|[^\n]+"),
    re.compile(r".+?(?:[.!?…。！？]+[\"'”’」』）)]*\s*|\Z)", re.DOTALL),
    re.compile(rf"[{_EASTERN}]\s*|[^\s{_EASTERN}]+\s*|\s+"),
)
"""Paragraphs, sentences, and words or characters of a script without spaces; each with the space behind it."""

_MOST_WORDS = 2_000
"""Beyond so many on both sides together, what has no sentence in common is told as replaced."""

Change = tuple[str, str]
"""What stood there and what stands there now; the same text twice where nothing changed."""


def word_diff(before: str, after: str) -> Iterator[Change]:
    """Yield the changes in order; the first halves make up `before`, the second ones `after`."""
    for old, new in _compared(before, after, _LEVELS):
        words = old.rstrip(), new.rstrip()
        spaces = old[len(words[0]) :], new[len(words[1]) :]
        if old != new and (words[0] == words[1] or spaces[0] == spaces[1]):  # one of the two is all that changed
            yield from (part for part in (words, spaces) if any(part))
        else:
            yield old, new


def _compared(before: str, after: str, levels: Sequence[re.Pattern[str]]) -> Iterator[Change]:
    level, *finer = levels
    old, new = level.findall(before), level.findall(after)
    if not finer and len(old) + len(new) > _MOST_WORDS:
        yield before, after
        return
    matcher = SequenceMatcher(None, [piece.rstrip() for piece in old], [piece.rstrip() for piece in new], bool(finer))
    for tag, start, end, first, last in matcher.get_opcodes():
        for was, now in _paired(old[start:end], new[first:last]):
            if tag == "replace" and finer:
                yield from _compared(was, now, finer)
            else:
                yield was, now


def _paired(old: list[str], new: list[str]) -> list[Change]:
    """Take the pieces of a changed stretch one by one if they are as many as before, else all together."""
    return list(zip(old, new, strict=True)) if len(old) == len(new) else [("".join(old), "".join(new))]
