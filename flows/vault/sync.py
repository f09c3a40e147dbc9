"""Synchronises a book's folder with its book: what a person changed in files becomes new versions.

The folder is read, every changed file is held against the book, and all that can be taken in is taken in by one
transaction; then the folder is rendered. A file whose changes could not be taken in stays as it is.
"""

from dataclasses import dataclass, field

from bookwright.exports.vault.page_text import LONGEST_BYTES, seal_of, sealed
from bookwright.exports.vault.pages import VaultPage
from bookwright.flows.revision.revise import take_in, void_unfinished
from bookwright.flows.vault.hand_edits import Edit, FileOutcome, edit_of, is_unchanged
from bookwright.flows.vault.rendering import Vault, sum_of
from bookwright.flows.vault.strays import (
    composed,
    conflict_path,
    is_conflict,
    is_of,
    is_there,
    lay_out,
    set_aside,
    strays_in,
)
from bookwright.models.codex.entries import Visibility
from bookwright.models.codex.record import Origin, kind_of
from bookwright.models.errors import InvalidInput
from bookwright.models.text.diff import has_marks
from bookwright.storage.files.vault_folder import ListedPage
from bookwright.storage.stores import Stores

_TAKEN = (FileOutcome.TAKEN, FileOutcome.MERGED)
_LEFT = (FileOutcome.CONFLICT, FileOutcome.REFUSED)


@dataclass(frozen=True)
class FileFinding:
    """What a file is found to be, or what became of it."""

    path: str
    outcome: FileOutcome
    detail: str = ""


@dataclass
class Plan:
    """What a sync would do."""

    findings: list[FileFinding] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    accepted: dict[str, str] = field(default_factory=dict)
    """Files whose words the book will have, by the sum of what stands in them."""
    settled: list[str] = field(default_factory=list)
    """Files of conflicts that a person has settled."""
    changed_again: list[str] = field(default_factory=list)
    """Files that a person went on changing beside a conflict that they settled: both are theirs."""
    moved: dict[str, str] = field(default_factory=dict)
    """Files that a person gave another name: the name of now by the page's."""

    @property
    def changes(self) -> int:
        """How many files bring something new into the book."""
        return sum(finding.outcome in _TAKEN for finding in self.findings)

    @property
    def left(self) -> list[FileFinding]:
        """What could not be taken in."""
        return [finding for finding in self.findings if finding.outcome in _LEFT]


class Sync:
    """One look through a book's folder, in one transaction of its database."""

    def __init__(self, vault: Vault, stores: Stores) -> None:
        self._vault = vault
        self._stores = stores
        self._default: Visibility = stores.books.get(vault.storage.book).brief.default_visibility
        self._pages = vault.pages_in(stores)
        self._conflicts: set[str] = set()
        self.plan = Plan()

    def look(self) -> Plan:
        """Hold every file against the book; nothing is changed."""
        names = {page.key: self._names(page) for page in self._pages}
        there = {key: [path for path in paths if is_there(self._vault.folder, path)] for key, paths in names.items()}
        gone = [listed.path for key, listed in self._vault.list.pages.items() if key not in names]
        known = {composed(path) for paths in (*names.values(), gone) for path in paths}
        places = {page.key: page.path for page in self._pages}
        lacking = {page.path for page in self._pages if not there[page.key]}
        strays = strays_in(self._vault.folder, self._vault.storage.book, places, lacking, known)
        self.plan.moved = strays.moved
        for page in self._pages:
            self._look_at(page, there[page.key])
        for path in gone:
            self._look_at_gone(path)
        for path in strays.unknown:
            self._look_at_stray(path, strays.copies.get(path))
        self.plan.findings.sort(key=lambda finding: finding.path)
        return self.plan

    def apply(self) -> None:
        """Take in what was found, under the book's lease; raise `InvalidInput` if something of it cannot be."""
        if any(edit.record is not None for edit in self.plan.edits):
            void_unfinished(self._stores)
        for edit in self.plan.edits:
            for row, text in edit.texts.items():
                old = self._stores.documents.get(row.id)
                assert old is not None
                take_in(self._stores, self._stores.nodes.get(row.node), old, text)
            if edit.title and edit.page.titled_by is not None:
                self._stores.nodes.change(edit.page.titled_by, title=edit.title)
            if edit.record is not None and edit.page.record is not None:
                self._stores.codex.edit(edit.record, edit.page.record.version, Origin.AUTHOR)

    def _names(self, page: VaultPage) -> list[str]:
        """The place of a page, and the one in which it was last put."""
        listed = self._vault.list.pages.get(page.key)
        return list(dict.fromkeys([page.path, *([listed.path] if listed else [])]))

    def _look_at(self, page: VaultPage, there: list[str]) -> None:
        name = self.plan.moved.get(page.path)
        for path in there:
            self._look_at_file(page, path)
        if name is not None:
            self._look_at_file(page, page.path, name)
        elif not there:
            self._find(page.path, FileOutcome.RESTORED if page.key in self._vault.list.pages else FileOutcome.RENDERED)

    def _look_at_file(self, page: VaultPage, path: str, name: str = "") -> None:
        """Hold a file against its page; `name` is the one that a person gave it."""
        content = self._read(name or path)
        if content is None:
            return
        if is_unchanged(content):
            self._look_at_unchanged(page, path, content, name)
            return
        conflict = conflict_path(page.path)
        self._conflicts.add(composed(conflict))
        settled = self._settled(conflict)
        edit = edit_of(page, path, content, self._stores, self._default, settled)
        if settled is not None and edit.outcome is FileOutcome.REFUSED:
            edit.detail = f"its conflict was settled in {conflict!r}, which {edit.detail}"
        self.plan.edits.append(edit)
        is_again = settled is not None and not is_of(settled, content)
        self._find(path, edit.outcome, _detail(edit, name, is_again=is_again))
        if edit.outcome not in _LEFT:
            self.plan.accepted[path] = sum_of(content)
            self.plan.settled += [] if settled is None else [conflict]
            self.plan.changed_again += [path] if is_again else []

    def _look_at_unchanged(self, page: VaultPage, path: str, content: bytes, name: str) -> None:
        listed = self._vault.list.pages.get(page.key)
        is_listed = listed == ListedPage(page.path, page.stamp, seal_of(content))
        if name:
            self._find(path, FileOutcome.RESTORED, _renamed(name))
        elif is_listed or content == sealed(page.render(self._stores)):
            return
        else:
            self._find(path, FileOutcome.RENDERED)
        self.plan.accepted[path] = sum_of(content)

    def _settled(self, conflict: str) -> bytes | None:
        """Return what a person made of a conflict; None where there is none, or it is not settled yet."""
        content = self._read(conflict) if self._vault.folder.has(conflict) else None
        return None if content is None or has_marks(content.decode("utf-8", "replace")) else content

    def _look_at_gone(self, path: str) -> None:
        """Look at the file of a page that the book has no more: a person may have changed it."""
        content = self._read(path) if is_there(self._vault.folder, path) else None
        if content is not None and is_unchanged(content):
            self.plan.accepted[path] = sum_of(content)
        elif content is not None:
            self._find(path, FileOutcome.REFUSED, "is no part of the book any more; move it away or delete it")

    def _look_at_stray(self, path: str, place: str | None) -> None:
        """Name what lies in no page's place; `place` is that of the page of which it is a copy."""
        if place is not None:
            self._find(path, FileOutcome.UNKNOWN, f"a copy of {place!r}, left alone; changes belong there")
        elif composed(path) not in self._conflicts:
            self._find(path, FileOutcome.UNKNOWN, "a conflict that is over; delete it" if is_conflict(path) else "")

    def _read(self, path: str) -> bytes | None:
        """Return a file's content; what cannot be read is found to be so."""
        try:
            content = self._vault.folder.read(path)
        except OSError as error:
            self._find(path, FileOutcome.REFUSED, f"cannot be read as a file ({error.strerror or error})")
            return None
        if content is not None and len(content) > LONGEST_BYTES:
            self._find(path, FileOutcome.REFUSED, f"has more than {LONGEST_BYTES:,} bytes")
            return None
        return content

    def _find(self, path: str, outcome: FileOutcome, detail: str = "") -> None:
        self.plan.findings.append(FileFinding(path, outcome, detail))


def finish(vault: Vault, plan: Plan) -> list[FileFinding]:
    """Put conflicts and what is set aside beside, then bring the folder up to the book.

    What cannot be written, or was changed meanwhile, joins the plan's findings and is returned.

    Raises:
        InvalidInput: The folder cannot be written.
    """
    try:
        for path, name in plan.moved.items():
            vault.folder.move(name, path)
        for edit in plan.edits:
            if edit.outcome is FileOutcome.SET_ASIDE:
                set_aside(vault.folder, edit.path)
            elif edit.outcome is FileOutcome.CONFLICT:
                lay_out(vault.folder, edit.page.path, edit.conflict, edit.content)
        for path in plan.changed_again:
            set_aside(vault.folder, path)
        done = vault.render(plan.accepted)
        for path in plan.settled:
            vault.folder.remove(path)
    except OSError as error:
        raise InvalidInput(
            f"the folder {str(vault.folder.root)!r} cannot be written ({error.strerror or error}); what was taken in "
            "stands in the book"
        ) from None
    left = dict.fromkeys(done.held, "was changed while this went on; sync again")
    left |= {path: f"cannot be written ({reason})" for path, reason in done.failed.items()}
    told = {finding.path for finding in plan.left}
    found = [FileFinding(path, FileOutcome.REFUSED, reason) for path, reason in left.items() if path not in told]
    plan.findings += found
    return found


def _detail(edit: Edit, name: str, *, is_again: bool) -> str:
    told = [f"{row.kind.value} {row.label}" for row in edit.texts]
    told += [f"title {edit.title!r}"] if edit.title else []
    told += [f"{kind_of(edit.record).value} {edit.record.id}"] if edit.record is not None else []
    again = "as its conflict was settled; what the file itself says now is kept in notes/" if is_again else ""
    return "; ".join(filter(None, [", ".join(told), edit.detail, again, _renamed(name) if name else ""]))


def _renamed(name: str) -> str:
    return f"it was called {name!r}, and has its name again; a title is changed in its heading"
