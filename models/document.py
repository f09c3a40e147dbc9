"""Versioned texts that came of steps, and what each rested on, in the book and outside of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from bookwright.models.frozen import FrozenModel


class DocumentKind(StrEnum):
    """What a document is."""

    DESIGN = "design"
    FINDINGS = "findings"
    PROSE = "prose"
    SUMMARY = "summary"
    REVIEW = "review"
    BOOK_DESIGN = "book_design"
    GLOBAL_STATE = "global_state"
    OUTLINE = "outline"
    """The author's own `Outline`, as they wrote it; of the book as a whole."""
    WRITE_PLAN = "write_plan"
    WRITERS_BRIEF = "writers_brief"
    """All that the writer of a unit is told of its designs."""
    VOICE = "voice"
    """One page that will not be printed, and how its teller tells: by which whoever writes the book finds its voice."""
    BLURB = "blurb"
    STYLE_GUIDE = "style_guide"
    """How the book is to sound, in figures and sentences of its own; of the book as a whole."""
    QUESTIONS = "questions"
    """What a unit needed to know of the book so far, one question a line; asked of the index, shown to nobody."""

    RETELLING = "retelling"
    """What a reader who had nothing but the pages could tell of them, a `Retelling`."""
    QUALITY = "quality"
    """A `QualityReport` of a unit."""
    LEAK_REVIEW = "leak_review"
    """A `LeakReport` of a unit's text."""
    CONSISTENCY = "consistency"
    """A `ConsistencyReport` of a chapter."""
    REGISTER = "register"
    """A `Register`, beside the design that lists it for people."""
    CANDIDATES = "candidates"
    """A `CandidateChoice`: drafts of a unit, and which one was chosen."""
    REPORT = "report"
    """A `BlueprintReport`: what a review found, or what a verification came to."""

    @property
    def is_running(self) -> bool:
        """True for the two documents that maintainers keep over the whole book."""
        return self in (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE)


class DocumentOrigin(StrEnum):
    """Who made a version."""

    STEP = "step"
    """A step of the walk, or the same step done again."""
    AUTHOR = "author"
    """The author's own words."""
    NOTE = "note"
    """A model, by an author's note."""
    REFRESH = "refresh"
    """A model, because what the text rests on has changed."""
    RESTORE = "restore"
    """An earlier version, taken up again."""
    CANDIDATE = "candidate"
    """Another draft of the same pages, taken by the author; its note says which one."""
    IMPORT = "import"
    """The author, before the book came here."""
    WORLD = "world"
    """A page of the world that the book is set in; its note says which one."""
    MERGE = "merge"
    """Taken over from a branch of the book; its note says which."""
    REPAIR = "repair"
    """The book's own last corrections of a finished text: what happens in it stays, and nothing goes stale."""

    @property
    def is_revision(self) -> bool:
        """True where somebody changed their mind; False where the book went on."""
        return self not in (
            DocumentOrigin.STEP, DocumentOrigin.IMPORT, DocumentOrigin.WORLD, DocumentOrigin.REPAIR,
            DocumentOrigin.MERGE,
        )  # fmt: skip

    @property
    def is_by_hand(self) -> bool:
        """True for words that the author wrote or took up again: nobody is asked to make them better."""
        return self in (DocumentOrigin.AUTHOR, DocumentOrigin.RESTORE, DocumentOrigin.CANDIDATE, DocumentOrigin.IMPORT)


@dataclass(frozen=True)
class CodexUse:
    """The state of the codex that the making of a text knew, and what was withheld."""

    known: int
    """The row of the newest change that it knew: what any record said then follows from it."""
    cut_by: tuple[int, ...] = ()
    """Rows whose words were taken out of a prompt, or had an answer refused."""


class Document(FrozenModel):
    """One version of one document. The newest version of a node's kind is its current one."""

    id: int
    book: str
    node: int
    kind: DocumentKind
    version: int = 1
    text_hash: str
    length: int
    """In the book's unit."""
    text: str = ""
    """Filled where it was asked for."""
    data_hash: str | None = None
    """Under which its structure is kept; None where it is only text."""
    origin: DocumentOrigin = DocumentOrigin.STEP
    base: int | None = None
    """The version that it revises or takes up again; None where a step made it afresh."""
    note: str = ""
    """What the author asked of it; of a page of a world, which one it was."""
    step: int | None = None
    """The journal's step that it came of; None if none did."""
    made_at: float | None = None
    """Seconds since 1970, where no step tells when."""


class NewDocument(FrozenModel):
    """A document that a step is about to leave behind."""

    node: int
    kind: DocumentKind
    text: str
    data: str = ""
    """The same as JSON, where it has a structure; empty where it is only text."""
    inputs: tuple[int, ...] = ()
    """Ids of the documents whose text stood in the prompt that this one came of."""
    codex: CodexUse | None = None
    """What of the codex bore on it; None where nothing of it could."""
    origin: DocumentOrigin = DocumentOrigin.STEP
    base: int | None = None
    """The version that it revises or takes up again."""
    note: str = ""


class Source(FrozenModel):
    """A page that findings rest on."""

    title: str
    address: str
    accessed: date
    """The day on which it was read, by universal time."""


class Findings(FrozenModel):
    """Kept as the structure of findings, and of a design for which something was looked up."""

    sources: tuple[Source, ...] = ()
    is_verified: bool = True
    """Something outside the book was searched; False where all of it comes from a model's memory."""

    @classmethod
    def merged(cls, parts: Iterable["Findings"]) -> "Findings":
        """What a document made of several rests on: every page once, in order."""
        known = list(parts)
        return cls(
            sources=distinct(source for part in known for source in part.sources),
            is_verified=any(part.is_verified for part in known),
        )


def distinct(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Each page once, as it was named first."""
    by_address: dict[str, Source] = {}
    for source in sources:
        by_address.setdefault(source.address, source)
    return tuple(by_address.values())
