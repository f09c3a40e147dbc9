"""What the author asked for, and the checks it passes before anything is paid or written."""

import tomllib
import unicodedata
from collections.abc import Iterable
from typing import Annotated, Any, dataclass_transform
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field, ValidationError, ValidationInfo, field_validator

from bookwright.models.codex.entries import Names, Secret, Visibility, VisibilityLevel, slug
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.errors import InvalidBrief
from bookwright.models.frozen import StrictModel
from bookwright.models.gate import PHASES, Unattended
from bookwright.models.model_name import ROLES, ModelName
from bookwright.models.profile import ProfileName
from bookwright.models.story.candidates import MOST_CANDIDATES
from bookwright.models.text.hints import check_known, did_you_mean
from bookwright.models.text.language import Language, detect_language
from bookwright.models.text.length import length_class
from bookwright.models.tree.unit_rule import Position, UnitRule, rules_of

MAX_BRIEF_BYTES = 256 * 1024
MIN_LENGTH = 50
MAX_LENGTH = 10_000_000
MAX_SECRETS = 500
"""And as many threads of foreshadowing."""


def _plain(text: str) -> str:
    """Refuse control characters and lone surrogates; normalise line ends and composition."""
    text = text.replace("\r\n", "\n")
    bad = next((c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cs")), None)
    if bad is not None:
        raise ValueError(f"holds the control character {bad!r}; remove it")
    return unicodedata.normalize("NFC", text).strip()


def _present(text: str) -> str:
    if not text:
        raise ValueError("is empty; say what the book is about")
    return text


def _web_address(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if text and (not is_address or any(c.isspace() for c in text)):
        raise ValueError("is no http:// or https:// address")
    return text


PlainText = Annotated[str, AfterValidator(_plain)]
WebAddress = Annotated[PlainText, AfterValidator(_web_address), Field(max_length=2_000)]


@dataclass_transform(kw_only_default=True, field_specifiers=(Field,))
class _Order(type(StrictModel)):  # type: ignore[misc]  # pydantic's metaclass has no public name
    """What a program of an author's calls to make an order; pydantic's own ways of making one pass it by."""

    def __call__(cls, /, **values: Any) -> Any:
        """Check an order's values; `InvalidBrief` says in one line what is missing, unknown or impossible."""
        try:
            return super().__call__(**values)
        except ValidationError as error:
            raise InvalidBrief(_one_line(error, cls.model_fields)) from None


class Budget(StrictModel, metaclass=_Order):
    """Caps over the whole book; None means no cap."""

    usd: float | None = Field(default=None, gt=0, le=1_000_000, description="Cap in US dollars, over the whole book.")
    tokens: int | None = Field(default=None, gt=0, description="Cap in tokens, prompt and output together.")


class Brief(StrictModel, metaclass=_Order):
    """What a book is to be. Read from TOML or from the command line's options."""

    premise: Annotated[PlainText, AfterValidator(_present)] = Field(
        max_length=60_000, description="What the book is about."
    )
    length: int = Field(ge=MIN_LENGTH, le=MAX_LENGTH, description="Words, or characters for zh, ja and ko.")
    title: PlainText = Field(default="", max_length=200, description="The book finds its own if none is given.")
    pen_name: PlainText = Field(default="", max_length=120, description="The author named on the cover.")
    contact: PlainText = Field(default="", max_length=1_000)
    """How editors reach the author, one thing a line, the name first: for a manuscript's title page, not for models."""
    language: Language = Field(
        default="", validate_default=True, description="en, zh, ja or ko; told by the premise if not given."
    )
    prompt_language: Language | None = None
    blueprint: PlainText = Field(
        default="", max_length=1_000, description="What kind of book: a blueprint's name, name:variant, or folder."
    )
    world: PlainText = Field(
        default="", pattern=r"^([a-z0-9][a-z0-9-]{0,79})?$",
        description="The finished world that it is set in: its id, or a beginning of it.",
    )  # fmt: skip
    """Its codex and its pages come along when the book is begun, as copies."""
    genre: PlainText = Field(default="", max_length=500, description="Such as mystery.")
    style: PlainText = Field(default="", max_length=8_000, description="How it is to sound.")
    style_sample: PlainText = Field(default="", max_length=200_000)
    """A text whose style the book is to keep; it is measured when the book is begun, and a stored brief has none."""
    outline: PlainText = Field(
        default="", max_length=1_000_000, description="Your own outline: its chapters are written, in its order."
    )
    """As Markdown (docs/importing.md); a stored brief has none, the book keeps it."""
    audience: PlainText = Field(default="", max_length=1_000, description="Who is to read it.")
    ending: PlainText = Field(default="", max_length=4_000, description="How it is to end.")
    profile: ProfileName | None = Field(default=None, description="How much the book thinks about itself.")
    """None leaves the choice to the engine: small for a model with a small window."""
    context_scale: float = Field(default=1.0, ge=0.5, le=20)
    """How much of the book a prompt may hold, as a multiple of what the profile gives it."""
    max_unit_length: int | None = Field(default=None, ge=50, le=20_000, description="At most so much in one go.")
    max_planning_rounds: int | None = Field(
        default=None, ge=1, le=20,
        description="Plan in up to so many rounds; without it a short book is told unplanned.",
    )  # fmt: skip
    candidates: int | None = Field(
        default=None, ge=1, le=MOST_CANDIDATES,
        description="Write so many drafts of chosen units; a blind reader chooses.",
    )  # fmt: skip
    candidates_for: tuple[str, ...] = Field(
        default=(), description="Which units those are: openings and ends if not given, turning_points, 1.4, chapter 3."
    )
    """Rules as `UnitRule` reads them."""
    seed: int = Field(default=0, ge=0, lt=2**31, description="Another number makes another book of the same brief.")
    budget: Budget = Budget()
    models: dict[str, ModelName] = Field(default_factory=dict, description="provider:model, for every role.")
    """A model for each role that is not to use the default one; `default` names that."""
    gates: tuple[str, ...] = Field(
        default=(),
        description="Rest for a decision: outline, book_design, volume_design, chapter, candidates, or after units: "
        "1.4, chapter 3, chapters of 2, climaxes.",
    )
    """Where the book is to rest until a human has looked at it: phases, and units by rules as `UnitRule` reads them."""
    unattended: Unattended = Unattended.REST
    """What becomes of a draft that only a human could let pass."""
    webhook: WebAddress = ""
    """Where it is told that a gate waits; empty for nowhere."""
    default_visibility: VisibilityLevel = Visibility.USE
    """For what the codex comes to hold without a visibility of its own; secrets are hidden all the same."""
    forbidden_keywords: Names = ()
    """Words that are to stand nowhere in the book."""
    secrets: tuple[Secret, ...] = Field(default=(), max_length=MAX_SECRETS)
    """They go to the codex when the book is begun, and so do the threads; a stored brief has none."""
    foreshadowing: tuple[Foreshadowing, ...] = Field(default=(), max_length=MAX_SECRETS)

    @field_validator("language", mode="before")
    @classmethod
    def _told_by_premise(cls, language: Any, info: ValidationInfo) -> Any:
        return language or detect_language(info.data.get("premise", ""))

    @field_validator("secrets", "foreshadowing", mode="before")
    @classmethod
    def _identified(cls, records: Any) -> Any:
        return identified(records) if isinstance(records, (list, tuple)) else records

    @field_validator("secrets", "foreshadowing")
    @classmethod
    def _told_apart(cls, records: tuple[Any, ...]) -> tuple[Any, ...]:
        seen: set[str] = set()
        for record in records:
            if record.id in seen:
                raise ValueError(f"has the id {record.id!r} twice; give each one its own")
            seen.add(record.id)
        return records

    @field_validator("gates", mode="before")
    @classmethod
    def _phases_and_units(cls, gates: Any) -> tuple[str, ...]:
        try:
            return rules_of(gates, PHASES)
        except ValueError as error:
            raise ValueError(f"can be {', '.join(PHASES)}, or name units: {error}") from None

    @field_validator("candidates_for", mode="before")
    @classmethod
    def _rules(cls, rules: Any) -> tuple[str, ...]:
        return rules_of(rules)

    @field_validator("models")
    @classmethod
    def _known_roles(cls, models: dict[str, ModelName]) -> dict[str, ModelName]:
        check_known(models, ("default", *ROLES), "role")
        return models

    @property
    def length_unit(self) -> str:
        """`"words"` or `"characters"`."""
        return self.language.length_unit

    @property
    def prompt_locale(self) -> str:
        """The language of the prompts, such as `"en"`; the book's own where the author names no other."""
        return (self.prompt_language or self.language).value

    @property
    def length_class(self) -> str:
        """`"short"`, `"medium"` or `"long"`."""
        return length_class(self.length, self.length_unit == "words")

    @property
    def gate_rules(self) -> tuple[UnitRule, ...]:
        """After which units the book rests, beside its phases."""
        return tuple(UnitRule.parse(gate) for gate in self.gates if gate not in PHASES)

    @property
    def drafts_a_unit(self) -> int:
        """How many drafts a unit has that candidates are wanted for; 1 where none are."""
        return self.candidates or (2 if self.candidates_for else 1)

    @property
    def candidate_rules(self) -> tuple[UnitRule, ...]:
        """For which units candidates are wanted."""
        return tuple(map(UnitRule.parse, self.candidates_for or (Position.OPENINGS, Position.ENDS)))

    @property
    def working_title(self) -> str:
        """The title, or the premise's first words while there is none."""
        if self.title:
            return self.title
        head = self.premise.splitlines()[0]
        return head if len(head) <= 60 else head[:60].rsplit(" ", 1)[0] + " …"

    def without_codex(self) -> "Brief":
        """The brief without what goes to the codex, and without its outline and its sample of style."""
        return self.model_copy(update={"secrets": (), "foreshadowing": (), "style_sample": "", "outline": ""})

    def changed(self, **changes: Any) -> "Brief":
        """A copy with some fields changed, checked like any brief; `InvalidBrief` where it could not be written."""
        return make_brief({**self.model_dump(mode="json"), **changes})


def identified(records: Iterable[Any]) -> list[Any]:
    """Give each secret or thread an id that has none: of a thread's title, or `"secret-3"` by its place."""
    return [
        {"id": slug(str(record.get("title") or "")) or f"secret-{place}", **record}
        if isinstance(record, dict)
        else record
        for place, record in enumerate(records, 1)
    ]


def make_brief(values: dict[str, Any]) -> Brief:
    """Check a brief's values; `InvalidBrief` says in one line what is missing, unknown or impossible."""
    return Brief(**values)


def parse_brief(source: str | bytes, overrides: dict[str, Any] | None = None) -> Brief:
    """Read a brief from TOML text; `overrides` (from options) win, None among them is ignored.

    Raises:
        InvalidBrief: Not TOML, too large, or not a brief; the message is one line.
    """
    raw = source.encode("utf-8", "replace") if isinstance(source, str) else source
    if len(raw) > MAX_BRIEF_BYTES:
        raise InvalidBrief(f"the brief has {len(raw):,} bytes; it may have {MAX_BRIEF_BYTES:,}")
    return make_brief({**toml_values(raw, "brief"), **{k: v for k, v in (overrides or {}).items() if v is not None}})


def toml_values(content: bytes, what: str = "file") -> dict[str, Any]:
    """Read TOML; `what` names it in complaints.

    Raises:
        InvalidBrief: It is none, or no UTF-8 text.
    """
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidBrief(f"the {what} is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:  # bad syntax, endless digits, bottomless nesting
        raise InvalidBrief(f"the {what} is not valid TOML: {error}") from None


def _one_line(error: ValidationError, fields: Iterable[str]) -> str:
    errors = error.errors(include_url=False)
    first = min(errors, key=lambda one: (one["type"], len(one["loc"])) != ("extra_forbidden", 1))
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        option = {"premise": "--premise", "length": "--words"}.get(place)
        return f"the brief has no {place}" + (f"; name it in the brief, or with {option}" if option else "")
    if first["type"] == "extra_forbidden":
        known = list(_known_keys(first["loc"][0]) if len(first["loc"]) > 1 else fields)
        meant = "length" if place == "words" else str(first["loc"][-1])  # the option is called --words
        hint = did_you_mean(meant, known, f"; known keys are {', '.join(known)}")
        return f"the brief has an unknown key {place!r}{hint}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{place} in the brief: {message} (it is {repr(first['input'])[:60]})"


def _known_keys(field: Any) -> Iterable[str]:
    """The keys of the tables that a field of a brief holds."""
    tables: dict[str, type[BaseModel]] = {"budget": Budget, "secrets": Secret, "foreshadowing": Foreshadowing}
    return tables[field].model_fields if field in tables else ()
