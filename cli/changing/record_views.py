"""How the records of a codex are shown: as TOML, with their history, with what is suggested of them."""

import difflib
from itertools import pairwise
from typing import Any

from bookwright.app.wording import moment
from bookwright.cli.access import open_book
from bookwright.cli.output import emit, note, print_text
from bookwright.exports.record_toml import as_toml
from bookwright.models.codex.record import Record, RecordKind, Stored, Suggestion


def facts_of(stored: Stored[Record]) -> dict[str, Any]:
    """Return a record's current version for `--json`."""
    return stored.record.model_dump(mode="json") | {"version": stored.version, "origin": stored.origin.value}


def show_suggestions(book: str, *, as_json: bool) -> None:
    """Print what waits for the author."""
    with open_book(book) as opened, opened.storage.read() as stores:
        waiting = [wish for kind in RecordKind for wish in stores.codex.suggestions.waiting(kind)]

    def tell() -> None:
        if not waiting:
            note("no suggestion waits")
        for wish in waiting:
            print_text(
                f"{wish.id:>5}  {wish.kind.noun} {wish.slug}: {wish.path} = {wish.wanted!r} (it is {wish.present!r})"
            )

    emit(lambda: [wish.model_dump(mode="json", exclude={"status"}) for wish in waiting], tell, as_json=as_json)


def show_record(book: str, kind: RecordKind, name: str, *, as_json: bool) -> None:
    """Print a record as TOML, with what an extraction would change of it."""
    with open_book(book) as opened, opened.storage.read() as stores:
        stored = stores.codex.get(kind, name)
        wishes = stores.codex.suggestions.waiting(kind, stored.record.id)
    origins = {path: origin.value for path, origin in stored.origins.items()}
    told = [wish.model_dump(mode="json", exclude={"kind", "slug", "status"}) for wish in wishes]

    def tell() -> None:
        print_text(f"# version {stored.version}, by {stored.origin}, {moment(stored.recorded_at)}")
        print_text(as_toml(stored.record).rstrip())
        for wish in wishes:
            print_text(_wish_line(wish))

    emit(lambda: facts_of(stored) | {"origins": origins, "suggestions": told}, tell, as_json=as_json)


def show_history(book: str, kind: RecordKind, name: str, *, as_json: bool) -> None:
    """Print every version of a record with what it changed, oldest first."""
    with open_book(book) as opened, opened.storage.read() as stores:
        versions = stores.codex.history(kind, name)
    texts = ["", *("" if stored.is_removed else as_toml(stored.record) for stored in versions)]
    diffs = [_diff(old, new) for old, new in pairwise(texts)]

    def tell() -> None:
        for stored, diff in zip(versions, diffs, strict=True):
            print_text(f"version {stored.version}, by {stored.origin}, {moment(stored.recorded_at)}{_source(stored)}")
            print_text("\n".join(f"  {line}" for line in diff) + "\n")

    emit(
        lambda: [_version_facts(stored, diff) for stored, diff in zip(versions, diffs, strict=True)],
        tell,
        as_json=as_json,
    )


def _version_facts(stored: Stored[Record], diff: list[str]) -> dict[str, Any]:
    keys = ("version", "origin", "is_removed", "document", "step", "recorded_at")
    return {key: getattr(stored, key) for key in keys} | {"diff": diff}


def _diff(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def _source(stored: Stored[Record]) -> str:
    parts = (f"document {stored.document}" if stored.document else "", f"step {stored.step}" if stored.step else "")
    told = ", ".join(filter(None, (*parts, "taken out" if stored.is_removed else "")))
    return f" ({told})" if told else ""


def _wish_line(wish: Suggestion) -> str:
    return f"# suggestion {wish.id}: {wish.path} = {wish.wanted!r} (it is {wish.present!r})"
