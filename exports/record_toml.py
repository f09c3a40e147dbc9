"""One record of the codex as TOML, which reads back as the same record; with a comment above it, a page of a vault."""

import re
import tomllib
from typing import Any

import tomli_w

from bookwright.exports.vault.page_text import OPEN
from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.record import Record, RecordKind, Stored, kind_of, make_record
from bookwright.models.errors import InvalidInput

_ABOUT = re.compile(r"^# (entry|secret|foreshadowing) (\S+), version ([0-9]+)$", re.MULTILINE)


def record_values(record: Record) -> dict[str, Any]:
    """Return what a record says, without what only has its default; visibilities are always said."""
    values = record.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    if isinstance(record, Secret):
        values["visibility"] = record.visibility.value
    if isinstance(record, CodexEntry):
        for section, own in zip(values.get("sections", ()), record.sections, strict=False):
            section["visibility"] = own.visibility.value
    return values


def as_toml(record: Record) -> str:
    """Write one record as TOML."""
    return tomli_w.dumps(record_values(record), multiline_strings=True).strip() + "\n"


def record_head(stored: Stored[Record]) -> str:
    """Return the comment above a record on its page, the page's seal still open."""
    kind = kind_of(stored.record)
    spoiler = "" if kind is RecordKind.ENTRY else "# SPOILER: it tells what readers are not to know yet.\n"
    return (
        f"# {kind.value} {stored.record.id}, version {stored.version}\n{spoiler}"
        f"# Change the values below; `bookwright sync` takes them in.\n# {OPEN}\n\n"
    )


def about(text: str) -> tuple[RecordKind, str, int]:
    """Return of which record a page is, and of which version.

    Raises:
        InvalidInput: Its first comment does not say.
    """
    found = _ABOUT.search(text)
    if found is None:
        raise InvalidInput("has lost its first line, which says of which version it was made; put it back")
    return RecordKind(found[1]), found[2], int(found[3])


def body_of(text: str) -> str:
    """Return a page's TOML without the comment above it."""
    lines = text.split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    return "\n".join(lines[start:]).strip() + "\n"


def record_in(text: str, kind: RecordKind) -> Record:
    """Read a page's record.

    Raises:
        InvalidInput: It is no TOML, or no such record.
    """
    try:
        values = tomllib.loads(body_of(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"is not valid TOML: {error}") from None
    return make_record(kind, values)
