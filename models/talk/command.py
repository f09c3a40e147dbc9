"""What an author's free words may come to: one command of a closed list, or a question back.

Nothing but a command of this list can come out of a model, whatever it says. Source: DESIGN section 10, item 7;
conflict C-08.
"""

from typing import Literal

from pydantic import Field

from bookwright.models.codex.entries import EntryKind, Importance
from bookwright.models.codex.foreshadowing import ThreadStatus
from bookwright.models.talk.command_base import BaseCommand
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


def _section(name: str | None, text: str | None) -> str | None:
    return f"{name.replace('=', ' ')}={text}" if name and text else None


class Status(BaseCommand):
    """Where the book stands."""

    verb: Literal["status"]


class Tree(BaseCommand):
    """The outline."""

    verb: Literal["tree"]


class Show(BaseCommand):
    """One node with its designs and steps."""

    verb: Literal["show"]
    node: Node


class Read(BaseCommand):
    """The manuscript or a part of it."""

    verb: Literal["read"]
    node: Node | None = None


class Estimate(BaseCommand):
    """What the book would cost, at this length or another."""

    verb: Literal["estimate"]
    length: int | None = Field(default=None, gt=0, le=10_000_000)


class Pause(BaseCommand):
    """Rest before the next step."""

    verb: Literal["pause"]


class Resume(BaseCommand):
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


class ChangeBrief(BaseCommand):
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


class Export(BaseCommand):
    """The manuscript as a file."""

    verb: Literal["export"]
    format: Literal["md", "txt", "html", "epub", "docx", "json"] = "md"


class Report(BaseCommand):
    """The report on quality."""

    verb: Literal["report"]
    format: Literal["html", "md"] = "html"


class Style(BaseCommand):
    """The book's style in figures, and how far chapters lie from it."""

    verb: Literal["style"]


class TellTimes(BaseCommand):
    """When the parts of the book are set in its story, with flashbacks and slips."""

    verb: Literal["timeline"]


class SetTime(BaseCommand):
    """Another time in the story for one part."""

    verb: Literal["timeline_set"]
    node: Node
    when: Name
    """Such as "evening of day 3"."""


class Registers(BaseCommand):
    """One of the three registers as a list."""

    verb: Literal["codex", "secrets", "foreshadowing"]


class AddEntry(BaseCommand):
    """A character or a thing of the world."""

    verb: Literal["codex_add"]
    name: Name
    kind: EntryKind = EntryKind.CHARACTER
    section: Name | None = None
    text: Words | None = None

    @property
    def section_text(self) -> str | None:
        """As the option takes it."""
        return _section(self.section, self.text)


class EditEntry(BaseCommand):
    """Another text for a section, or another name."""

    verb: Literal["codex_edit"]
    entry: Name
    name: Name | None = None
    section: Name | None = None
    text: Words | None = None

    @property
    def section_text(self) -> str | None:
        """As the option takes it."""
        return _section(self.section, self.text)


class AddSecret(BaseCommand):
    """What readers are not to know yet."""

    verb: Literal["secret_add"]
    content: Words
    importance: Importance | None = None
    forbidden: Many = ()
    revealed_at: PlaceText | None = None


class EditSecret(BaseCommand):
    """Change a secret."""

    verb: Literal["secret_edit"]
    secret: Name
    content: Words | None = None
    importance: Importance | None = None
    visibility: VisibilityName | None = None
    revealed_at: PlaceText | None = None


class AddThread(BaseCommand):
    """What is laid early and paid off late."""

    verb: Literal["foreshadowing_add"]
    title: Name
    seed: Words | None = None
    plant_at: PlaceText | None = None
    payoff: Words | None = None
    payoff_at: PlaceText | None = None


class EditThread(BaseCommand):
    """Change a thread."""

    verb: Literal["foreshadowing_edit"]
    thread: Name
    title: Name | None = None
    status: ThreadStatus | None = None
    seed: Words | None = None
    plant_at: PlaceText | None = None
    payoff: Words | None = None
    payoff_at: PlaceText | None = None


class Revise(BaseCommand):
    """A new version of one node."""

    verb: Literal["revise"]
    node: Node
    note: Words


class Stale(BaseCommand):
    """What no longer rests on current documents."""

    verb: Literal["stale"]


class Refresh(BaseCommand):
    """Do again what is stale."""

    verb: Literal["refresh"]
    node: Node | None = None


class Restore(BaseCommand):
    """Take an earlier version of a node back."""

    verb: Literal["restore"]
    node: Node
    version: int = Field(ge=1)


class Gates(BaseCommand):
    """What waits for a decision."""

    verb: Literal["gates"]


class Approve(BaseCommand):
    """Let a gate pass."""

    verb: Literal["approve"]
    gate: int = Field(ge=1)


class Reject(BaseCommand):
    """Have what a gate is about done again, under an order."""

    verb: Literal["reject"]
    gate: int = Field(ge=1)
    note: Words


class Delete(BaseCommand):
    """Remove the book for good."""

    verb: Literal["delete"]


class Unclear(BaseCommand):
    """Nothing of the list, or not clear which: a question back."""

    verb: Literal["unclear"]
    question: Words


Command = (
    Status | Tree | Show | Read | Estimate | Pause | Resume | ChangeBrief | Export | Report | Style | TellTimes
    | SetTime | Registers | AddEntry | EditEntry | AddSecret | EditSecret | AddThread | EditThread | Revise
    | ForkBook | TellBranches
    | CompareBranch | TellCandidates | TakeCandidate | TellNotes | AddNote
    | Stale | Refresh | Restore | Gates | Approve | Reject | Delete | Unclear
)  # fmt: skip
