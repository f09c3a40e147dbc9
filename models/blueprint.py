"""A blueprint: what a kind of book is made of, as data. Stages open the tree in the planner's place.

Source: DESIGN section 12; S0-048 to S0-069.
"""

import math
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bookwright.models.frozen import StrictModel
from bookwright.models.text.language import SIMPLIFIED, Language
from bookwright.models.tree.level import Level

KEY = r"^[a-z][a-z0-9_]{0,39}$"
PROSE = "prose"
"""Among the members that a review or a page is about: the written book."""

SPOILERS = frozenset({"clue_index", "hook_index"})
"""Pages that tell the end whatever a blueprint says."""

CHARACTERS_A_WORD = 1 / 0.6
"""How many characters a blueprint's words come to where a book counts characters."""


_LOCALES = (*Language, SIMPLIFIED)


def _in_known_languages(texts: dict[str, str]) -> dict[str, str]:
    if not texts.get("en"):
        raise ValueError("has no English, which stands in for the languages that are not given")
    stray = next((name for name in texts if name not in _LOCALES), None)
    if stray:
        raise ValueError(f"has a text for {stray!r}; a book can be in {', '.join(_LOCALES)}")
    return texts


Localised = Annotated[
    dict[str, str],
    BeforeValidator(lambda value: {"en": value} if isinstance(value, str) else value),
    AfterValidator(_in_known_languages),
]
"""A text by language (`en`, `zh`, `zh-hans`, `ja`, `ko`); a plain string stands for all of them."""


def _ordered(span: tuple[int, int]) -> tuple[int, int]:
    if not 1 <= span[0] <= span[1]:
        raise ValueError(f"goes from {span[0]} to {span[1]}; the shorter length comes first")
    return span


Span = Annotated[tuple[int, int], AfterValidator(_ordered)]
"""A shortest and a longest length, in words."""


class MemberKind(StrEnum):
    """What the one task of a member is."""

    SEARCH = "search"
    """Something is found out; what comes of it are findings."""
    DESIGN = "design"
    """Something is decided; what comes of it is a design, or a page for each of its entries."""
    REGISTER = "register"
    """Secrets and threads are laid down for the codex; the design is their list."""
    REVIEW = "review"
    """What is there is looked through, by code and by a model that may change nothing; each fault becomes a task."""
    VERIFY = "verify"
    """The faults that a review found are looked at again; a report with a verdict."""
    POLISH = "polish"
    """The written book is gone through once more, for its wording alone; what was changed is a page."""
    PAGE = "page"
    """A page that code makes of what is there: an overview, an index, a glossary."""


class CodexPart(StrEnum):
    """What the pages of a member are in a codex."""

    CHARACTER = "character"
    WORLD = "world"
    SECRET = "secret"
    """What nobody in the book knows yet: hidden from whoever writes, heading by heading."""


class Makes(StrEnum):
    """What a blueprint's book consists of."""

    STORY = "story"
    DESIGNS = "designs"
    """No prose: the designs are the book."""


class When(StrEnum):
    """When a stage is worked on."""

    BEFORE = "before"
    """Before the book is divided or written."""
    AFTER = "after"
    """After its last page."""


class Entries(StrictModel):
    """Where a member has a page of its own for each thing that it tells of."""

    prompt: str = Field(pattern=KEY)
    """The template by which one entry is written."""
    least: int = Field(default=2, ge=1, le=40)
    most: int = Field(default=12, ge=1, le=40)
    words: Span = (800, 2_000)
    """The shortest and longest entry, in words; code makes characters of them."""

    @model_validator(mode="after")
    def _in_order(self) -> "Entries":
        if self.least > self.most:
            raise ValueError(f"has at least {self.least} entries and at most {self.most}")
        return self


class Member(StrictModel):
    """One task of a stage. The members of a stage are done one after another."""

    name: str = Field(pattern=KEY)
    kind: MemberKind = MemberKind.DESIGN
    titles: Localised
    goals: Localised
    """One sentence that a stranger could check."""
    folders: Localised | None = None
    """Where its pages stand in the vault, as a relative path; the stage's own where it is not said."""
    prompt: str = Field(default="", pattern=r"^([a-z][a-z0-9_]{0,39})?$")
    """Its template in the blueprint's folder; the walk's own design or search prompts where it is empty."""
    acceptance: tuple[str, ...] = ()
    share: float = Field(default=1.0, gt=0)
    """How much of a book of designs is its own, beside the other members."""
    entries: Entries | None = None
    page: str = Field(default="", pattern=r"^([a-z][a-z0-9_]{0,39})?$")
    """Which page code makes."""
    of: tuple[str, ...] = ()
    """Review and page: the members (or `prose`) that it is about; all where it is not said. Verify: the review."""
    is_spoiler: bool = False
    """Its page is marked as one that tells the end."""
    names_book: bool = False
    """Its page has the book's title and description under headings of those names."""
    codex: CodexPart | None = None
    """What its pages, or those of its entries, are in the codex of a book of designs; None for nothing."""

    @model_validator(mode="after")
    def _fits(self) -> "Member":
        if (self.kind is MemberKind.PAGE) != bool(self.page):
            raise ValueError(f"member {self.name!r}: `page` names what a member of kind page makes, and only there")
        if self.entries and self.kind is not MemberKind.DESIGN:
            raise ValueError(f"member {self.name!r}: only a design has entries")
        if self.entries and not self.prompt:
            raise ValueError(f"member {self.name!r} has entries and no `prompt` that names them")
        if self.names_book and (self.kind is not MemberKind.DESIGN or self.entries):
            raise ValueError(f"member {self.name!r}: only a design of one page names the book")
        if self.codex and self.kind is not MemberKind.DESIGN:
            raise ValueError(f"member {self.name!r}: only the pages of a design go to the codex")
        if self.kind is MemberKind.REGISTER and not self.prompt:
            raise ValueError(f"member {self.name!r}: a register has a `prompt`")
        return self

    @property
    def tells_end(self) -> bool:
        """True for a page that is marked as a spoiler: its blueprint says so, or it cannot but be one."""
        return self.is_spoiler or self.page in SPOILERS

    @property
    def is_written(self) -> bool:
        """True where a model writes a page, or one for each entry."""
        return self.kind in (MemberKind.SEARCH, MemberKind.DESIGN, MemberKind.REGISTER)


class Stage(StrictModel):
    """Members that belong together, under one name in the progress file."""

    name: str = Field(pattern=KEY)
    titles: Localised
    when: When = When.BEFORE
    folders: Localised | None = None
    timeout: int = Field(default=3_600, ge=60, le=7 * 24 * 3_600)
    """Seconds that one task of it may take before the book rests; a call in flight is never cut off."""
    members: Annotated[tuple[Member, ...], Field(min_length=1, max_length=40)]


class UnitPlan(StrictModel):
    """How the units of a level are cut and written."""

    child: Level | None = None
    """What they divide into; by their length where it is not said."""
    count: int | None = Field(default=None, ge=1, le=10_000)
    """How many children one is meant to have: a target, by which the usual child's length follows."""
    length: Span | None = None
    """Shortest and longest of this level, in words; code makes characters of them."""
    directions: str = Field(default="", pattern=r"^([a-z][a-z0-9_]{0,39})?$")
    """A template of what such a unit owes its reader, shown to whoever divides, plans and writes it."""


class CheckUse(StrictModel):
    """A check of code, by name, with what it is to hold."""

    check: str = Field(pattern=KEY)
    limits: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _in_order(self) -> "CheckUse":
        least, most = self.limits.get("least", 0), self.limits.get("most", math.inf)
        if least > most:
            raise ValueError(f"the check {self.check!r} holds at least {least:g} and at most {most:g}")
        return self


class Variant(StrictModel):
    """The same blueprint for another place of publication, chosen as `name:variant`."""

    titles: Localised
    units: dict[Level, UnitPlan] = Field(default_factory=dict)


def _check_distinct(what: str, names: list[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"has two {what} named {twice!r}")


class Blueprint(StrictModel):
    """A kind of book."""

    name: str = Field(pattern=r"^[a-z][a-z0-9\-]{0,39}$")
    titles: Localised
    makes: Makes = Makes.STORY
    words: int = Field(ge=50, le=5_000_000)
    """How long a book is for which no length was asked."""
    stages: Annotated[tuple[Stage, ...], Field(min_length=1, max_length=40)]
    units: dict[Level, UnitPlan] = Field(default_factory=dict)
    checks: tuple[CheckUse, ...] = ()
    """What code holds its designs and its chapters against, in a review and in a verification."""
    variants: dict[str, Variant] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _holds_together(self) -> "Blueprint":
        names = [member.name for member in self.members]
        _check_distinct("stages", [stage.name for stage in self.stages])
        _check_distinct("members", names)
        for member in self.members:
            stray = next((name for name in member.of if name not in names and name != PROSE), None)
            if stray:
                raise ValueError(f"member {member.name!r} is about {stray!r}, which is no member")
            if member.kind is MemberKind.VERIFY and not self.reviews_of(member):
                raise ValueError(f"member {member.name!r} verifies no review that comes before it")
        coarse = next((level for level, unit in self.all_units if unit.child and unit.child.depth <= level.depth), None)
        if coarse:
            raise ValueError(f"a {coarse} cannot divide into a {dict(self.all_units)[coarse].child}")
        if self.makes is Makes.DESIGNS and (self.units or any(stage.when is When.AFTER for stage in self.stages)):
            raise ValueError("a book of designs has no units to cut, and nothing comes after its last page")
        if self.makes is Makes.DESIGNS and not any(member.is_written for member in self.members):
            raise ValueError("a book of designs has no member that writes a page")
        return self

    @property
    def all_units(self) -> list[tuple[Level, UnitPlan]]:
        """The plans of units, its own and those of its variants."""
        return [*self.units.items(), *(item for variant in self.variants.values() for item in variant.units.items())]

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """All members, in the order in which they are done."""
        return tuple(member for stage in self.stages for member in stage.members)

    @property
    def has_register(self) -> bool:
        """True where a member lays down what is secret and what is shown early."""
        return any(member.kind is MemberKind.REGISTER for member in self.members)

    def member(self, name: str) -> Member | None:
        """Return the member of that name."""
        return next((member for member in self.members if member.name == name), None)

    def reviews_of(self, verification: Member) -> tuple[Member, ...]:
        """Return the reviews whose faults a verification looks at: those it names, or all before it."""
        before = self.members[: self.members.index(verification)]
        named = verification.of or tuple(member.name for member in before)
        return tuple(member for member in before if member.kind is MemberKind.REVIEW and member.name in named)

    def varied(self, variant: str) -> "Blueprint":
        """Return the blueprint as a variant of it has it; `KeyError` where it has none of that name."""
        return self.model_copy(update={"units": {**self.units, **self.variants[variant].units}})
