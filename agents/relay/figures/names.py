"""Names beside the codex: spellings that nearly are a known name, and names that nobody has put on record."""

import unicodedata
from collections.abc import Iterable, Sequence

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


def name_doubts(text: str, known: Iterable[str], language: Language) -> tuple[NameDoubt, ...]:
    """Return the names of a text that are not among the known ones: near misses first, then unknown ones.

    `known` holds names and aliases; a part of a name, and a name in another romanisation that is spelt alike
    but for marks and hyphens, are known too. An unknown name is told from its third mention on.
    """
    names = {plain_form(part): name for name in known for part in parts_of(name, language) if part}
    seen: dict[str, list[NameForm]] = {}
    for found in candidates(text, language, frozenset(names)):
        if plain_form(found.name) not in names:
            seen.setdefault(found.name, []).append(found)
    doubts = [doubt for forms in seen.values() if (doubt := _doubt(forms, names, text, language))]
    return tuple(sorted(doubts, key=lambda doubt: (not doubt.like, -doubt.count, doubt.name))[:_DOUBTS])


def _doubt(forms: Sequence[NameForm], names: dict[str, str], text: str, language: Language) -> NameDoubt | None:
    """What is doubtful about a spelling that stands at some places."""
    name = forms[0].name
    like = next((whole for part, whole in names.items() if _is_near(plain_form(name), part, language)), "")
    if not like and not (len(forms) >= _OFTEN and any(form.is_named for form in forms)):
        return None
    return NameDoubt(name=name, count=len(forms), like=like, quote=excerpt(text, forms[0].start, forms[0].end))


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


def differs_by(one: str, other: str) -> int:
    """Count the letters to change, add, drop or swap with a neighbour to come from one word to the other, 3 at most.

    Source: optimal string alignment (Damerau 1964).
    """
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other, score_cutoff=2)
