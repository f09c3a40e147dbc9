"""Makes one book's sentences from a lexicon: a small cast that recurs, and numbered facts to remember."""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random

from bookwright.models.text.language import Language

_PEOPLE, _PLACES = 7, 6
_SLOT = re.compile(r"\{(\w+)\}")

Words = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lexicon:
    """What the author says in one language, as `lexicons/LANGUAGE.toml` has it."""

    language: Language
    phrases: dict[str, str]
    forms: Words
    """Forms of sentences by kind: `told`, `spoken`, `noted`, `asked`, `aims`, `titles`."""
    slots: Words
    """Words by the name that stands for them in a form."""
    cast: Words
    """What a book chooses its people, places and facts from."""


@lru_cache(maxsize=4)
def lexicon_of(language: Language) -> Lexicon:
    """Return a language's lexicon; read when first needed."""
    data = tomllib.loads((files(__package__) / "lexicons" / f"{language.value}.toml").read_text("utf-8"))
    forms, slots, cast = (
        {name: tuple(" ".join(entry.split()) for entry in text.split("|")) for name, text in data[table].items()}
        for table in ("forms", "slots", "cast")
    )
    for name, pair in data.get("particles", {}).items():
        slots[name] = tuple(_with_particle(noun, pair) for noun in slots["it"])
    return Lexicon(language, data["phrases"], forms, slots, cast)


def _with_particle(word: str, pair: str) -> str:
    """Put a Korean particle behind a word: of `은|는` the first after a consonant, else the second; none of nothing."""
    after_consonant, _, after_vowel = pair.partition("|")
    return word + (after_consonant if (ord(word[-1]) - 0xAC00) % 28 else after_vowel)


@dataclass(frozen=True)
class NumberedFact:
    """A numbered fact of a book: told once, early, and asked for later."""

    told: str
    answer: str
    """The words of `told` that nobody can guess."""
    question: str
    recalled: str
    """How prose says that somebody remembers it."""


class Voice:
    """Sentences of one book. The same book always has the same people, places and facts."""

    def __init__(self, lexicon: Lexicon, identity: str) -> None:
        rng = Random(identity)
        self.language = lexicon.language
        self.phrases = lexicon.phrases
        self.marker = lexicon.phrases["marker"]
        """The sentence that tells every reader that no model wrote this."""
        self.headings = lexicon.cast["headings"]
        self.people = tuple(rng.sample(lexicon.cast["people"], _PEOPLE))
        self.places = tuple(rng.sample(lexicon.cast["places"], _PLACES))
        self._identity = identity
        self._cast = lexicon.cast
        self._people = tuple(_with_particle(name, lexicon.phrases.get("topic", "")) for name in self.people)
        self._slots = {**lexicon.slots, "who": self._people, "where": self.places}
        if lexicon.language is Language.EN:  # mostly first names, as in any novel
            first = tuple(name.partition(" ")[0] for name in self.people)
            self._slots["who"] = (*self._people, *first, *first, "she", "he", *lexicon.slots["other"][:6])
        self._forms = {kind: tuple(map(self._compiled, forms)) for kind, forms in lexicon.forms.items()}

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

    def fact(self, number: int) -> NumberedFact:
        """Return a fact of this book by its number."""
        rng = Random(f"{self._identity}|{number}")
        values = {
            "n": number, "who": rng.choice(self._people), "count": rng.choice(self._cast["counts"]),
            "thing": rng.choice(self._cast["things"]), "place": rng.choice(self.places),
        }  # fmt: skip
        told = (self.phrases[f"fact_{name}"].format(**values) for name in ("told", "answer", "asked", "recalled"))
        return NumberedFact(*told)

    def secret(self, number: int) -> str:
        """Return a secret, in words that no sentence here uses: a rehearsal gives it away only where it means to."""
        return self.phrases["secret"].format(n=number)

    def joined(self, sentences: list[str]) -> str:
        """Put sentences together as a paragraph of this language."""
        return self.phrases["joint"].join(sentences)

    def _compiled(self, form: str) -> tuple[str | tuple[str, ...], ...]:
        """Split a form into its fixed parts and the lists of words that are chosen from."""
        parts = _SLOT.split(form)  # fixed text and slot names take turns
        return tuple(self._slots[part] if index % 2 else part for index, part in enumerate(parts) if part)


@lru_cache(maxsize=64)
def voice_of(language: Language, seed: int, premise: str) -> Voice:
    """Return the voice of the book with this premise and seed."""
    return Voice(lexicon_of(language), f"{seed}|{premise}")
