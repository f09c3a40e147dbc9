"""The codex as it is kept: records in versions, who said each field, and what an extraction would change.

And by which names records are found, and whose each name is. Source: DESIGN section 10, items 2 and 6.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from bookwright.models.codex.entries import CodexEntry, Secret, folded
from bookwright.models.codex.foreshadowing import Foreshadowing
from bookwright.models.errors import InvalidEntry
from bookwright.models.frozen import FrozenModel
from bookwright.models.text.hints import did_you_mean

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
    """Check a record's values; `InvalidEntry` says in one line which is missing, unknown or impossible."""
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


_NEUTRAL = re.compile(r"secret-[0-9]+", re.ASCII)


def names_of(record: Record) -> tuple[str, ...]:
    """Return what a record goes by beside its id: name and aliases of an entry, the title of a thread."""
    if isinstance(record, CodexEntry):
        return record.names
    return (record.title,) if isinstance(record, Foreshadowing) else ()


def named(records: Iterable[Record], name: str) -> Record | None:
    """Return the record with an id, or else with a name, alias or title, whatever its width and case."""
    known, wanted = list(records), folded(name)
    by_id = [record for record in known if folded(record.id) == wanted]
    by_name = [record for record in known if wanted in map(folded, names_of(record))]
    return next(iter(by_id + by_name), None)


def neutral_ids(taken: Collection[str]) -> Iterator[str]:
    """Yield ids for new secrets that tell nothing of them: `"secret-1"` and so on, without those that are taken."""
    return (name for name in (f"secret-{number}" for number in count(1)) if name not in taken)


def neutral_names(secrets: Iterable[Secret]) -> dict[str, str]:
    """Return the id of each secret with a name for it that tells nothing: that id where it is a number, or a free one.

    Older books, and authors, have ids that say what they stand for.
    """
    ids = [secret.id for secret in secrets]
    free = neutral_ids(ids)
    return {identity: identity if _NEUTRAL.fullmatch(identity) else next(free) for identity in ids}


def taken_names(entries: Iterable[CodexEntry], but: str) -> dict[str, str]:
    """Return which entry each folded name belongs to, but for the names of the entry `but`."""
    return {folded(name): entry.id for entry in entries if entry.id != but for name in entry.names}


def without_clashes(record: Record, entries: Iterable[CodexEntry]) -> tuple[Record, list[FieldSuggestion]]:
    """Return a record without the aliases that another entry has; these come back as wishes."""
    if not isinstance(record, CodexEntry):
        return record, []
    taken = taken_names(entries, record.id)
    free = tuple(alias for alias in record.aliases if folded(alias) not in taken)
    wanted = [alias for alias in record.aliases if alias not in free]
    wishes = [FieldSuggestion(path="aliases", present=list(free), wanted=wanted)] if wanted else []
    return record.model_copy(update={"aliases": free}), wishes


def nearest(records: Iterable[Record], name: str) -> str:
    """Say which record may have been meant by a name that none answers to, or which there are."""
    known = list(records)
    names = {folded(own): own for record in known for own in (record.id, *names_of(record))}
    there = f"; there are {', '.join(record.id for record in known[:10])}" if known else "; there is none yet"
    return did_you_mean(folded(name), names, there, lambda near: repr(names[near]))
