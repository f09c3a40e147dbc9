"""Names beside the codex: spellings that nearly are a known name, and names that nobody has put on record."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from bookwright.agents.relay.figures.name_forms import NameForm, candidates, parts_of, plain_form
from bookwright.agents.relay.figures.text import excerpt
from bookwright.models.text.figures import NameDoubt
from bookwright.models.text.language import Language

_OFTEN = 3
"""From here on a name that nobody knows is worth a line."""
_DOUBTS = 20
_OLD_FORMS = str.maketrans(
    "齋齊斉澤邊邉髙﨑嶋濱櫻廣龍國惠眞瀨黑條壽榮會", "斎斎斎沢辺辺高崎島浜桜広竜国恵真瀬黒条寿栄会"
)
_LONG = 8
"""A spelt name this long may differ by two letters and still be a slip."""


@dataclass
class _Seen:
    """One spelling in the text."""

    count: int = 0
    is_named: bool = False
    """It stood where only a name stands: with a title, or before what people do."""
    span: tuple[int, int] = (0, 0)


def name_doubts(text: str, known: Iterable[str], language: Language) -> tuple[NameDoubt, ...]:
    """Return the names of a text that are not among the known ones: near misses first, then unknown ones.

    `known` holds names and aliases; a part of a name, and a name in another romanisation that is spelt alike
    but for marks and hyphens, are known too. An unknown name is told from its third mention on.
    """
    names = {plain_form(part): name for name in known for part in parts_of(name, language) if part}
    seen: dict[str, _Seen] = {}
    for found in candidates(text, language, frozenset(names)):
        if plain_form(found.name) not in names:
            _note(seen.setdefault(found.name, _Seen()), found)
    doubts = [doubt for name, entry in seen.items() if (doubt := _doubt(name, entry, names, text, language))]
    return tuple(sorted(doubts, key=lambda doubt: (not doubt.like, -doubt.count, doubt.name))[:_DOUBTS])


def _note(entry: _Seen, found: NameForm) -> None:
    entry.span = entry.span if entry.count else (found.start, found.end)
    entry.count += 1
    entry.is_named |= found.is_named


def _doubt(name: str, entry: _Seen, names: dict[str, str], text: str, language: Language) -> NameDoubt | None:
    like = next((whole for part, whole in names.items() if _is_near(plain_form(name), part, language)), "")
    if not like and not (entry.is_named and entry.count >= _OFTEN):
        return None
    return NameDoubt(name=name, count=entry.count, like=like, quote=excerpt(text, *entry.span))


def _is_near(name: str, known: str, language: Language) -> bool:
    """Tell whether a spelling is a slip for a known name."""
    if language is Language.EN or known.isascii():
        return len(known) >= 4 and differs_by(name, known) <= (2 if min(len(name), len(known)) >= _LONG else 1)
    if language is Language.KO:
        return _is_near_in_hangul(name, known)
    if _is_kana(known):
        return len(known) >= 3 and _is_kana(name) and differs_by(name, known) == 1
    if language is Language.JA and len(known) < 3:  # 佐藤 and 斎藤 are two families, 斎藤 and 斉藤 may be one
        return name.translate(_OLD_FORMS) == known.translate(_OLD_FORMS)
    return len(name) == len(known) >= 2 and sum(a != b for a, b in zip(name, known, strict=True)) == 1


def _is_near_in_hangul(name: str, known: str) -> bool:
    """Tell two names apart by one sound, or names of three syllables by one of them."""
    if len(name) != len(known):
        return False
    if len(known) >= 3:
        return sum(a != b for a, b in zip(name, known, strict=True)) == 1
    return differs_by(_sounds(name), _sounds(known)) == 1


def _sounds(name: str) -> str:
    return unicodedata.normalize("NFD", name)


def _is_kana(name: str) -> bool:
    return all("\u3040" <= letter <= "\u30ff" for letter in name)


def differs_by(one: str, other: str, most: int = 3) -> int:
    """Count the letters to change, add, drop or swap with a neighbour to come from one word to the other.

    `most` and more are all the same. Source: optimal string alignment (Damerau 1964).
    """
    if abs(len(one) - len(other)) >= most:
        return most
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(row[-1] + 1, before[j] + 1, before[j - 1] + (a != b)))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                row[-1] = min(row[-1], last[j - 2] + 1)
    return min(row[-1], most)
