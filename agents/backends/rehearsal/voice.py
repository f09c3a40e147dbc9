"""One book's voice: a small cast that recurs, sentences about it, and numbered facts to remember."""

import re
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from bookwright.agents.backends.rehearsal.lexicons.lexicon import Lexicon, lexicon_of
from bookwright.models.text.language import Language

_PEOPLE, _PLACES = 7, 6
_SLOT = re.compile(r"\{(\w+)\}")

Form = tuple[str | tuple[str, ...], ...]
"""A sentence form, taken apart: what stands fast, and what is chosen from."""


@dataclass(frozen=True)
class Fact:
    """A numbered fact of a book: told once, early, and asked for later."""

    number: int
    told: str
    answer: str
    """The words of `told` that nobody can guess."""
    question: str
    recalled: str


class Voice:
    """Sentences of one book. The same book always has the same people, places and facts."""

    def __init__(self, lexicon: Lexicon, identity: str) -> None:
        rng = Random(identity)
        self.lexicon = lexicon
        self.language = lexicon.language
        self.marker = lexicon.marker
        self.people = tuple(rng.sample(lexicon.people, _PEOPLE))
        self.places = tuple(rng.sample(lexicon.places, _PLACES))
        self._identity = identity
        self._people = tuple(map(self._as_subject, self.people))
        self._slots = {**lexicon.slots, "who": self._people, "where": self.places}
        if lexicon.language is Language.EN:  # mostly first names, as in any novel
            first = tuple(name.partition(" ")[0] for name in self.people)
            self._slots["who"] = (*self._people, *first, *first, "she", "he", *lexicon.slots["other"][:6])
        self._forms = {
            kind: tuple(map(self._compiled, getattr(lexicon, kind)))
            for kind in ("told", "spoken", "noted", "asked", "aims", "titles")
        }

    def sentence(self, kind: str, rng: Random) -> str:
        """Make one sentence; `kind` names a list of forms in the lexicon."""
        random = rng.random
        forms = self._forms[kind]
        text = "".join(
            [
                part if isinstance(part, str) else part[int(random() * len(part))]
                for part in forms[int(random() * len(forms))]
            ]
        )
        return text[0].upper() + text[1:]

    def title(self, rng: Random) -> str:
        """Make a title."""
        text = self.sentence("titles", rng)
        return text.title() if self.language is Language.EN else text

    def fact(self, number: int) -> Fact:
        """Return a fact of this book by its number."""
        rng = Random(f"{self._identity}|{number}")
        lexicon = self.lexicon
        values = {
            "n": number, "who": rng.choice(self._people), "count": rng.choice(lexicon.counts),
            "thing": rng.choice(lexicon.things), "place": rng.choice(self.places),
        }  # fmt: skip
        forms = lexicon.fact
        return Fact(
            number, forms.told.format(**values), forms.answer.format(**values), forms.asked.format(**values),
            forms.recalled.format(**values),
        )  # fmt: skip

    def joined(self, sentences: list[str]) -> str:
        """Put sentences together as a paragraph of this language."""
        return self.lexicon.joint.join(sentences)

    def _as_subject(self, name: str) -> str:
        after_consonant, after_vowel = self.lexicon.topic
        if not after_consonant:
            return name
        return name + (after_consonant if (ord(name[-1]) - 0xAC00) % 28 else after_vowel)

    def _compiled(self, form: str) -> Form:
        parts = _SLOT.split(form)  # what stands fast and slot names take turns
        return tuple(self._slots[part] if index % 2 else part for index, part in enumerate(parts) if part)


@lru_cache(maxsize=64)
def voice_of(language: Language, seed: int, premise: str) -> Voice:
    """Return the voice of the book with this premise and seed."""
    return Voice(lexicon_of(language), f"{seed}|{premise}")
