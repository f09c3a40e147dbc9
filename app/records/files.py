"""Codex entries, secrets and threads as TOML: in files, and in the author's editor."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import tomli_w

from bookwright.exports.record_toml import record_values
from bookwright.models.brief import MAX_BRIEF_BYTES, identified, toml_values
from bookwright.models.codex.entries import slug
from bookwright.models.codex.record import Record, RecordKind
from bookwright.models.errors import InvalidBrief, InvalidEntry, InvalidInput
from bookwright.storage.files.given_file import read_bytes

TABLES = {RecordKind.ENTRY: "codex", RecordKind.SECRET: "secrets", RecordKind.FORESHADOWING: "foreshadowing"}
"""Under which name a file holds the records of each register."""


def file_of(records: list[Record], kind: RecordKind) -> str:
    """Write the records of one register as the tables of a file, such as `[[secrets]]`."""
    return tomli_w.dumps({TABLES[kind]: [record_values(record) for record in records]}, multiline_strings=True)


def tables_in(path: Path, kind: RecordKind) -> list[dict[str, Any]]:
    """Read the tables of one register from a file; one without such tables is a single record.

    Raises:
        InvalidInput: The file cannot be read, is no TOML, or holds none.
    """
    values = toml_values(read_bytes(path, "file", MAX_BRIEF_BYTES, InvalidBrief))
    is_one = bool(values) and not set(values) & set(TABLES.values())
    found = [values] if is_one else values.get(TABLES[kind])
    if not isinstance(found, list) or not found or not all(isinstance(table, dict) and table for table in found):
        raise InvalidEntry(f"{str(path)!r} holds no [[{TABLES[kind]}]] table")
    if kind is RecordKind.SECRET:
        return found  # they are numbered where their codex is known
    if kind is RecordKind.ENTRY:
        return [{"id": slug(str(table.get("name") or "")), **table} for table in found]
    return identified(found)


def edited(text: str, name: str = "entry.toml") -> str | None:
    """Let the author change a text in $VISUAL or $EDITOR; None where it was left as it was.

    `name` is what the file is called: its ending tells an editor what it holds.

    Raises:
        InvalidInput: There is no terminal, or the editor failed.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInput("nothing to change was given, and there is no terminal for an editor; see --help")
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        try:
            failed = subprocess.run([*shlex.split(command), str(file)], check=False).returncode
        except (OSError, ValueError) as error:
            raise InvalidInput(f"the editor {command!r} cannot be started ({error}); set EDITOR") from None
        if failed:
            raise InvalidInput(f"the editor {command!r} failed; nothing was changed")
        after = file.read_text(encoding="utf-8", errors="replace")
    return None if after == text else after


def keep_draft(text: str, ending: str = ".toml") -> Path:
    """Keep what an author typed and could not be taken, and tell where."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="bookwright-", suffix=ending, delete=False) as file:
        file.write(text)
    return Path(file.name)
