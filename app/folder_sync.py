"""A book's folder brought to agree with its book: what would be done, doing it, and conflicts settled by a choice."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bookwright.app.access import OpenBook, at_rest
from bookwright.flows.vault.hand_edits import Edit, FileOutcome
from bookwright.flows.vault.rendering import Vault
from bookwright.flows.vault.strays import conflict_path, set_aside
from bookwright.flows.vault.sync import FileFinding, Plan, Sync, finish
from bookwright.models.errors import EditConflict, InvalidInput
from bookwright.models.text.diff import BASE, END, MINE, THEIRS
from bookwright.storage.stores import BookStorage

_REGION = re.compile(
    rf"\n?^{re.escape(MINE)}\n(.*?)^{re.escape(BASE)}\n.*?^{re.escape(THEIRS)}\n(.*?)^{re.escape(END)}\n\n?",
    re.DOTALL | re.MULTILINE,
)
_BLANKS = re.compile(r"\s*")


class Side(StrEnum):
    """Whose words are to stand where both file and book changed the same."""

    FILE = "file"
    BOOK = "book"


@dataclass(frozen=True)
class FolderConflict:
    """A file and the book that changed the same words."""

    path: str
    about: str
    regions: list[tuple[str, str]]
    """The words of the file beside those of the book."""
    hash: str
    """What stands for what is shown."""


def vault_of(opened: OpenBook) -> Vault:
    """Return the folder of a book."""
    storage = BookStorage(opened.storage.database, opened.book.id, opened.book.brief.language)
    return Vault(storage, opened.book, opened.settings)


def look_at_folder(vault: Vault) -> Plan:
    """Return what a sync would do; nothing is changed."""
    with vault.storage.read() as stores:
        return Sync(vault, stores).look()


def sync_folder(vault: Vault) -> tuple[Plan, list[FileFinding]]:
    """Take in what there is now, and bring the folder up; also return what could not be written.

    Raises:
        BookHeld: The book is being written; nothing was changed.
        InvalidInput: The folder cannot be written.
    """
    with at_rest(vault.storage) as stores:
        work = Sync(vault, stores)
        plan = work.look()
        work.apply()
    return plan, finish(vault, plan)


def conflicts_in(plan: Plan) -> list[FolderConflict]:
    """Return the conflicts of a folder, each with its two sides."""
    return [_shown(edit) for edit in plan.edits if edit.outcome is FileOutcome.CONFLICT]


def settle_conflict(vault: Vault, path: str, sides: Sequence[Side], seen: str) -> None:
    """Let the words of one side stand at each place where file and book changed the same, as chosen place by place.

    The file as it was is kept in the folder's notes.

    Raises:
        EditConflict: File or book have changed since they were shown; nothing was done.
        BookHeld: The book is being written; nothing was changed.
        InvalidInput: There is no such conflict, a place was left open, or the folder cannot be written.
    """
    plan = look_at_folder(vault)
    edit = next((one for one in plan.edits if one.outcome is FileOutcome.CONFLICT and one.path == path), None)
    if edit is None:
        raise InvalidInput("There is no such conflict any more.")
    if _hash(edit) != seen:
        raise EditConflict("The file or the book has changed since this was shown; look at it again.")
    if len(sides) != len(_REGION.findall(edit.conflict)):
        raise InvalidInput("At each place either the words of the file are to stand, or those of the book.")
    settled = _settled(vault, edit, sides)
    try:
        set_aside(vault.folder, path)
        vault.folder.write(conflict_path(edit.page.path), settled.encode())
    except OSError as error:
        raise InvalidInput(f"The folder cannot be written ({error.strerror or error}).") from None
    sync_folder(vault)


def _settled(vault: Vault, edit: Edit, sides: Sequence[Side]) -> str:
    """Return the file with the chosen words where both stood, and behind them the blanks that their side has there."""
    with vault.storage.read() as stores:
        sources = {Side.FILE: edit.content.decode("utf-8", "replace"), Side.BOOK: edit.page.render(stores)}
    left = iter(sides)

    def chosen(region: re.Match[str]) -> str:
        side = next(left)
        words, source = region[1 if side is Side.FILE else 2].rstrip("\n"), sources[side]
        place = source.find(words)
        blanks = _BLANKS.match(source, place + len(words)) if words and place >= 0 else None
        return words + (blanks[0] if blanks else "")

    return _REGION.sub(chosen, edit.conflict)


def _shown(edit: Edit) -> FolderConflict:
    regions = [(mine.strip(), theirs.strip()) for mine, theirs in _REGION.findall(edit.conflict)]
    return FolderConflict(edit.path, edit.detail, regions, _hash(edit))


def _hash(edit: Edit) -> str:
    return hashlib.sha256(edit.content + edit.conflict.encode()).hexdigest()[:16]
