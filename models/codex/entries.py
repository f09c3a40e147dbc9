"""The codex of a book: who and what is in it, what is secret, and how much of each a writer may know.

Source: DESIGN section 10; DETAILS "002 The Relay".
"""

import re
import unicodedata
from enum import IntEnum, StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bookwright.models.frozen import StrictModel
from bookwright.models.story_time.times import StoryTime
from bookwright.models.text.plain import one_line, plain
from bookwright.models.tree.place import Place


class Visibility(IntEnum):
    """How much of a text the one who writes prose may know and tell."""

    HIDDEN = 0
    """Nothing, not even that it is there."""
    AWARE = 1
    """That something is left out."""
    KNOW = 2
    """All of it, to hint at and never to state."""
    USE = 3
    """All of it, freely."""


class EntryKind(StrEnum):
    """What an entry is about."""

    CHARACTER = "character"
    WORLD = "world"


class Importance(StrEnum):
    """How much the book loses when a secret is out too early."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


def _level(value: Any) -> Any:
    """Take a level by its number or its name; True is no level, and neither is 2.0."""
    if isinstance(value, str):
        named = Visibility.__members__.get(value.strip().upper())
        value = named if named is not None else int(value) if value.strip() in ("0", "1", "2", "3") else None
    if isinstance(value, bool) or not isinstance(value, int) or value not in tuple(Visibility):
        raise ValueError("is no visibility; it is 0 (hidden), 1 (aware), 2 (know) or 3 (use)")
    return Visibility(value)


def _body(text: str) -> str:
    return unicodedata.normalize("NFC", plain(text.replace("\r\n", "\n"))).strip()


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({folded(name): name for name in reversed(names)}.values())[::-1]


VisibilityLevel = Annotated[Visibility, BeforeValidator(_level)]
Name = Annotated[str, BeforeValidator(lambda text: one_line(text) if isinstance(text, str) else text)]
NonEmpty = Annotated[Name, Field(min_length=1, max_length=200)]
Body = Annotated[str, AfterValidator(_body)]
Names = Annotated[tuple[NonEmpty, ...], Field(max_length=200), AfterValidator(_distinct)]
Slug = Annotated[Name, Field(pattern=r"^\w[\w.\-]*$", max_length=80)]
"""An id in any script: letters, digits, `_`, `-` and dots, no spaces."""


class Phase(StrictModel):
    """A stretch of an entry's life in the book."""

    name: NonEmpty
    begins: Place | None = None
    """Where in the manuscript it begins; None for the first, and for one nobody has placed yet.

    By the story's clock it begins when that unit happens."""
    happens_at: StoryTime | None = None
    """When it begins in the story, where that is known better than by the unit that tells of it."""


class Section(StrictModel):
    """One aspect of an entry, with who may know it and from where on."""

    name: NonEmpty
    text: Body = Field(default="", max_length=20_000)
    visibility: VisibilityLevel = Visibility.USE
    """The most that a writer may ever do with it."""
    phase: NonEmpty | None = None
    """The phase that it tells of; None for what always holds."""
    known_from: Place | None = None
    """Where readers may learn of it: before that place it is hidden. None is from the start."""
    happens_at: StoryTime | None = None
    forbidden_keywords: Names = ()
    allowed_expressions: Names = ()


class CodexEntry(StrictModel):
    """A character, or a piece of the world."""

    id: Slug
    kind: EntryKind
    name: NonEmpty
    aliases: Names = ()
    phases: Annotated[tuple[Phase, ...], Field(max_length=100)] = ()
    """In the order in which they follow each other."""
    sections: Annotated[tuple[Section, ...], Field(max_length=200)] = ()

    @model_validator(mode="after")
    def _fits(self) -> "CodexEntry":
        phases = {folded(phase.name) for phase in self.phases}
        names = [(folded(section.name), folded(section.phase or "")) for section in self.sections]
        if len(phases) < len(self.phases):
            raise ValueError(f"two phases of {self.name!r} have one name")
        if len(set(names)) < len(names):
            raise ValueError(f"two sections of {self.name!r} have one name in one phase; put them together")
        stray = next(
            (section.phase for section in self.sections if section.phase and folded(section.phase) not in phases), None
        )
        if stray is not None:
            raise ValueError(f"{self.name!r} has no phase {stray!r}; its phases are {[p.name for p in self.phases]}")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The name and all aliases."""
        return (self.name, *self.aliases)

    def with_default(self, level: Visibility) -> "CodexEntry":
        """Return the entry with that visibility for every section that was given none."""
        sections = tuple(
            section if "visibility" in section.model_fields_set else section.model_copy(update={"visibility": level})
            for section in self.sections
        )
        return self.model_copy(update={"sections": sections})


class TellingType(StrEnum):
    """What a text did for a secret that was to come out in it."""

    TOLD = "told"
    MISSED = "missed"


class Telling(StrictModel):
    """What one unit did for a secret whose place it was."""

    place: Place
    type: TellingType
    expression: Body = Field(default="", max_length=2_000)
    """The words in which it came out; of what was missed, the words of which a model only said so."""


class Knower(StrictModel):
    """Somebody in the story who knows a secret, or comes to know it."""

    name: NonEmpty
    since: StoryTime | None = None
    """None has always known it, or as long as it is true."""


class Secret(StrictModel):
    """Something that readers are not to know before its place."""

    id: Slug
    content: Annotated[Body, Field(min_length=1, max_length=8_000)]
    visibility: VisibilityLevel = Visibility.HIDDEN
    """Until it is revealed; from there on it is USE."""
    importance: Importance = Importance.MEDIUM
    forbidden_keywords: Names = ()
    allowed_expressions: Names = ()
    related_entity: Name = Field(default="", max_length=200)
    """The id or a name of the entry that it is about."""
    notes: Body = Field(default="", max_length=8_000)
    """For the author and the reviewer, never for the writer."""
    revealed_at: Place | None = None
    """The unit in which it comes out; None for never."""
    events: tuple[Telling, ...] = ()
    """What the chapters did for it in which it was to come out, in the order in which they were recorded."""
    happens_at: StoryTime | None = None
    known_by: Annotated[tuple[Knower, ...], Field(max_length=40)] = ()
    """Who in the story knows it, and since when; nobody has said so of the others."""


def folded(name: str) -> str:
    """Return a name as it is compared: width, composition, case, spaces and hyphenation apart."""
    flat = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return re.sub(r"[\s·・‧\-‐‑_]+", "", flat) or flat


def slug(name: str) -> str:
    """Make an id of a name in any script: `"Mira of the Dock"` gives `"mira-of-the-dock"`; may be empty."""
    flat = unicodedata.normalize("NFKC", one_line(name)).casefold()
    return re.sub(r"[^\w.]+", "-", flat).strip("-._")[:80].rstrip("-._")
