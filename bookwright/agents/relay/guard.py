"""The guard of every prompt that writes prose: finds what it must not hold, and takes that out.

Held back are the texts a writer is not to have (levels 0 and 1): whole, or by a phrase. A phrase is
eight characters in a row in Chinese, Japanese and Korean; elsewhere a run of whole words of eight
characters with two words of content in it. A phrase that readers have met already is none. Words
that something hidden forbids, and the names of hidden entries, are found however they are spelt.
Source: DESIGN section 10, items 0 and 2.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from bookwright.agents.relay.holders import Holders
from bookwright.agents.relay.leaks.folding import Folded, fold
from bookwright.agents.relay.leaks.keywords import find_keyword, stem_of
from bookwright.agents.relay.leaks.units import sentences_of
from bookwright.agents.relay.phrases import Phrase, Phrases
from bookwright.models.codex_use import CodexUse
from bookwright.models.errors import FatalContextError

_KNOWN_TEXTS = 256
"""Findings that a guard keeps: blocks and artefacts stand in one prompt after the other."""


class Kind(StrEnum):
    """What of something withheld stands in a text."""

    PHRASE = "phrase"
    WORD = "word"
    """A forbidden word, or the name of a hidden entry."""


@dataclass(frozen=True)
class Violation:
    """A place in a text that a writer must not read; places count its characters."""

    kind: Kind
    start: int
    end: int
    excerpt: str
    """The words at that place, as they stand in the text."""


@dataclass(frozen=True)
class Withholding:
    """What is kept from the writer of one unit."""

    texts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """In any spelling: forbidden words and the names of hidden entries."""


class Guard:
    """Holds texts against what is withheld in one unit. Without anything withheld it costs nothing."""

    def __init__(
        self, withheld: Withholding, read: Iterable[str] = (), told: Iterable[str] = (),
        holders: Holders | None = None, designed: Iterable[str] = (),
    ) -> None:  # fmt: skip
        """Make a guard that knows what is public.

        Args:
            withheld: What a writer is not to have.
            read: What readers have read by then: a phrase or a word in it is public.
            told: What anybody may know, such as the premise. A phrase in it is public too, but for
                the sentences that tell most of what is withheld: of those, only names are.
            designed: What the book is designed to be: a name is public if a sentence there says nothing else
                of what is withheld.
            holders: The codex that withholds it, to tell which record of it took something out.
        """
        read = tuple(read)
        self._phrases = Phrases(withheld.texts)
        self._phrases.release(read, told, designed)
        self._words = tuple(
            word for word in withheld.words if not any(find_keyword(_fold(text), word) for text in read)
        )
        self._found = lru_cache(_KNOWN_TEXTS)(self._find)
        self._holders = holders
        self._cut: dict[str, None] = {}

    @classmethod
    def idle(cls) -> "Guard":
        """Return a guard that finds nothing."""
        return cls(Withholding())

    @property
    def is_idle(self) -> bool:
        """Whether nothing is withheld."""
        return not self._words and self._phrases.is_empty

    @property
    def use(self) -> CodexUse | None:
        """What the codex was so far to the text that is made under this guard; None where there is no codex."""
        return self._holders.use(self._cut) if self._holders else None

    def note(self, *excerpts: str) -> None:
        """Take down that something was taken out or refused for those words."""
        self._cut |= dict.fromkeys(excerpts)

    def violations(self, text: str) -> tuple[Violation, ...]:
        """Return the places of a text that give away what is withheld, first to last; empty for a clean text."""
        return () if self.is_idle else self._found(text)

    @property
    def finds(self) -> tuple[frozenset[Phrase], tuple[str, ...]]:
        """What it looks for: two guards with the same find the same."""
        return self._phrases.all, self._words

    def may_find(self, letters: str) -> bool:
        """False where a text in plain letters holds none of what would make a violation."""
        return any(stem in letters for stem in self._stems)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(stem for stem in (*self._phrases.stems(), *map(stem_of, self._words)) if stem)

    def redact(self, text: str, gap: str = "") -> str:
        """Return a text without the sentences that violate it, with `gap` in the place of each row of them.

        A line of which nothing but its number or its bullet is left goes with them. A clean text
        comes back as it is.
        """
        while found := self.violations(text):
            self.note(*(one.excerpt for one in found))
            text = _without(text, found, gap)
        return text

    def free(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return redacted texts, those left out of which nothing remains."""
        return tuple(kept for text in texts if (kept := self.redact(text)))

    def require(self, texts: Iterable[str], name: str) -> None:
        """Stop if a prompt, given by its parts, still holds something withheld; `name` is its step's.

        Raises:
            FatalContextError: It does. The message does not repeat it.
        """
        if any(self.violations(text) for text in texts):
            raise FatalContextError(
                f"the prompt of {name} holds something that is secret there, and nothing was sent",
                "`bookwright secrets list` shows what is in force; a template edited by hand, or a title, may quote it",
            )

    def _find(self, text: str) -> tuple[Violation, ...]:
        folded = _fold(text)
        spans = [(Kind.PHRASE, *span) for span in self._phrases.places(folded)]
        spans += [(Kind.WORD, found.start, found.end) for word in self._words for found in find_keyword(folded, word)]
        ordered = sorted(spans, key=lambda span: (span[1], span[2]))
        return tuple(Violation(kind, start, end, text[start:end]) for kind, start, end in ordered)


@lru_cache(maxsize=64)
def _fold(text: str) -> Folded:
    return fold(text)


def _without(text: str, found: Sequence[Violation], gap: str) -> str:
    lines, start = [], 0
    for line in text.split("\n"):
        inside = [
            (one.start - start, one.end - start) for one in found if one.start < start + len(line) and one.end > start
        ]
        start += len(line) + 1
        kept = _line_without(line, inside, gap) if inside else line
        if kept is not None:
            lines.append(kept)
    return "\n".join(lines).strip("\n")


def _line_without(line: str, places: Sequence[tuple[int, int]], gap: str) -> str | None:
    """Return a line without the sentences that hold one of the places; None if nothing is left of it."""
    parts: list[str] = []
    end = 0
    for sentence in sentences_of(line):
        is_held = any(first < sentence.end and last > sentence.start for first, last in places)
        if not is_held:
            parts.append(line[end : sentence.end])
        elif gap and (not parts or parts[-1] != gap):
            parts.append(gap)
        end = sentence.end
    kept = "".join(parts).strip()
    if any(character.isalpha() for part in parts if part != gap for character in part):
        return kept
    return gap or None
