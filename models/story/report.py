"""What is told about a whole book: its chapters in figures and scores, its threads, what it cost."""

from typing import Literal

from pydantic import Field

from bookwright.models.frozen import FrozenModel
from bookwright.models.story.quality import QualityReport
from bookwright.models.story_time.timeline import StoryLine
from bookwright.models.text.figures import Drift, Figures


class ChapterReport(FrozenModel):
    """One chapter, or what stands in a chapter's place."""

    number: int
    label: str
    heading: str
    figures: Figures
    drift: Drift | None = None
    """From the style of the book's first chapters; None for these themselves."""
    quality: QualityReport | None = None
    """As it was judged; None until somebody has."""
    checks: dict[str, int] = Field(default_factory=dict)
    """How many checks against the codex passed, warned and failed; empty where none came to a result."""
    notes: tuple[str, ...] = ()
    """What its reviews left: contradictions, promises nobody registered, a leak that somebody let pass."""


class Thread(FrozenModel):
    """Something that readers were led to wait for."""

    title: str
    source: Literal["promise", "foreshadowing"]
    """Kept by the state of the story, or in the register of foreshadowing."""
    opened: int | None
    """The number of the chapter; None where nobody has placed it yet."""
    touched: int | None = None
    closed: int | None = None
    planned: str = ""
    """Where it was to be planted and paid off, in words; empty for a promise."""
    ending: str
    """`"open"`, `"overdue"`, `"kept"`, `"broken"`, `"withdrawn"`, or a status of the register; `"never planted"` and
    `"never paid off"` once its place or the book is over."""

    @property
    def is_open(self) -> bool:
        """Whether readers still wait."""
        return self.ending in ("open", "overdue", "planted", "reinforced", "never paid off")


class SecretReport(FrozenModel):
    """Something that was kept from readers, and whether it came out."""

    id: str
    content: str
    planned: str
    """Where it was to come out, in words; `"never"` for nowhere."""
    told: int | None = None
    """The number of the chapter in which it came out."""
    ending: Literal["told", "not told", "kept", "not looked for"]
    """`"kept"` as long as its place has not come, and for one without a place."""
    claimed: str = ""
    """Words of the book of which a model said that they tell it, and which do not; empty where there are none."""


class ChoiceReport(FrozenModel):
    """A choice among several drafts of the same pages."""

    label: str
    heading: str
    orders: tuple[str, ...]
    """What each draft was asked for, in words, the first draft's first."""
    judged: str
    """What blind readers came to, in a line."""
    reasons: tuple[str, ...] = ()
    """What they said of each pair."""
    preferred: int
    """The number of the draft that they came to."""
    chosen: int
    """The draft that went on; 0 for a text of another origin."""
    by: Literal["judge", "rule", "author", "nobody"]
    """Who chose it: readers who agreed, the rule for a tie, the author, or nobody where a text stood already."""


class RoleCost(FrozenModel):
    """What one role has cost."""

    role: str
    calls: int
    failed: int
    tokens: int
    micros: int
    """Millionths of a US dollar."""
    unpriced: int
    """Calls whose price nobody knows."""


class BookReport(FrozenModel):
    """Everything that a report says, before it is laid out."""

    book: str
    title: str
    author: str
    language: str
    unit: str
    state: str
    written: int
    length: int
    chapters: tuple[ChapterReport, ...]
    known_names: int = 0
    """In the codex, aliases too; without any no name can be doubted."""
    style: tuple[str, ...] = ()
    """How the book is to sound, a habit a line."""
    style_chapters: int = 0
    """How many first chapters that rests on; 0 for a sample that was given."""
    validation: tuple[str, ...] = ()
    """A blueprint's verdict on the book, and below it what it leaves open."""
    threads: tuple[Thread, ...] = ()
    secrets: tuple[SecretReport, ...] = ()
    alerts: tuple[str, ...] = ()
    """What of threads and secrets wants looking after where the prose ends."""
    warnings: tuple[str, ...] = ()
    """What prompts had to do without, a line for each step that did; the last ones of a long book."""
    timeline: StoryLine = StoryLine()
    choices: tuple[ChoiceReport, ...] = ()
    """Where several drafts of the same pages were made, and which of them was taken."""
    costs: tuple[RoleCost, ...] = ()
