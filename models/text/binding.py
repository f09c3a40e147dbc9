"""Lines of a kept document that bind every later page, and the guard that none is lost in silence.

A line that begins with `§` binds. A new version carries it on, or releases it by name: a line
`§- the old line -> why`. Source: DESIGN section 8, "Maintainers"; CRAFT section 5.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from bookwright.models.text.language import lazy_pattern

MARK = "§"
RELEASE = "§-"

_LEAD = lazy_pattern(r"^(?:[\s>*_`+-]|\d{1,3}[.)、．]|[(（]\d{1,3}[)）])*(?=§)")
"""Bullets, numbers, quotation bars, emphasis and code marks, which models put before a line as they like."""

_NOT_TOLD = lazy_pattern(r"[\W_]+")
_LETTER = lazy_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_TOKEN = lazy_pattern(rf"{_LETTER.pattern}|(?:(?!{_LETTER.pattern})\w)+")
_QUOTED = lazy_pattern(r"\*([^*]+)\*|“([^”]+)”|「([^」]+)」|『([^』]+)』|\"([^\"]+)\"")
_STRETCH, _QUOTED_STRETCH = 14, 8
"""Weight of words in a row that come from a line and nowhere else, and from what it quotes."""
_WORD_WEIGHT, _LETTER_WEIGHT = 2, 1
_ARROW = lazy_pattern(r"->|→|⇒|=>|$")


def binding_lines(text: str) -> list[str]:
    """Return the lines of a text that bind, without bullets, in their order."""
    return [line for line in _marked(text) if not line.startswith(RELEASE) and _same(line)]


def released_lines(text: str, known: Iterable[str]) -> list[str]:
    """Return those of the known lines that a text releases; each release frees the longest one it can mean.

    A line may itself hold an arrow, so every arrow of a release may be the one before its reason.
    """
    by_wording = {_same(line): line for line in known}
    found = []
    for line in _marked(text):
        if line.startswith(RELEASE):
            told = line.removeprefix(RELEASE)
            heads = [_same(told[: arrow.start()]) for arrow in _ARROW.finditer(told)]
            found += [by_wording[head] for head in reversed(heads) if head in by_wording][:1]
    return found


def lost_lines(before: str, after: str) -> list[str]:
    """Return the binding lines of `before` that `after` neither holds nor releases.

    Wording counts letter by letter, and so does every figure; marks, spaces, width and case do not.
    """
    known = binding_lines(before)
    held = {_same(line) for line in (*binding_lines(after), *released_lines(after, known))}
    return [line for line in known if _same(line) not in held]


def demand(lines: Sequence[str], text: str) -> bool:
    """True if a sentence holds words that one of the binding lines demands.

    These are so many words in a row that they can only come from there, fewer where the line quotes them, or all that
    the sentence has where they are a part of a quotation; marks, spaces, width and case do not count.
    """
    told = list(map(_words, lines))
    quoted = [_words(words) for line in lines for words in _quoted(line)]
    said = _words(text)
    if told and any(run in words for run in _stretches(said, _STRETCH) for words in told):
        return True
    if quoted and any(run in words for run in _stretches(said, _QUOTED_STRETCH) for words in quoted):
        return True
    return bool(said.strip()) and any(said in words for words in quoted)


def _stretches(said: str, least: int) -> Iterator[str]:
    """Yield the shortest runs of a text's words of at least that weight, each with a space around every word."""
    words = said.split()
    weights = [_LETTER_WEIGHT if _LETTER.fullmatch(word) else _WORD_WEIGHT for word in words]
    for start in range(len(words)):
        end, weight = start, 0
        while end < len(words) and weight < least:
            weight += weights[end]
            end += 1
        if weight >= least:
            yield f" {' '.join(words[start:end])} "


def _words(text: str) -> str:
    """A text's words, Chinese and Japanese by the letter, with a space around each."""
    return f" {' '.join(_TOKEN.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def _quoted(line: str) -> list[str]:
    """What a line quotes, and all from the first of it to the last: a name in italics may stand upright between."""
    found = list(_QUOTED.finditer(line))
    return [*(one[0] for one in found), line[found[0].start() : found[-1].end()]] if found else []


def without_releases(text: str) -> str:
    """Return a text as it is kept: what was released has been said, and stands in the journal."""
    kept = [line for line in text.splitlines() if not _LEAD.sub("", line).strip().startswith(RELEASE)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _marked(text: str) -> list[str]:
    """The lines that carry the mark, without what stands around them."""
    bare = ((_LEAD.sub("", line).strip(), line.strip()) for line in text.splitlines())
    return [
        found.rstrip("`*_ ") if found != line else found  # what opened before the mark closes at the end
        for found, line in bare
        if found.startswith(MARK)
    ]


def _same(line: str) -> str:
    """The line as far as it tells anything; combining marks and signs of other scripts are kept."""
    return _NOT_TOLD.sub("", unicodedata.normalize("NFKC", line)).casefold()
