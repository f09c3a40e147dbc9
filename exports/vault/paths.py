"""The path of each page in a vault: chapters by number, designs by their place in the tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from bookwright.exports.headings import Numbering
from bookwright.exports.vault.names import FolderNames, safe_path, titled, unique_name
from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.codex.record import Record, RecordKind, kind_of
from bookwright.models.document import DocumentKind
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.storage.vault_rows import DocumentRow, UnitRow

_OWN = {TaskType.DESIGN: (DocumentKind.DESIGN, DocumentKind.REPORT), TaskType.SEARCH: (DocumentKind.FINDINGS,)}
"""What a task is for; anything else that it has says in its name what it is."""


@dataclass(frozen=True)
class HeadedUnit:
    """A written unit with the heading above it; `number` counts chapters through the book, None for a part."""

    unit: UnitRow
    heading: str
    depth: int
    number: int | None


def headed_units(units: Sequence[UnitRow], language: Language, title: str) -> list[HeadedUnit]:
    """Return the written parts and chapters in reading order, as the manuscript has them."""
    children: dict[int | None, list[UnitRow]] = {}
    for unit in units:
        children.setdefault(unit.parent, []).append(unit)
    found: list[HeadedUnit] = []
    numbers, ordinals = Numbering(language), count(1)

    def go(unit: UnitRow, depth: int) -> None:
        below = children.get(unit.key, []) if unit.level.is_at_least(Level.ACT) else []
        if not unit.written:
            return
        if not below:
            number = next(ordinals)
            heading = title if unit.level is Level.BOOK else numbers.chapter(unit.title, is_own=unit.is_brought_in)
            found.append(HeadedUnit(unit, heading or unit.title or str(number), depth, number))
            return
        if unit.level is not Level.BOOK:
            is_own = unit.is_brought_in or below[0].is_brought_in
            heading = numbers.part(unit.level, unit.unit_index, unit.title, is_own=is_own)
            found.append(HeadedUnit(unit, heading, depth, None))
        for child in below:
            go(child, depth + (unit.level is not Level.BOOK))

    for root in children.get(None, []):
        go(root, 0)
    return found


def chapter_path(place: HeadedUnit, names: FolderNames) -> str:
    """Return a chapter's file, such as `chapters/003 The lamp.md`."""
    return f"{names.chapters}/{titled(f'{place.number:03}', place.unit.title)}.md"


def summary_path(row: DocumentRow, names: FolderNames) -> str:
    """Return a summary's file, such as `summaries/1.2 The lamp.md`."""
    return f"{names.summaries}/{titled(row.label, row.title)}.md"


def task_path(row: DocumentRow, names: FolderNames, *, is_spoiler: bool) -> str:
    """Return the file of what a task produced, such as `planning/1.2/1.2.3 The harbour.md`."""
    what = names.register if row.kind is DocumentKind.REGISTER else row.kind.value
    mark = row.label if row.kind in _OWN.get(row.task_type, ()) else f"{row.label} {what}"
    own = names.planning if row.unit in (None, "1") else f"{names.planning}/{row.unit}"
    folder = safe_path(row.folder) if row.folder else own  # its blueprint's, or its unit's; the book's own at the top
    return f"{folder}/{titled(mark, row.title, names.spoiler if is_spoiler else '')}.md"


def top_folder(kind: DocumentKind, folder: str, names: FolderNames) -> str:
    """Return the folder at the top in which documents of a kind stand; `folder` is what a blueprint says of theirs."""
    if folder:
        return safe_path(folder).partition("/")[0]
    return {DocumentKind.PROSE: names.chapters, DocumentKind.SUMMARY: names.summaries}.get(kind, names.planning)


def record_path(record: Record, names: FolderNames) -> str:
    """Return the file of a record of the codex, such as `worldview/characters/mira.toml`."""
    return f"{names.world}/{_record_folder(record, names)}/{unique_name(record.id)}.toml"


def _record_folder(record: Record, names: FolderNames) -> str:
    if isinstance(record, CodexEntry):
        return names.characters if record.kind is EntryKind.CHARACTER else names.setting
    return names.secrets if kind_of(record) is RecordKind.SECRET else names.threads
