"""Names and paths of a vault's folders and files: in the book's own language, and safe on every file system."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

from bookwright.agents.relay.leaks.folding import other_forms
from bookwright.exports.headings import Numbering
from bookwright.models.brief import Brief
from bookwright.models.codex.entries import CodexEntry, EntryKind, Secret
from bookwright.models.codex.record import Record
from bookwright.models.document import DocumentKind
from bookwright.models.text.language import SIMPLIFIED, TRADITIONAL, Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.storage.vault_rows import DocumentRow, UnitRow

NOTES, OWN, LOG = "notes", ".bookwright", "agent-log"
"""The author's own folder, which nothing here touches; what the vault knows of itself; how the book goes."""
LONGEST = 120
"""Bytes of a name in UTF-8, its ending apart: file systems and their archives take at least twice that."""

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)", re.IGNORECASE)
_KEPT = frozenset("\u200c\u200d")
"""Joiners, without which some scripts and signs fall apart."""


@dataclass(frozen=True)
class FolderNames:
    """The folders of one book, in its language."""

    world: str
    planning: str
    chapters: str
    summaries: str
    characters: str
    setting: str
    secrets: str
    """Says that what is in it tells the end."""
    threads: str
    book_design: str
    state: str
    style: str
    register: str
    """Tells a register from the page of the same task."""
    spoiler: str
    """Ends the name of a file that tells the end."""


FOLDERS = {
    "en": FolderNames(
        "worldview", "planning", "chapters", "summaries", "characters", "world", "secrets (spoilers)",
        "foreshadowing (spoilers)", "Book design", "State of the story", "Style guide", "register", " (spoiler)",
    ),
    TRADITIONAL: FolderNames(
        "世界觀", "規劃", "章節", "摘要", "人物", "設定", "秘密（劇透）", "伏筆（劇透）", "全書設計",
        "故事現況", "文風指南", "清單", "（劇透）",
    ),
    SIMPLIFIED: FolderNames(
        "世界观", "规划", "章节", "摘要", "人物", "设定", "秘密（剧透）", "伏笔（剧透）", "全书设计",
        "故事现况", "文风指南", "清单", "（剧透）",
    ),
    "ja": FolderNames(
        "世界観", "企画", "章", "要約", "登場人物", "設定", "秘密（ネタバレ）", "伏線（ネタバレ）",
        "全体設計", "物語の現状", "文体の手引き", "一覧", "（ネタバレ）",
    ),
    "ko": FolderNames(
        "세계관", "기획", "장", "요약", "등장인물", "설정", "비밀 (스포일러)", "복선 (스포일러)",
        "전체 설계", "이야기 현황", "문체 지침", "목록", " (스포일러)",
    ),
}  # fmt: skip
"""By locale. Source: DETAILS "000 Slima Agents", localised roots."""


def brief_locale(brief: Brief) -> str:
    """Return `en`, `ja`, `ko`, `zh` or `zh-hans` for a book: for Chinese, the script in which its author writes."""
    if brief.language is not Language.ZH:
        return brief.language.value
    sample = f"{brief.title} {brief.premise}"
    traditional, simplified = _forms()
    told = sum(character in traditional for character in sample) - sum(character in simplified for character in sample)
    return TRADITIONAL if told > 0 else SIMPLIFIED


def safe_name(text: str, longest: int = LONGEST) -> str:
    """Return a text as the name of a file or folder, without an ending; empty where nothing of it can stand in one.

    No separator, no control or invisible character, nothing that Windows reserves, no dot or blank at
    either end, and at most `longest` bytes.
    """
    composed = unicodedata.normalize("NFC", "".join(map(_visible, text)))
    name = _bare(" ".join(_FORBIDDEN.sub(" ", composed).split()))
    name = _bare(name.encode()[:longest].decode(errors="ignore"))
    return f"_{name}" if _RESERVED.match(name) else name


def safe_path(text: str) -> str:
    """Return a relative path of folders that leaves the vault nowhere and is none of its own or the author's."""
    parts = [name for name in map(safe_name, text.split("/")) if name]
    if not parts or parts[0].casefold() in (NOTES, LOG):
        parts[:1] = [f"_{parts[0] if parts else ''}"]
    return "/".join(parts)


def unique_name(identity: str) -> str:
    """Return a name for an id that no other id has, even where a file system tells no case and no composition."""
    name = safe_name(identity, LONGEST)
    if name == identity == unicodedata.normalize("NFKC", identity).casefold():
        return name
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe_name(identity, LONGEST - 9)}-{digest}".lstrip("-. \u200c\u200d")


def titled(mark: str, title: str, ending: str = "") -> str:
    """Return the name of a file that a mark tells from its siblings, such as `"1.2 The lamp"`.

    An ending that stands behind the title already is not put there twice.
    """
    bare = " ".join(title.split()).removesuffix(ending.strip()) if ending else title
    return f"{mark} {safe_name(bare, LONGEST - len(mark) - 1 - len(ending.encode()))}".strip() + ending


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cs", "Co", "Cn", "Cc") or (category == "Cf" and character not in _KEPT):
        return " " if category == "Cc" else ""
    return character


def _bare(name: str) -> str:
    return name.strip(" .\u200c\u200d")


@cache
def _forms() -> tuple[frozenset[str], frozenset[str]]:
    """The characters that only one script of Chinese has: the traditional, the simplified. Source: OpenCC."""
    traditional, simplified = _changing("TSCharacters"), _changing("STCharacters")
    return traditional - simplified, simplified - traditional


def _changing(name: str) -> frozenset[str]:
    forms = [*other_forms(name)]
    return frozenset(old for old, _ in forms) - frozenset(old for old, new in forms if old == new)


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
    if isinstance(record, CodexEntry):
        folder = names.characters if record.kind is EntryKind.CHARACTER else names.setting
    else:
        folder = names.secrets if isinstance(record, Secret) else names.threads
    return f"{names.world}/{folder}/{unique_name(record.id)}.toml"
