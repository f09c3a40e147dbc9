"""Reads what a person changed in the files of a book's folder and compares it with the book; writes nothing.

Base is the version that a file says it was rendered from, mine is the file, theirs is what stands in the book.
"""

import unicodedata
from dataclasses import dataclass, field
from enum import StrEnum

from bookwright.exports.record_toml import about, as_toml, record_head, record_in
from bookwright.exports.vault import page_text
from bookwright.exports.vault.page_text import PageText, Ref, is_untouched
from bookwright.exports.vault.pages import VaultPage
from bookwright.flows.revision.edits import check_change, check_places, settled
from bookwright.flows.revision.revise import WRITABLE
from bookwright.models.codex.entries import Visibility
from bookwright.models.codex.record import Record, kind_of
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BookwrightError, InvalidInput
from bookwright.models.text.diff import has_marks, merged
from bookwright.models.text.plain import plain
from bookwright.storage.stores import Stores
from bookwright.storage.vault_rows import DocumentRow

_LONGEST_TITLE = 120
_READ_ONLY = {
    DocumentKind.REGISTER: "is a register, for reading alone: its secrets and threads are changed in the codex",
    DocumentKind.REPORT: "is a report, for reading alone: what is to be mended is changed in the pages that it names",
}


class FileOutcome(StrEnum):
    """What becomes of a file."""

    TAKEN = "taken"
    """Its changes become a new version."""
    MERGED = "merged"
    """They do, together with what changed in the book meanwhile."""
    CONFLICT = "conflict"
    """File and book changed the same words; neither is touched."""
    REFUSED = "refused"
    """It cannot be taken in, for a reason that is told; neither is touched."""
    SET_ASIDE = "set_aside"
    """It is made of the whole book; what a person made of it is kept in the notes."""
    RESTORED = "restored"
    """Somebody deleted it; it is there again."""
    RENDERED = "rendered"
    """The book had gone on, or only the file's form was another; nothing of it is lost."""
    UNKNOWN = "unknown"
    """It is no file of the book's; it is left alone."""


@dataclass
class Edit:
    """What one file holds that its book does not."""

    page: VaultPage
    path: str
    content: bytes
    """What the file holds; of a settled conflict, what it holds all the same."""
    outcome: FileOutcome = FileOutcome.RENDERED
    detail: str = ""
    texts: dict[DocumentRow, str] = field(default_factory=dict)
    """The words that each document is to have."""
    title: str = ""
    """What the node in its heading is to be called; empty where it keeps its title."""
    record: Record | None = None
    conflict: str = ""
    """Both sides with marks between them, the seal still open, where they cannot be told apart."""


def is_unchanged(content: bytes) -> bool:
    """Tell whether a file reads as it was rendered, whatever an editor or git did to its line ends and characters."""
    if is_untouched(content):
        return True
    try:
        text = page_text.decoded(content)
    except InvalidInput:
        return False
    return any(is_untouched(form.encode()) for form in (text, unicodedata.normalize("NFC", text)))


def edit_of(
    page: VaultPage, path: str, content: bytes, stores: Stores, default: Visibility, resolved: bytes | None = None
) -> Edit:
    """Hold a changed file against the book; `resolved` is what a person made of its conflict, which stands for it."""
    edit = Edit(page, path, content)
    if not page.rows and page.record is None:
        edit.outcome = FileOutcome.SET_ASIDE
        return edit
    try:
        text = page_text.decoded(content if resolved is None else resolved)
        if has_marks(text):
            raise InvalidInput("still holds marks of a conflict; settle them first")
        if page.record is None:
            _read_texts(edit, page_text.parsed(text), stores)
        else:
            _read_record(edit, text, stores, default)
    except BookwrightError as error:
        edit.outcome, edit.detail, edit.texts, edit.title = FileOutcome.REFUSED, str(error), {}, ""
    return edit


def _read_texts(edit: Edit, read: PageText, stores: Stores) -> None:
    here = {(row.label, row.kind.value): row for row in edit.page.rows}
    both: dict[Ref, str] = {}
    for ref, mine in zip(read.refs, read.texts, strict=True):
        base = _base(ref, stores)
        mine = plain(mine).strip()
        if unicodedata.is_normalized("NFC", base):
            mine = unicodedata.normalize("NFC", mine)
        if _same(mine, base):
            continue
        row = here.get((ref.label, ref.kind))
        if row is None:
            raise InvalidInput(f"changes {ref.kind} {ref.label}, which is no part of this file any more")
        _take(edit, row, ref, (base, mine, stores.texts.get(row.text_hash)), both)
    _retitle(edit, read)
    if both:
        _set_conflict(edit, stores, both)
    elif (edit.texts or edit.title) and edit.outcome is FileOutcome.RENDERED:
        edit.outcome = FileOutcome.TAKEN


def _take(edit: Edit, row: DocumentRow, ref: Ref, sides: tuple[str, str, str], both: dict[Ref, str]) -> None:
    """Note what a document is to read like, or where its two sides are in each other's way."""
    base, mine, theirs = sides
    if row.kind not in WRITABLE:
        reason = _READ_ONLY.get(row.kind, "is kept by the engine and follows what it is made of")
        raise InvalidInput(f"{reason}; delete the file to have it as it stands in the book")
    if not mine:
        raise InvalidInput(f"leaves {ref.kind} {ref.label} without a word; delete the file to have it back")
    if row.text_hash == ref.text_hash:
        edit.texts[row] = mine
        return
    result = merged(base, mine, theirs.strip())
    if result.conflicts:
        both[Ref(row.label, row.kind.value, row.version, row.text_hash)] = result.text
    elif not _same(result.text, theirs):
        edit.texts[row] = result.text
        edit.outcome = FileOutcome.MERGED


def _set_conflict(edit: Edit, stores: Stores, both: dict[Ref, str]) -> None:
    """Lay the file out as it stands in the book, with both sides where they differ."""
    known = {(ref.label, ref.kind): text for ref, text in both.items()}
    refs = [Ref(row.label, row.kind.value, row.version, row.text_hash) for row in edit.page.rows]
    texts = [
        known.get((row.label, row.kind.value), edit.texts.get(row, "")) or stores.texts.get(row.text_hash)
        for row in edit.page.rows
    ]
    edit.conflict = page_text.rendered({"node": edit.page.rows[0].label}, refs, edit.page.heading, texts)
    edit.outcome, edit.texts, edit.title = FileOutcome.CONFLICT, {}, ""
    edit.detail = f"{', '.join(f'{ref.kind} {ref.label}' for ref in both)} changed in the book, too"


def _retitle(edit: Edit, read: PageText) -> None:
    """Find out whether a person gave the node another title, in the heading or in the front matter."""
    page, title = edit.page, " ".join(edit.page.title.split())
    heading = " ".join(page.heading.split())
    rendered = heading.removesuffix(title) + read.title if title and heading.endswith(title) else heading
    wanted = ""
    if read.heading and read.heading not in (heading, rendered):
        wanted = read.heading.removeprefix(heading.removesuffix(title)) if title else read.heading
    elif read.title and read.title != title and read.heading in (heading, ""):
        wanted = read.title
    wanted = " ".join(plain(wanted).split())[:_LONGEST_TITLE].strip()
    if not wanted or wanted == title:
        return
    if page.titled_by is None:
        edit.detail = "its heading is the engine's and comes back as it was"
    else:
        edit.title = wanted


def _base(ref: Ref, stores: Stores) -> str:
    """Return the text that a file was rendered from; raise `InvalidInput` if the book has no such version."""
    node = stores.nodes.by_label(ref.label)
    kinds = [kind for kind in DocumentKind if kind.value == ref.kind]
    versions = [found for kind in kinds for found in stores.documents.versions(node.key, kind)]
    named = [found for found in versions if (found.version, found.text_hash) == (ref.version, ref.text_hash)]
    if not named:
        raise InvalidInput(
            f"says that it was made from version {ref.version} of {ref.kind} {ref.label}, which this book does not "
            "have as the file tells it"
        )
    return stores.documents.text_of(named[0]).strip()


def _same(one: str, other: str) -> bool:
    """Blanks at the ends of lines are taken out by editors, and say nothing."""
    return [line.rstrip() for line in one.strip().split("\n")] == [line.rstrip() for line in other.strip().split("\n")]


def _read_record(edit: Edit, text: str, stores: Stores, default: Visibility) -> None:
    now = edit.page.record
    assert now is not None
    kind, name, version = about(text)
    if (kind, name) != (kind_of(now.record), now.record.id):
        raise InvalidInput(f"says that it is the {kind.noun} {name!r}, and lies in the place of {now.record.id!r}")
    base = next((old.record for old in stores.codex.history(kind, name) if old.version == version), None)
    if base is None:
        raise InvalidInput(f"says that it was made from version {version} of {name!r}, which this book does not have")
    mine = settled(record_in(text, kind), default)
    if mine in (base, now.record):
        return
    if version != now.version and base != now.record:
        result = merged(as_toml(base), as_toml(mine), as_toml(now.record), is_by_line=True)
        if result.conflicts:
            edit.conflict = record_head(now) + result.text
            edit.outcome, edit.detail = FileOutcome.CONFLICT, "the record changed in the book, too"
            return
        mine = settled(record_in(result.text, kind), default)
        edit.outcome = FileOutcome.MERGED
    check_change(now.record, mine)
    check_places(mine, stores, now.record)
    edit.record = mine
    edit.outcome = FileOutcome.TAKEN if edit.outcome is FileOutcome.RENDERED else edit.outcome
