"""What an author's free words may come to: one command of a closed list, or a question back.

Nothing but a command of this list can come out of a model, whatever it says. Source: DESIGN section 10, item 7;
conflict C-08.
"""

from typing import Literal

from pydantic import Field

from bookwright.models.codex.entries import EntryKind, Importance
from bookwright.models.codex.foreshadowing import ThreadStatus
from bookwright.models.frozen import StrictModel
from bookwright.models.talk.command_values import Many, Name, Node, PlaceText, VisibilityName, Words
from bookwright.models.talk.trying_commands import (
    AddNote,
    CompareBranch,
    ForkBook,
    TakeCandidate,
    TellBranches,
    TellCandidates,
    TellNotes,
)
from bookwright.models.tree.level import Level


class Status(StrictModel):
    """Where the book stands, or its outline."""

    verb: Literal["status", "tree"]


class Show(StrictModel):
    """One node with its designs and steps."""

    verb: Literal["show"]
    node: Node


class Read(StrictModel):
    """The manuscript or a part of it."""

    verb: Literal["read"]
    node: Node | None = None


class Estimate(StrictModel):
    """What the book would cost, at this length or another."""

    verb: Literal["estimate"]
    length: int | None = Field(default=None, gt=0, le=10_000_000)


class Pause(StrictModel):
    """Rest before the next step."""

    verb: Literal["pause"]


class Resume(StrictModel):
    """Go on writing."""

    verb: Literal["resume"]
    until_level: Level | None = None
    until_count: int | None = Field(default=None, ge=1, le=100_000)
    """How many units of that level, counted from the book's beginning."""
    words_today: int | None = Field(default=None, ge=1, le=10_000_000)

    @property
    def until(self) -> str | None:
        """As the option takes it."""
        return f"{self.until_level}:{self.until_count}" if self.until_level and self.until_count else None


class ChangeBrief(StrictModel):
    """Another value for one key of the brief."""

    verb: Literal["brief"]
    field: Literal[
        "title", "pen_name", "premise", "length", "genre", "style", "audience", "ending", "profile", "max_unit_length",
        "max_planning_rounds", "budget.usd", "budget.tokens", "models.default", "models.writer",
    ]  # fmt: skip
    value: Words

    @property
    def assignment(self) -> str:
        """As the option takes it."""
        return f"{self.field}={self.value}"


class Export(StrictModel):
    """The manuscript as a file."""

    verb: Literal["export"]
    format: Literal["md", "txt", "html", "epub", "docx", "json"] = "md"


class Report(StrictModel):
    """The report on quality."""

    verb: Literal["report"]
    format: Literal["html", "md"] = "html"


class Measures(StrictModel):
    """The book's style in figures, or when its parts are set in its story, with flashbacks and slips."""

    verb: Literal["style", "timeline"]


class SetTime(StrictModel):
    """Another time in the story for one part."""

    verb: Literal["timeline_set"]
    node: Node
    when: Name
    """Such as "evening of day 3"."""


class Registers(StrictModel):
    """One of the three registers as a list."""

    verb: Literal["codex", "secrets", "foreshadowing"]


class _WithSection(StrictModel):
    section: Name | None = None
    text: Words | None = None

    @property
    def section_text(self) -> str | None:
        """As the option takes it."""
        return f"{self.section.replace('=', ' ')}={self.text}" if self.section and self.text else None


class AddEntry(_WithSection):
    """A character or a thing of the world."""

    verb: Literal["codex_add"]
    name: Name
    kind: EntryKind = EntryKind.CHARACTER


class EditEntry(_WithSection):
    """Another text for a section, or another name."""

    verb: Literal["codex_edit"]
    entry: Name
    name: Name | None = None


class AddSecret(StrictModel):
    """What readers are not to know yet."""

    verb: Literal["secret_add"]
    content: Words
    importance: Importance | None = None
    forbidden: Many = ()
    revealed_at: PlaceText | None = None


class EditSecret(StrictModel):
    """Change a secret."""

    verb: Literal["secret_edit"]
    secret: Name
    content: Words | None = None
    importance: Importance | None = None
    visibility: VisibilityName | None = None
    revealed_at: PlaceText | None = None


class AddThread(StrictModel):
    """What is laid early and paid off late."""

    verb: Literal["foreshadowing_add"]
    title: Name
    seed: Words | None = None
    plant_at: PlaceText | None = None
    payoff: Words | None = None
    payoff_at: PlaceText | None = None


class EditThread(StrictModel):
    """Change a thread."""

    verb: Literal["foreshadowing_edit"]
    thread: Name
    title: Name | None = None
    status: ThreadStatus | None = None
    seed: Words | None = None
    plant_at: PlaceText | None = None
    payoff: Words | None = None
    payoff_at: PlaceText | None = None


class Revise(StrictModel):
    """A new version of one node."""

    verb: Literal["revise"]
    node: Node
    note: Words


class Stale(StrictModel):
    """What no longer rests on current documents."""

    verb: Literal["stale"]


class Refresh(StrictModel):
    """Do again what is stale."""

    verb: Literal["refresh"]
    node: Node | None = None


class Restore(StrictModel):
    """Take an earlier version of a node back."""

    verb: Literal["restore"]
    node: Node
    version: int = Field(ge=1)


class Gates(StrictModel):
    """What waits for a decision."""

    verb: Literal["gates"]


class Approve(StrictModel):
    """Let a gate pass."""

    verb: Literal["approve"]
    gate: int = Field(ge=1)


class Reject(StrictModel):
    """Have what a gate is about done again, under an order."""

    verb: Literal["reject"]
    gate: int = Field(ge=1)
    note: Words


class Delete(StrictModel):
    """Remove the book for good."""

    verb: Literal["delete"]


class Unclear(StrictModel):
    """Nothing of the list, or not clear which: a question back."""

    verb: Literal["unclear"]
    question: Words


Command = (
    Status | Show | Read | Estimate | Pause | Resume | ChangeBrief | Export | Report | Measures
    | SetTime | Registers | AddEntry | EditEntry | AddSecret | EditSecret | AddThread | EditThread | Revise
    | ForkBook | TellBranches | CompareBranch | TellCandidates | TakeCandidate | TellNotes | AddNote
    | Stale | Refresh | Restore | Gates | Approve | Reject | Delete | Unclear
)  # fmt: skip
