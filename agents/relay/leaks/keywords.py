"""Finds forbidden keywords however they are spelt: by width, case, script, spacing, signs or look-alikes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bookwright.agents.relay.leaks.folding import Folded, fold, is_hangul, is_kana, is_spelt

_CLAUSE = re.compile(r"[，。、！？；：,;:!?…—–\n\r「」『』“”\"（）()《》]|\.\s")
_SUFFIXES = ("s", "es")
_LONG_SUFFIXES = ("ed", "d", "ing", "er", "ers", "r", "rs", "en")
"""Endings of words of five letters and more; a shorter one becomes another word by them (`car`, `caring`)."""

_LONG = 5
_SHORT_KANA = 3


@dataclass(frozen=True)
class KeywordHit:
    """One occurrence of a keyword; places count characters of the text as written."""

    keyword: str
    start: int
    end: int
    is_certain: bool
    """False where words that stand side by side may read like it by chance."""


def find_keyword(draft: Folded, keyword: str) -> list[KeywordHit]:
    """Return all occurrences of a keyword, first to last, none inside another.

    Latin keywords are found at word boundaries, with English endings; others anywhere.
    """
    wanted = fold(keyword)
    found: dict[int, KeywordHit] = {}
    for form in _forms(wanted):
        for start in _places(draft.letters, form):
            end = start + len(form)
            if start not in found and _is_whole(draft, start, end):
                found[start] = KeywordHit(keyword, *draft.span(start, end), _is_certain(draft, wanted, start, end))
    return [found[start] for start in sorted(found)]


def first_certain(draft: Folded, words: Iterable[str]) -> str:
    """Return the first of some words that stands in a draft by no chance, as it is written there; empty for none."""
    hits = (hit for word in words for hit in find_keyword(draft, word) if hit.is_certain)
    return next((draft.text[hit.start : hit.end] for hit in hits), "")


def stem_of(keyword: str) -> str:
    """Return the letters that are in every text in which a keyword is found; empty for one that never is."""
    letters = fold(keyword).letters
    return letters[:-1] if len(letters) >= _LONG and is_spelt(letters[-1]) else letters


def _forms(wanted: Folded) -> Iterator[str]:
    """Yield the keyword with its endings, longest first; nothing for one without letters."""
    word = wanted.letters
    if not word:
        return
    if is_spelt(word[-1]) and word[-1].isalpha():
        endings = _SUFFIXES + (_LONG_SUFFIXES if len(word) >= _LONG else ())
        yield from sorted((word + ending for ending in endings), key=len, reverse=True)
        if len(word) >= _LONG:
            yield from _respelt(word)
    yield word


def _respelt(word: str) -> Iterator[str]:
    """Yield forms in which English changes the end of the word: forging, robbed, duchies."""
    if word.endswith("e"):
        yield word[:-1] + "ing"
    elif word.endswith("y"):
        yield from (word[:-1] + ending for ending in ("iers", "ies", "ied", "ier"))
    elif word[-1] not in "aiouwxh":
        yield from (word + word[-1] + ending for ending in ("ing", "ers", "ed", "er"))


def _places(letters: str, form: str) -> Iterator[int]:
    place = letters.find(form)
    while place >= 0:
        yield place
        place = letters.find(form, place + 1)


def _is_whole(draft: Folded, start: int, end: int) -> bool:
    """True if the letters are whole written letters and, spelt ones, whole words."""
    if not (draft.opens(start) and draft.closes(end)) or _goes_on(draft, start) or _goes_on(draft, end):
        return False
    return not (_is_spread(draft, start, start + 1) or _is_spread(draft, end, end - 1))


def _goes_on(draft: Folded, place: int) -> bool:
    """True if a word goes on over that place: spelt letters on both sides and nothing to see between."""
    if not 0 < place < len(draft.letters):
        return False
    before, after = draft.letters[place - 1], draft.letters[place]
    return is_spelt(before) and is_spelt(after) and not draft.gap(place)


def _is_spread(draft: Folded, place: int, inner: int) -> bool:
    """True if a word that is spread out letter by letter goes on over that place, as in `p.a.r.t.y`."""
    beyond = place - 1 if inner > place else place + 1
    if not (0 < place < len(draft.letters) and 0 < inner < len(draft.letters) and is_spelt(draft.letters[place])):
        return False
    gap = draft.gap(place)
    is_lone = not 0 < beyond < len(draft.letters) or bool(draft.gap(beyond))
    return bool(gap) and gap == draft.gap(inner) and is_lone and is_spelt(draft.letters[place - 1])


def _is_certain(draft: Folded, wanted: Folded, start: int, end: int) -> bool:
    """Judge whether the letters can hardly have come together by chance.

    The keyword's own breaks do not count. Signs between all letters are meant; spaces between
    parts of a spelt or Korean word, and clause marks anywhere, may come from two words that meet.
    """
    if _is_inside_kana(draft, wanted, start, end):
        return False
    own = {place for place in range(1, len(wanted.letters)) if wanted.opens(place) and wanted.gap(place)}
    foreign = [place for place in range(start + 1, end) if draft.opens(place) and place - start not in own]
    gaps = [(place, draft.gap(place)) for place in foreign]
    filled = [(place, gap) for place, gap in gaps if gap]
    if len(filled) == len(gaps) >= 2:
        return True
    return not any(_may_be_chance(draft.letters[place], gap) for place, gap in filled)


def _may_be_chance(letter: str, gap: str) -> bool:
    return bool(_CLAUSE.search(gap)) or (gap.isspace() and (is_spelt(letter) or is_hangul(letter)))


def _is_inside_kana(draft: Folded, wanted: Folded, start: int, end: int) -> bool:
    """True for a short word in the other kana with kana on both sides: it may be parts of two words."""
    if end - start > _SHORT_KANA or not all(map(is_kana, draft.letters[start:end])):
        return False
    if draft.text[draft.starts[start] : draft.ends[end - 1]] == wanted.text:
        return False
    around = (start > 0 and not draft.gap(start), end < len(draft.letters) and not draft.gap(end))
    return all(around) and is_kana(draft.letters[start - 1]) and is_kana(draft.letters[end])
