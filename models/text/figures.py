"""What can be counted in prose without an opinion: one text's figures, its style, and how far two styles lie apart."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from bookwright.models.frozen import FrozenModel

ENOUGH = {"words": 4_000, "characters": 6_000}
"""So much of a book's beginning stands for its style, in whole chapters."""


class Rhythm(FrozenModel):
    """How long sentences and paragraphs are; lengths in the language's unit."""

    sentences: int = 0
    mean: float = 0.0
    spread: float = 0.0
    """Standard deviation of the sentences' lengths; over `mean` it tells even prose from uneven."""
    longest: int = 0
    equal_runs: int = 0
    """Runs of four sentences or more that are as long as the first of them, within a tenth."""
    longest_equal_run: int = 0
    """In sentences; 0 where there is no run."""
    same_ending_run: int = 0
    """Most sentences of narration in a row that end alike; counted in ja and ko, where it is heard."""
    paragraphs: int = 0
    paragraph_mean: float = 0.0
    paragraph_spread: float = 0.0

    @property
    def variation(self) -> float:
        """The spread as a share of the mean: near 0.2 is a metronome, human fiction lies about 0.6 to 0.9."""
        return self.spread / self.mean if self.mean else 0.0


class Repeated(FrozenModel):
    """Words that come back, as they stand in the text."""

    quote: str
    count: int


class Repetition(FrozenModel):
    """What a text says more than once."""

    share: float = 0.0
    """Share of the n-grams that stand in the text more than once, 0 to 1."""
    phrases: tuple[Repeated, ...] = ()
    """The longest wording of each repeated passage, most telling first."""
    openings: tuple[Repeated, ...] = ()
    """How sentences begin most often."""
    alike_share: float = 0.0
    """Share of sentences that begin as the one before does, 0 to 1."""


class StockHit(FrozenModel):
    """One entry of the list of stock phrases, and what it found."""

    entry: str
    group: str
    count: int
    quotes: tuple[str, ...]
    """The first few finds, each with a few words around it."""


class Stock(FrozenModel):
    """Stock phrases in one text."""

    count: int = 0
    """Finds in all groups but names and leftovers, which are no matter of rate."""
    per_thousand: float = 0.0
    """Of those, for each 1 000 of the language's unit. Human fiction is not at zero."""
    hits: tuple[StockHit, ...] = ()
    """Most frequent first."""


class SharedPassage(FrozenModel):
    """A passage that an earlier chapter has too, or nearly."""

    kind: Literal["wording", "paragraph"]
    quote: str
    chapter: str
    """The label of the earlier one."""
    paragraph: int | None = None
    """Its number there, from 1, where a whole paragraph is alike."""
    similarity: float = 1.0
    """0 to 1, estimated for paragraphs."""


class NameDoubt(FrozenModel):
    """A name that the codex does not have."""

    name: str
    count: int
    like: str = ""
    """The known name it differs from by a letter, a character or a spelling; empty for one that is just unknown."""
    quote: str = ""


class Figures(FrozenModel):
    """All figures of one text."""

    length: int
    target: int | None = None
    dialogue: float = 0.0
    """Share of the text that is spoken, 0 to 1."""
    rhythm: Rhythm = Rhythm()
    repetition: Repetition = Repetition()
    stock: Stock = Stock()
    shared: tuple[SharedPassage, ...] = ()
    names: tuple[NameDoubt, ...] = ()

    @property
    def off_target(self) -> float | None:
        """How far the length lies from its target as a share of it: -0.2 is a fifth too short."""
        return self.length / self.target - 1 if self.target else None


class StyleProfile(FrozenModel):
    """The habits of a text that can be counted. Rates are for each 1 000 of the language's unit."""

    language: str
    length: int
    sentence_mean: float
    sentence_spread: float
    paragraph_mean: float
    dialogue: float
    variety: float
    """Share of different words in stretches of equal size, averaged, 0 to 1."""
    frequent: tuple[str, ...] = ()
    """Words that are used most, small words aside."""
    small_words: dict[str, float] = Field(default_factory=dict)
    """Rates of the words that nobody chooses on purpose."""
    punctuation: dict[str, float] = Field(default_factory=dict)
    quotes: str = ""
    """The marks of speech it uses, such as `"“”"`; empty without any."""
    person: Literal["first", "second", "third", ""] = ""
    """Who tells it; empty where that cannot be told."""
    tense: Literal["past", "present", ""] = ""
    politeness: Literal["plain", "polite", ""] = ""
    """Of the narration in ja (だ, です) and ko (했다, 해요)."""
    examples: tuple[str, ...] = ()
    """Sentences of its own: a short one, a usual one, a long one."""


class Drift(FrozenModel):
    """How far a text has moved from a profile."""

    overall: float
    """0 for the same habits, 1 for another book."""
    parts: dict[str, float]
    """The same for each habit, largest first."""

    @property
    def moved(self) -> list[str]:
        """The habits that have plainly changed."""
        return [name for name, amount in self.parts.items() if amount >= 0.5]


class StyleSource(StrEnum):
    """What a style was measured of."""

    SAMPLE = "sample"
    """A text of the author's choice."""
    CHAPTERS = "chapters"
    """The book's own first chapters."""


class StyleGuide(FrozenModel):
    """A style guide's structure; its text is what writers read."""

    source: StyleSource
    chapters: int = Field(default=0, ge=0)
    """How many of the first chapters it was measured of; 0 for a sample."""
    profile: StyleProfile
    passages: tuple[str, ...] = ()
    """Some sentences in a row, a paragraph a line: what writers hear it by. None in a guide of an older version."""
