"""The codex as it is kept: records in versions, who said each field, and what an extraction would change.

Source: DESIGN section 10, items 2 and 6.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.errors import InvalidEntry
from bookwright.models.frozen import FrozenModel

Record = CodexEntry | Secret | Foreshadowing
R = TypeVar("R", CodexEntry, Secret, Foreshadowing, Record)


class RecordKind(StrEnum):
    """The three registers; ids are unique in each."""

    ENTRY = "entry"
    SECRET = "secret"
    FORESHADOWING = "foreshadowing"

    @property
    def noun(self) -> str:
        """What a person calls one record of it."""
        return {"entry": "codex entry", "secret": "secret", "foreshadowing": "thread"}[self.value]

    @property
    def model(self) -> type[Record]:
        """The class of a record of this kind."""
        return _MODELS[self]


_MODELS: dict[RecordKind, type[Record]] = {
    RecordKind.ENTRY: CodexEntry,
    RecordKind.SECRET: Secret,
    RecordKind.FORESHADOWING: Foreshadowing,
}


class Origin(StrEnum):
    """Who said something."""

    AUTHOR = "author"
    DESIGN = "design"
    PROSE = "prose"
    IMPORT = "import"
    WORLD = "world"
    """The world that the book is set in."""


@dataclass(frozen=True, kw_only=True)
class Stored(Generic[R]):
    """One version of one record. The newest is the current one."""

    id: int = 0
    """The row that keeps this version; a later one of the book has a higher id."""
    record: R
    version: int
    origin: Origin
    """Of this version."""
    origins: dict[str, Origin]
    """Who last said each field, by its path, such as `sections/past/text`; also of fields that were taken out."""
    is_removed: bool = False
    document: int | None = None
    step: int | None = None
    recorded_at: float
    """Seconds since 1970, by the database's clock."""


class SuggestionStatus(StrEnum):
    """What became of a suggestion."""

    OPEN = "open"
    TAKEN = "taken"
    DROPPED = "dropped"


class FieldSuggestion(FrozenModel):
    """One field that an extraction would change and may not."""

    path: str
    present: Any = None
    wanted: Any = None


class Suggestion(FieldSuggestion):
    """A wish that was put on record."""

    id: int
    kind: RecordKind
    slug: str
    version: int
    """Of the record, when it was made."""
    status: SuggestionStatus = SuggestionStatus.OPEN
    document: int | None = None
    step: int | None = None


def kind_of(record: Record) -> RecordKind:
    """Return the register that a record belongs in."""
    return next(kind for kind, model in _MODELS.items() if isinstance(record, model))


def make_record(kind: RecordKind, values: dict[str, Any]) -> Record:
    """Check a record's values.

    Raises:
        InvalidEntry: One is missing, unknown or impossible; the message is one line.
    """
    try:
        return kind.model.model_validate(values)
    except ValidationError as error:
        name = values.get("id") or values.get("name") or values.get("title") or ""
        raise InvalidEntry(f"{kind.noun} {str(name)[:60]!r}: {one_line(error, kind.model)}") from None


def one_line(error: ValidationError, model: type[BaseModel]) -> str:
    """Say the first thing that is wrong with some values."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f"has no {place}"
    if first["type"] == "extra_forbidden":
        known = f"; known keys are {', '.join(model.model_fields)}" if len(first["loc"]) == 1 else ""
        return f"has an unknown key {place!r}{known}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message} (it is {repr(first['input'])[:60]})" if place else message
