"""What a sentence has in common with a secret by its words, and the sentence without it.

People and places stand in harmless sentences as in telling ones. What is left when names and shared words
are out is what a sentence says of them.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from bookwright.agents.relay.leaks.letters import is_spelt, plain_letters
from bookwright.models.codex.entries import Secret
from bookwright.models.text.language import Language
from bookwright.models.text.lazy_pattern import lazy_pattern

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


@dataclass(frozen=True)
class _Word:
    """A word that tells something, with its place in the text and the form by which it is compared."""

    form: str
    start: int
    end: int


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
        text = re.sub(_whole(name), instead, text)
    return text


def without_shared(text: str, secret: str, language: Language) -> str:
    """Return the text without the words that it shares with a secret's content; nothing if nothing else is there."""
    wanted = {word.form for word in _words(secret, language)}
    place, kept = 0, ""
    for word in _words(text, language):
        if word.form in wanted:
            kept, place = kept + text[place : word.start], word.end
    return " ".join((kept + text[place:]).split())


@lru_cache(maxsize=4_096)
def _words(text: str, language: Language) -> tuple[_Word, ...]:
    """The words of a sentence that mean something; each draft of a chapter has most sentences of the one before."""
    formed = ((_form(found.group(), language), found) for found in _WORD[language].finditer(text))
    return tuple(
        _Word(form, found.start(), found.end()) for form, found in formed if form and form not in _COMMON[language]
    )


def _form(word: str, language: Language) -> str:
    match language:
        case Language.EN:
            plain = word.casefold()
            return "" if len(plain) < _LEAST_NAME or plain in _COMMON[language] else _ENDING[language].sub("", plain)
        case Language.KO:
            return _ENDING[language].sub("", word)[:_STEM]
    return "".join(map(plain_letters, word))


def _whole(name: str) -> str:
    """A spelt name is found as a whole word; after others a particle may follow without a space."""
    pattern = re.escape(name)
    return rf"(?<!\w){pattern}(?!\w)" if is_spelt(name[-1]) and name.isascii() else pattern
