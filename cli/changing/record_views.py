"""How the records of a codex are shown: as TOML, with their history, with what is suggested of them."""

import difflib
from itertools import pairwise
from typing import Annotated, Any

import typer

from bookwright.app.wording import moment
from bookwright.cli.access import open_book
from bookwright.cli.options import AsJson, BookArgument
from bookwright.cli.output import note, print_json, print_text
from bookwright.exports.record_toml import as_toml
from bookwright.models.codex.record import Record, RecordKind, Stored, Suggestion

RecordArgument = Annotated[str, typer.Argument(metavar="ID", help="Its id, a name or a title.")]


def facts_of(stored: Stored[Record]) -> dict[str, Any]:
    """Return a record's current version for `--json`."""
    return stored.record.model_dump(mode="json") | {"version": stored.version, "origin": stored.origin.value}


def show_suggestions(book: str, *, as_json: bool) -> None:
    """Print what waits for the author."""
    with open_book(book) as opened, opened.storage.read() as stores:
        waiting = [wish for kind in RecordKind for wish in stores.codex.suggestions.waiting(kind)]
    if as_json:
        print_json([wish.model_dump(mode="json", exclude={"status"}) for wish in waiting])
        return
    if not waiting:
        note("no suggestion waits")
    for wish in waiting:
        print_text(f"{wish.id:>5}  {wish.kind.noun} {wish.slug}: {_wanted(wish)}")


def show_record(book: BookArgument, kind: RecordKind, record: RecordArgument, as_json: AsJson = False) -> None:
    """Show one as TOML, with what an extraction would change of it."""
    with open_book(book) as opened, opened.storage.read() as stores:
        stored = stores.codex.get(kind, record)
        wishes = stores.codex.suggestions.waiting(kind, stored.record.id)
    if as_json:
        origins = {path: origin.value for path, origin in stored.origins.items()}
        told = [wish.model_dump(mode="json", exclude={"kind", "slug", "status"}) for wish in wishes]
        print_json(facts_of(stored) | {"origins": origins, "suggestions": told})
        return
    print_text(f"# version {stored.version}, by {stored.origin}, {moment(stored.recorded_at)}")
    print_text(as_toml(stored.record).rstrip())
    for wish in wishes:
        print_text(f"# suggestion {wish.id}: {_wanted(wish)}")


def show_history(book: BookArgument, kind: RecordKind, record: RecordArgument, as_json: AsJson = False) -> None:
    """Show every version of one with what it changed."""
    with open_book(book) as opened, opened.storage.read() as stores:
        versions = stores.codex.history(kind, record)
    texts = ["", *("" if stored.is_removed else as_toml(stored.record) for stored in versions)]
    changes = list(zip(versions, (_diff(old, new) for old, new in pairwise(texts)), strict=True))
    if as_json:
        print_json([_version_facts(stored, diff) for stored, diff in changes])
        return
    for stored, diff in changes:
        print_text(f"version {stored.version}, by {stored.origin}, {moment(stored.recorded_at)}{_source(stored)}")
        print_text("\n".join(f"  {line}" for line in diff) + "\n")


def _version_facts(stored: Stored[Record], diff: list[str]) -> dict[str, Any]:
    keys = ("version", "origin", "is_removed", "document", "step", "recorded_at")
    return {key: getattr(stored, key) for key in keys} | {"diff": diff}


def _diff(old: str, new: str) -> list[str]:
    lines = [*difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)][2:]  # without its two names
    return [line for line in lines if not line.startswith("@@")]


def _source(stored: Stored[Record]) -> str:
    parts = (f"document {stored.document}" if stored.document else "", f"step {stored.step}" if stored.step else "")
    told = ", ".join(filter(None, (*parts, "taken out" if stored.is_removed else "")))
    return f" ({told})" if told else ""


def _wanted(wish: Suggestion) -> str:
    return f"{wish.path} = {wish.wanted!r} (it is {wish.present!r})"
