"""What code reads off pages: the title and the description of the book, and records for the codex.

It costs nothing and is there in every profile.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bookwright.agents.blueprints.wording import HEADING, is_heading
from bookwright.models.blueprint import Blueprint, CodexPart
from bookwright.models.codex.entries import Visibility, folded, slug
from bookwright.models.codex.record import Record, RecordKind, make_record
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidEntry
from bookwright.models.text.prose import pieces
from bookwright.storage.stores import Stores

_TITLE, _DESCRIPTION = 120, 2_000
_MARKS = " \t*_`\"'“”‘’«»「」『』《》〈〉"


@dataclass(frozen=True)
class PlannedName:
    """What a book is to be called, and what may be told of it to anybody; empty where its page says neither."""

    title: str = ""
    description: str = ""


def planned_name(page: str) -> PlannedName:
    """Return what stands under the headings of the title and of the description, in the first place of each."""
    _, *rest = HEADING.split(page)
    found: dict[str, str] = {}
    for heading, below in zip(rest[::2], rest[1::2], strict=True):
        name = next((name for name in ("title", "description") if is_heading(heading.strip(_MARKS), name)), "")
        if name:
            found.setdefault(name, below.strip())
    title = next(iter(found.get("title", "").splitlines()), "").strip(_MARKS)
    return PlannedName(title if len(title) <= _TITLE else "", found.get("description", "")[:_DESCRIPTION])


def kept_name(stores: Stores, plan: Blueprint) -> PlannedName:
    """Return the name that the page holds which is to name the book; empty while there is none."""
    namers = {member.name for member in plan.members if member.names_book}
    tasks = [task.key for task in stores.nodes.children(stores.nodes.root().key) if task.member in namers]
    pages = stores.documents.of_nodes(tasks, DocumentKind.DESIGN)
    return planned_name(pages[0].text) if pages else PlannedName()


_LINK, _STRONG = re.compile(r"\[\[([^\[\]\n]+)\]\]"), re.compile(r"\*\*(.+?)\*\*")
_MOST_SECTIONS, _SECTION, _NAME, _CONTENT = 8, 600, 120, 4_000
"""Sections of an entry, and characters: of one of them, of a name, of a secret. The page itself holds the rest."""


@dataclass(frozen=True)
class CodexPage:
    """A page that goes to a codex."""

    title: str
    text: str
    part: CodexPart


def page_records(page: CodexPage, default: Visibility) -> list[Record]:
    """Return the records made of a page; parts that make no valid record are left out."""
    made = _secrets(page) if page.part is CodexPart.SECRET else [_entry(page, default)]
    records: list[Record] = []
    for kind, values in made:
        with suppress(InvalidEntry):
            records.append(make_record(kind, values))
    return records


def _entry(page: CodexPage, default: Visibility) -> tuple[RecordKind, dict[str, Any]]:
    name = _plain(page.title)[:_NAME].strip()
    sections: dict[str, dict[str, Any]] = {}
    for heading, text in _parts(page.text):
        told = _beginning(text, _SECTION)
        if told:
            title = heading or name
            sections.setdefault(folded(title), {"name": title, "text": told, "visibility": int(default)})
    kept = list(sections.values())[:_MOST_SECTIONS]
    return RecordKind.ENTRY, {"id": slug(name), "kind": page.part.value, "name": name, "sections": kept}


def _secrets(page: CodexPage) -> list[tuple[RecordKind, dict[str, Any]]]:
    """A secret for each heading; it comes out nowhere until somebody says where."""
    found = {}
    for heading, text in _parts(page.text):
        content = _beginning(text, _CONTENT)
        if content:
            identity = slug(heading or page.title)
            found[identity] = {"id": identity, "content": f"{heading}: {content}" if heading else content}
    return [(RecordKind.SECRET, values) for values in found.values()]


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield each heading, in plain words, with what stands under it; first what stands above them all, under none."""
    above, *rest = HEADING.split(text)
    yield "", above
    for heading, below in zip(rest[::2], rest[1::2], strict=True):
        if not is_heading(heading, "references"):
            yield _plain(heading)[:_NAME].strip(), below


def _beginning(text: str, most: int) -> str:
    """Return as many whole sentences as there is room for, on one line; of one that is longer, its beginning."""
    told = ""
    for piece in pieces(" ".join(_plain(text).split())):
        if told and len(told + piece.rstrip()) > most:
            break
        told += piece
    return told[:most].strip()


def _plain(text: str) -> str:
    """Return Markdown without its marks of links, stress, items and tables."""
    bare = _STRONG.sub(r"\1", _LINK.sub(r"\1", text))
    return "\n".join(line.strip().lstrip("-*+>#").strip(" |") for line in bare.splitlines()).strip()
