"""The matcher: where a text says what is kept, by phrases and by words.

A phrase is eight characters in a row in Chinese, Japanese and Korean; elsewhere a run of whole words of eight
characters with two words of content in it. Words that something kept forbids, and the names of hidden entries,
are found however they are spelt. Source: DESIGN section 10, items 0 and 2.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from bookwright.agents.relay.leaks.folding import fold
from bookwright.agents.relay.leaks.keywords import find_keyword, stem_of
from bookwright.agents.relay.leaks.units import sentences_of
from bookwright.agents.relay.secrets.phrases import Phrase, Phrases
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public, is_within, spans_of

_ENTRY = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、．])\s+")

_KNOWN_TEXTS = 256
"""Findings that a matcher keeps: blocks and artefacts stand in one prompt after the other."""


@dataclass(frozen=True)
class Disclosure:
    """A place in a text that says something kept; places count its characters."""

    start: int
    end: int
    excerpt: str
    """The words at that place, as they stand in the text."""


@dataclass(frozen=True)
class Withholding:
    """What is withheld, and what may be said of it."""

    texts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """In any spelling: forbidden words and the names of hidden entries."""
    known: tuple[str, ...] = ()
    """Texts beside it that are withheld from nobody, and names."""
    allowed: tuple[str, ...] = ()
    """Expressions that may be used although they touch it."""


class Matcher:
    """Holds texts against what is withheld. Without anything withheld it costs nothing."""

    def __init__(self, withheld: Withholding, public: Public = NOTHING_PUBLIC) -> None:
        """Make a matcher that knows what is public.

        A phrase that stands in public words is none, nor one whose words of content a public sentence says together. A
        forbidden word is free where it was printed or the premise has it, and inside wording that may be said.
        """
        self._said = tuple(dict.fromkeys((*withheld.allowed, *public.wordings)))
        self._phrases = Phrases(withheld.texts)
        openly = self._phrases.openly((*public.told, *withheld.known))
        self._phrases.release((*public.printed, *withheld.allowed), openly, public.designs)
        free = (*public.printed, *self._phrases.openly(public.named))
        self._words = tuple(word for word in withheld.words if not any(find_keyword(fold(text), word) for text in free))
        self._found = lru_cache(_KNOWN_TEXTS)(self._find)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is withheld."""
        return not self._words and self._phrases.is_empty

    def violations(self, text: str) -> tuple[Disclosure, ...]:
        """Return the places of a text that give away what is withheld, first to last; empty for a clean text."""
        return () if self.is_idle else self._found(text)

    @property
    def finds(self) -> tuple[frozenset[Phrase], tuple[str, ...]]:
        """What it looks for: two matchers with the same find the same."""
        return self._phrases.all, self._words

    def may_find(self, letters: str) -> bool:
        """False where a text in plain letters holds none of what would make a violation."""
        return any(stem in letters for stem in self._stems)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(stem for stem in (*self._phrases.stems(), *map(stem_of, self._words)) if stem)

    def redact(self, text: str, gap: str = "") -> str:
        """Return a text without what violates it, entry by entry, with `gap` in the place of each row of them.

        A line of a list goes whole, of other lines the sentences. A clean text comes back as it is.
        """
        while found := self.violations(text):
            self.note(*(one.excerpt for one in found))
            text = _without(text, found, gap)
        return text

    def note(self, *excerpts: str) -> None:
        """Take down that something was taken out for those words; nobody asks a bare matcher."""

    def free(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the texts that hold nothing withheld."""
        return tuple(text for text in texts if not self.violations(text))

    def _find(self, text: str) -> tuple[Disclosure, ...]:
        folded = fold(text)
        spans = self._phrases.places(folded)
        spans += [(found.start, found.end) for word in self._words for found in find_keyword(folded, word)]
        said = spans_of(folded, self._said) if spans else []
        return tuple(Disclosure(*span, text[slice(*span)]) for span in sorted(spans) if not is_within(span, said))


def _without(text: str, found: Sequence[Disclosure], gap: str) -> str:
    lines: list[str] = []
    start = 0
    for line in text.split("\n"):
        inside = [
            (one.start - start, one.end - start) for one in found if one.start < start + len(line) and one.end > start
        ]
        start += len(line) + 1
        kept = _without_places(line, inside, gap) if inside else line
        if kept is not None and not (gap and inside and lines and kept.endswith(gap) and lines[-1].endswith(gap)):
            lines.append(kept)
    return "\n".join(lines).strip("\n")


def _without_places(line: str, places: Sequence[tuple[int, int]], gap: str) -> str | None:
    """Return a line without what holds one of the places; None if nothing is left of it."""
    if entry := _ENTRY.match(line):
        return f"{entry.group()}{gap}" if gap else None
    parts: list[str] = []
    end = 0
    for sentence in sentences_of(line):
        is_held = any(first < sentence.end and last > sentence.start for first, last in places)
        if not is_held:
            parts.append(line[end : sentence.end])
        elif gap and (not parts or parts[-1] != f" {gap}"):
            parts.append(f" {gap}")
        end = sentence.end
    kept = "".join(parts).strip()
    if any(character.isalpha() for part in parts if part != f" {gap}" for character in part):
        return kept
    return gap or None
