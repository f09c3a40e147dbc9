"""What the rehearsal author needs of a language: its words, its sentence forms, its set phrases."""

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from bookwright.models.text.language import Language


@dataclass(frozen=True)
class FactForms:
    """How a numbered fact is told, asked for and ordered; `{n}` is its number."""

    told: str
    """Uses `{n}`, `{who}`, `{count}`, `{thing}` and `{place}`."""
    answer: str
    """The part of `told` that cannot be guessed: `{count}` and `{thing}`."""
    asked: str
    """The question without its answer: `{n}`, `{who}` and `{place}`."""
    plants: str
    """The order to tell a fact in a unit."""
    needs: str
    """What stands before the question where a unit rests on a fact."""
    recalled: str
    """How prose says that somebody remembers a fact."""


@dataclass(frozen=True)
class Lexicon:
    """One language. Forms hold `{slot}` names; a slot is a list of words to choose from.

    The slots `who` (subject) and `where` are filled from the book's cast beside the lists here.
    """

    language: Language
    marker: str
    """The sentence that tells every reader that no model wrote this."""
    slots: dict[str, tuple[str, ...]]
    told: tuple[str, ...]
    """Forms of narrative sentences."""
    spoken: tuple[str, ...]
    """Forms of dialogue."""
    noted: tuple[str, ...]
    """Forms of statements in designs, plans and notes."""
    asked: tuple[str, ...]
    """Forms of questions and of what is missing."""
    aims: tuple[str, ...]
    """Forms of a task's or a unit's goal."""
    titles: tuple[str, ...]
    headings: tuple[str, ...]
    people: tuple[str, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]
    counts: tuple[str, ...]
    fact: FactForms
    length_text: str
    """A length as some models write it; `{n}` is the number."""
    topic: tuple[str, str] = ("", "")
    """Korean: what follows a subject that ends with a consonant, and one that does not."""
    joint: str = " "
    """What stands between two sentences of a paragraph."""


@lru_cache(maxsize=4)
def lexicon_of(language: Language) -> Lexicon:
    """Return a language's lexicon; loaded when first needed."""
    module = import_module(f"bookwright.agents.backends.rehearsal.lexicons.{language.value}")
    found: Lexicon = module.LEXICON
    return found


def words(text: str) -> tuple[str, ...]:
    """Split a list of entries at bars, so that a lexicon stays readable."""
    return tuple(" ".join(entry.split()) for entry in text.split("|") if entry.strip())
