"""One record of the codex as TOML, which reads back as the same record."""

from typing import Any

import tomli_w

from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.record import Record


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
