"""What the Extract Agent reads out of designs and accepted prose, in the shape in which it is asked for it."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bookwright.models.codex.entries import EntryKind, Importance
from bookwright.models.codex.foreshadowing import ForeshadowingType, ThreadEventType
from bookwright.models.frozen import FrozenModel

Word = Annotated[str, StringConstraints(strip_whitespace=True, max_length=160)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Told = Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)]
Words = Annotated[tuple[Word, ...], Field(max_length=12)]
Share = Annotated[int, Field(ge=0, le=100)]
"""A place in the book as a percentage of its length: 0 is the first page, 100 the last chapter."""

CheckOutcome = Literal["passed", "warning", "error", "not_evaluated"]
"""What a check came to."""

CHECKS = ("characters", "world", "timeline", "foreshadowing", "phase")
"""What a text is held against the codex for. Source: DESIGN section 10, item 6."""


class FoundFact(FrozenModel):
    """One aspect of somebody or something."""

    aspect: Word
    """A short name of it, such as what it would be filed under; the same aspect keeps its name."""
    fact: Told


class FoundEntry(FrozenModel):
    """A character, or a piece of the world."""

    kind: EntryKind
    name: Name
    aliases: Words = ()
    phase: Word = ""
    """A new stretch of its life that begins here; empty where none does."""
    facts: Annotated[tuple[FoundFact, ...], Field(max_length=8)] = ()


class FoundSecret(FrozenModel):
    """What readers are not to know before its place."""

    id: Word = ""
    content: Annotated[Told, StringConstraints(min_length=1)]
    importance: Importance = Importance.MEDIUM
    about: Word = ""
    forbidden_keywords: Words = ()
    allowed_expressions: Words = ()
    revealed_at: Share = 100


class FoundThread(FrozenModel):
    """Something that is to be laid early and paid off late."""

    title: Name
    type: ForeshadowingType = ForeshadowingType.PLOT_TWIST
    subtlety: Annotated[int, Field(ge=1, le=10)] = 5
    seed: Told
    """What is planted: a thing that can be seen where it stands."""
    payoff: Told = ""
    characters: Words = ()
    expressions: Words = ()
    """Words in which it may be planted and brought back."""
    forbidden_keywords: Words = ()
    planted_at: Share
    reinforced_at: Annotated[tuple[Share, ...], Field(max_length=5)] = ()
    paid_off_at: Share


class DesignExtraction(FrozenModel):
    """What the designs of a book lay down."""

    entries: Annotated[tuple[FoundEntry, ...], Field(max_length=24)] = ()
    secrets: Annotated[tuple[FoundSecret, ...], Field(max_length=8)] = ()
    threads: Annotated[tuple[FoundThread, ...], Field(max_length=8)] = ()


class FoundTouch(FrozenModel):
    """What the text did for a thread of the register."""

    thread: Name
    """Its id."""
    did: ThreadEventType
    quote: Told
    """The words in which it was done, as they stand in the text."""
    subtlety: Annotated[int | None, Field(ge=1, le=10)] = None


class FoundReveal(FrozenModel):
    """A secret that came out in the text."""

    secret: Name
    """Its id."""
    quote: Told
    """The words in which it came out, as they stand in the text."""


class FoundPerson(FrozenModel):
    """Somebody in the text, with what decides whether they can be as they are when it is set."""

    name: Name
    age: Annotated[int | None, Field(ge=0, le=1000)] = None
    """In years, as the text tells it."""
    is_present: bool = False
    """They are there themselves, alive: not remembered, told of, or dead."""
    knows: Words = ()
    """Ids of secrets that they show they know."""


class FoundCheck(FrozenModel):
    """How the text stands to the record in one respect."""

    check: Literal["characters", "world", "timeline", "foreshadowing", "phase"]
    text: Told = ""
    """The words of the text."""
    record: Told = ""
    """What the record has."""
    result: CheckOutcome

    @property
    def line(self) -> str:
        """The check in one line."""
        return f"{self.check}: “{self.text}” / “{self.record}”: {self.result}"


class Extraction(FrozenModel):
    """What accepted prose says, beside what the codex has."""

    entries: Annotated[tuple[FoundEntry, ...], Field(max_length=16)] = ()
    touches: Annotated[tuple[FoundTouch, ...], Field(max_length=24)] = ()
    reveals: Annotated[tuple[FoundReveal, ...], Field(max_length=12)] = ()
    checks: Annotated[tuple[FoundCheck, ...], Field(max_length=24)] = ()
    when: Word = ""
    """When the text says it is set; empty where it says nothing."""
    people: Annotated[tuple[FoundPerson, ...], Field(max_length=16)] = ()


class ConsistencyReport(FrozenModel):
    """Kept of each chapter: how it stands to the codex, and what wants looking after."""

    unit: str
    results: dict[str, CheckOutcome] = Field(default_factory=dict)
    """One for each of `CHECKS`: the worst that was found."""
    details: tuple[FoundCheck, ...] = ()
    refused: tuple[str, ...] = ()
    """What the text says and the codex could not take in, with the reason."""
    alerts: tuple[str, ...] = ()
    """Threads that want looking after once this chapter is written."""
    strays: tuple[str, ...] = ()
    """Sentences that read like a promise, and no thread is registered for them."""
    when: Word = ""
    people: tuple[FoundPerson, ...] = ()

    @property
    def stray_lines(self) -> tuple[str, ...]:
        """What is to be said of each of them."""
        return tuple(f"“{words}” reads like a promise, and no thread is registered for it" for words in self.strays)

    @property
    def as_text(self) -> str:
        """The report, a line for each thing."""
        lines = [f"{check}: {result}" for check, result in self.results.items()]
        lines += [f"- {item.line}" for item in self.details]
        return "\n".join([*lines, *(f"- {line}" for line in (*self.refused, *self.alerts, *self.stray_lines))])


_WORST = ("error", "warning", "passed", "not_evaluated")


def results_of(checks: tuple[FoundCheck, ...]) -> dict[str, CheckOutcome]:
    """Return the worst result of each check; one that nobody made was not evaluated."""
    found = {name: {item.result for item in checks if item.check == name} for name in CHECKS}
    return {name: min(results or {"not_evaluated"}, key=_WORST.index) for name, results in found.items()}
