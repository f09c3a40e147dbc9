"""The voice of a rehearsed book: sentences from a lexicon, and prose and working texts of a wanted length from them.

A small cast recurs in it, and there are numbered facts to remember.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random

from bookwright.models.text.binding import MARK, RELEASE
from bookwright.models.text.language import Language
from bookwright.models.text.prose import cut_to, sentences

_PEOPLE, _PLACES = 7, 6
_SLOT = re.compile(r"\{(\w+)\}")

Words = dict[str, tuple[str, ...]]

_ORIGIN = re.compile(r"\A\[[^\n]*\]\n")
"""The line that says whose text follows."""

_DIALOGUE = 0.3
"""Share of paragraphs that are speech."""

_SENTENCE_LENGTH = 15
"""A usual sentence of these grammars, in words or characters."""

_TOUCHED = 0.12
"""Share of paragraphs that a refiner changes."""


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
        random, forms = rng.random, self._forms[kind]
        form = forms[int(random() * len(forms))]
        text = "".join([part if isinstance(part, str) else part[int(random() * len(part))] for part in form])
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


def tell(voice: Voice, rng: Random, length: int, opening: tuple[str, ...] = ()) -> str:
    """Write prose of about `length` (the language's unit), beginning with the opening sentences."""
    measure = voice.language.measure
    first = [*opening] or [voice.sentence("told", rng)]
    written = sum(map(measure, first))
    told = [voice.joined(first)]
    while written < length:
        paragraph: list[str] = []
        is_speech = rng.random() < _DIALOGUE
        for _ in range(rng.randint(1, 2) if is_speech else rng.randint(3, 7)):
            sentence = voice.sentence("spoken" if is_speech else "told", rng)
            size = measure(sentence)
            if written + size - length > length - written:  # leaving it out misses by less
                written = length
                break
            paragraph.append(sentence)
            written += size
        if paragraph:
            told.append(voice.joined(paragraph))
    return "\n\n".join(told)


def retell(voice: Voice, rng: Random, draft: str) -> str:
    """Refine a draft: most of it stays letter for letter, some paragraphs gain or lose a sentence.

    The first paragraph stays as it is: it holds what the unit was to tell.
    """
    first, *others = draft.split("\n\n")
    kept = [first]
    for paragraph in others:
        chance = rng.random()
        if chance < _TOUCHED / 2:
            paragraph = voice.joined([paragraph, voice.sentence("told", rng)])
        elif chance < _TOUCHED:
            paragraph = voice.sentence("told", rng)
        kept.append(paragraph)
    return "\n\n".join(kept)


def note(voice: Voice, rng: Random, length: int, opening: str = "", headings: int = 3) -> str:
    """Write a working text of about `length` under some headings; short ones have none."""
    measure = voice.language.measure
    lines = [voice.joined([voice.marker, opening] if opening else [voice.marker])]
    written = measure(lines[0])
    per_heading = max(length // max(headings, 1), 1)
    names = rng.sample(voice.headings, min(headings, len(voice.headings)))
    due = 0 if length >= 60 * headings else length
    while written < length:
        if written >= due and names:
            due += per_heading
            lines.append(f"## {names.pop()}")
        line = voice.joined([voice.sentence("noted", rng) for _ in range(rng.randint(1, 3))])
        lines.append(line)
        written += measure(line)
    return "\n\n".join(lines)


def digest(voice: Voice, texts: list[str], length: int) -> str:
    """Sum texts up in about `length`: of each its first paragraph, then openings from all over it."""
    share = max(length // max(len(texts), 1), 1)
    lines = [line for text in texts for line in _openings(voice, text, share)]
    return "\n\n".join([voice.marker, *lines])


def updated(voice: Voice, present: str, news: list[str], length: int) -> str:
    """Bring a running document up to date: its lines, then what is new; over `length` the oldest go.

    The first line of each news binds, and is released by name when it has to go.
    """
    lines = [line for line in present.split("\n\n") if line.startswith("- ")]
    for text in news:
        new = _openings(voice, _ORIGIN.sub("", text), max(length // 8, 1))
        lines.extend([f"- {MARK} {new[0].removeprefix('- ')}", *new[1:]] if new else [])
    released = []
    excess = sum(map(voice.language.measure, lines)) - length
    while excess > 0 and len(lines) > 1:
        oldest = next((line for line in lines[:-1] if MARK not in line), lines[0])
        lines.remove(oldest)
        excess -= voice.language.measure(oldest)
        if MARK in oldest:
            released.append(f"{RELEASE} {oldest.removeprefix('- ')} -> {voice.marker}")
    return "\n\n".join([voice.marker, *lines, *released])


def _openings(voice: Voice, text: str, length: int) -> list[str]:
    bodies = [part.removeprefix("- ").removeprefix(voice.marker).strip() for part in text.split("\n\n")]
    first, *others = [body for body in bodies if body and not body.startswith("#")] or [""]
    wanted = max(length // _SENTENCE_LENGTH, 1)
    found = [cut_to(first, length, voice.language)]
    left = length - voice.language.measure(found[0])
    for body in others[:: max(len(others) // wanted, 1)]:
        sentence = sentences(body)[0]
        left -= voice.language.measure(sentence)
        if left < 0:
            break
        found.append(sentence)
    return [f"- {line}" for line in found if line]
