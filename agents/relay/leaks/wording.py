"""Finds what tells something kept in its own words: sentences of a secret by their words, setting text by its letters.

People and places stand in harmless sentences as in telling ones. What is left when names and shared words
are out is what a sentence says of them.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from rapidfuzz import fuzz

from bookwright.agents.relay.leaks.folding import Folded, fold, is_spelt, letters_of, plain_letters
from bookwright.agents.relay.leaks.units import Run, Sentence, runs_of, spared
from bookwright.models.codex.entries import Importance, Secret
from bookwright.models.text.language import Language, lazy_pattern

THRESHOLDS = {Importance.CRITICAL: 0.55, Importance.HIGH: 0.60, Importance.MEDIUM: 0.70, Importance.LOW: 0.75}
"""Similarity above which it is a leak. Source: DETAILS "Leak checks and thresholds"."""

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = lazy_pattern(rf"[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*|[々〻ー]|(?!_)[{_CJK}]")

_QUOTED_CHARACTERS = 20
"""Characters that make a quotation, signs and spaces included. Source: DETAILS "Leak checks and thresholds"."""

_QUOTED_WORDS = 6
"""And words that it has at least where words are spelt: twenty letters are three words, which any two texts share."""

_GRAM = 12
"""Letters by which quotations are looked up; a quotation has more of them in every script."""

_REPEATS = 16
"""Places of one run of letters in a text that are tried, so that a text of one letter costs no more than others."""

_TRIED_AGAIN = 4 * _GRAM
"""Letters of a shared run that is no quotation (it has too few words) up to which one is sought inside it."""


@dataclass(frozen=True)
class Alike:
    """A run of sentences that is like a secret, and how much, 0 to 1."""

    run: Run
    score: float


@lru_cache(maxsize=4_096)
def tokens(text: str) -> tuple[str, ...]:
    """Cut a text into spelt words, kana, han characters and Korean syllables, all in plain form."""
    found = _TOKEN.findall(unicodedata.normalize("NFKC", text))
    plain = (plain_letters(token) if len(token) == 1 else token.casefold() for token in found)
    return tuple(token for token in plain if token)


def wording_score(secret: Sequence[str], told: Sequence[str]) -> float:
    """Tell how far a text has the secret's words in its order, 0 to 1.

    The part of the text that is as long as the secret and fits it best is compared, by edits that
    insert or delete a word; a text shorter than the secret is compared whole. Words and not letters
    are counted, because two English sentences of one length share half of their letters.
    """
    if not secret or not told:
        return 0.0
    measure = fuzz.partial_ratio if len(told) >= len(secret) else fuzz.ratio
    return measure(secret, told) / 100


def find_alike(sentences: Sequence[Sentence], secret: Secret) -> list[Alike]:
    """Return the runs of sentences above the secret's threshold, the best of those that overlap.

    They are above it with the names and without: a name stands in harmless sentences, too.
    """
    texts, least = spared(sentences, secret.allowed_expressions), THRESHOLDS[secret.importance]
    found = _above(least, tokens(secret.content), [tokens(text) for text in texts], runs_of(len(texts)))
    names = names_of([secret])
    words = tokens(without_names(secret.content, names, " "))
    if found and words:
        told = [tokens(without_names(text, names, " ")) for text in texts]
        found = _above(least, words, told, [alike.run for alike in found])
    return best_apart(found)


def _above(least: float, words: Sequence[str], told: Sequence[Sequence[str]], runs: Iterable[Run]) -> list[Alike]:
    shared = [set(words).intersection(each) for each in told]
    enough = least / 2 * len(set(words))  # with a similarity of r at least r / 2 of the secret's words are shared
    sizes = list(map(len, shared))  # of most runs they say already that there are not enough
    hopeful = (run for run in runs if sum(sizes[run.first : run.last + 1]) >= enough)
    near = (run for run in hopeful if len(set().union(*shared[run.first : run.last + 1])) >= enough)
    scored = [Alike(run, wording_score(words, list(chain(*told[run.first : run.last + 1])))) for run in near]
    return [each for each in scored if each.score > least]


def best_apart(found: Sequence[Alike]) -> list[Alike]:
    """Keep the best of the runs that overlap, the shorter where two are as good; in reading order."""
    kept: list[Alike] = []
    for each in sorted(found, key=lambda alike: (-alike.score, alike.run.count)):
        if not any(each.run.overlaps(other.run) for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda alike: alike.run.first)


SOMEBODY = {Language.EN: "someone", Language.ZH: "某人", Language.JA: "ある人", Language.KO: "어떤 사람"}
"""Stands for a name where a sentence has to stay one."""

_LEAST_NAME = 3
"""Letters of a part of a spelt name that is a name by itself: `Edric` of `Prince Edric`, not `de`."""

_WORD = {
    Language.EN: lazy_pattern(r"\w+(?:['’]\w+)?"),
    Language.ZH: lazy_pattern(r"[\u3400-\u9fff]"),
    Language.JA: lazy_pattern(r"[\u3400-\u9fff]|[\u30a0-\u30ff]{2,}"),
    Language.KO: lazy_pattern(r"[\uac00-\ud7af]+"),
}

_COMMON = {
    Language.EN: frozenset(
        "the and that but not was were had has have his her him she they them their who whom with for from this there "
        "then than when where what which been being are into only one all any out its you your said would could did "
        "does nor now too".split()
    ),
    Language.ZH: frozenset(
        map(
            plain_letters,
            "的了是在他她它们我你这那一不没有人上下也都就着过还说个把被给从到去来为和与对里出起其实让向又很最大小中年天自己什么后前时候只",
        )
    ),
    Language.JA: frozenset(map(plain_letters, "人年日時事者方中上下前後分出来行見言何私彼女男一二三十大小今手")),
    Language.KO: frozenset("그 그녀 것 수 더 늘 또 이 저 그리고 아니 아니라 있 없 그가 어떤".split()),
}
"""What every sentence has; to take it out would leave no sentence."""

_ENDING = {
    Language.EN: lazy_pattern(r"(?<=\w{3})(?:['’]s|ing|ed|es|s|e)$"),
    Language.KO: lazy_pattern(
        r"(?<=.)(?:이었다|였다|에게|에서|으로|처럼|까지|부터|하고|이라고|라고|이다|이며|들이|들을|들의"
        r"|은|는|이|가|을|를|의|에|로|와|과|도|만|다|며|한|들)$"
    ),
}
_STEM = 2
"""Syllables of a Korean word that are compared; what follows them is mostly an ending."""


def names_of(secrets: Collection[Secret]) -> frozenset[str]:
    """Return the names that secrets are about, and the parts of spelt ones.

    A name of one letter is none here: it stands inside other words, as `왕` does.
    """
    names = {secret.related_entity.strip() for secret in secrets}
    parts = {part for name in names for part in name.split() if len(part) >= _LEAST_NAME and part[0].isupper()}
    return frozenset(name for name in names | parts if len(name) > 1)


def without_names(text: str, names: Collection[str], instead: str) -> str:
    """Return the text with something else in the place of each name."""
    for name in sorted(names, key=lambda each: (-len(each), each)):
        text = re.sub(_whole(name), instead, text) if name in text else text
    return text


def without_shared(text: str, secret: str, language: Language) -> str:
    """Return the text without the words that it shares with a secret's content; nothing if nothing else is there."""
    pattern, shared = _WORD[language], {_form(word, language) for word in _WORD[language].findall(secret)} - {""}
    kept = pattern.sub(lambda found: "" if _form(found.group(), language) in shared else found.group(), text)
    return " ".join(kept.split())


@lru_cache(maxsize=65_536)
def _form(word: str, language: Language) -> str:
    """The form by which a word is compared; empty for one that means nothing by itself."""
    match language:
        case Language.EN:
            plain = word.casefold()
            is_telling = len(plain) >= _LEAST_NAME and plain not in _COMMON[language]
            form = _ENDING[language].sub("", plain) if is_telling else ""
        case Language.KO:
            form = _ENDING[language].sub("", word)[:_STEM]
        case _:
            form = "".join(map(plain_letters, word))
    return "" if form in _COMMON[language] else form


def _whole(name: str) -> str:
    """A spelt name is found as a whole word; after others a particle may follow without a space."""
    pattern = re.escape(name)
    return rf"(?<!\w){pattern}(?!\w)" if is_spelt(name[-1]) and name.isascii() else pattern


@dataclass(frozen=True)
class Quoted:
    """A run of characters that the draft shares with a setting text; places count those of the draft."""

    start: int
    end: int
    setting: int
    """Which of the texts, from 0."""


def find_quotations(draft: Folded, settings: Sequence[str]) -> list[Quoted]:
    """Return the longest shared runs, in the order of the texts and of the draft.

    Takes time in proportion to the length of draft and texts together: the draft is read once
    along the places of its twelve-letter runs in a text, never compared place by place.
    """
    return [
        Quoted(*draft.span(start, end), number)
        for number, text in enumerate(settings)
        for start, end in _shared(draft, fold(text))
    ]


def _shared(draft: Folded, setting: Folded) -> list[tuple[int, int]]:
    """Return slices of the draft's letters that stand in the setting and are long enough."""
    places = _places(setting.letters, _grams(draft.letters))
    found: list[tuple[int, int]] = []
    start = 0
    while places and start <= len(draft.letters) - _GRAM:
        there = places.get(draft.letters[start : start + _GRAM])
        end = max(_common_end(draft.letters, start, setting.letters, place) for place in there) if there else start
        if end > start and is_long_enough(draft.text[slice(*draft.span(start, end))]):
            found.append((start, end))
            start = end
        else:
            start = end if end - start > _TRIED_AGAIN else start + 1
    return found


@lru_cache(maxsize=2)
def _grams(letters: str) -> frozenset[str]:
    """The runs of `_GRAM` letters of a draft, which is held against one setting text after the other."""
    return frozenset(letters[place : place + _GRAM] for place in range(len(letters) - _GRAM + 1))


def _places(letters: str, wanted: Collection[str]) -> dict[str, list[int]]:
    """Return where each of the wanted runs of `_GRAM` letters begins, the first few places each."""
    found: dict[str, list[int]] = {}
    for place in [at for at in range(len(letters) - _GRAM + 1) if letters[at : at + _GRAM] in wanted]:
        known = found.setdefault(letters[place : place + _GRAM], [])
        if len(known) < _REPEATS:
            known.append(place)
    return found


def _common_end(draft: str, start: int, setting: str, there: int) -> int:
    limit = min(len(draft) - start, len(setting) - there)
    step = next((step for step in range(_GRAM, limit) if draft[start + step] != setting[there + step]), limit)
    return start + step


def is_long_enough(text: str) -> bool:
    """Whether so much of a setting text is a quotation."""
    words = text.strip()
    if len(words) < _QUOTED_CHARACTERS:
        return False
    return not is_spelt(letters_of(words[0])[:1] or words[0]) or len(words.split()) >= _QUOTED_WORDS
