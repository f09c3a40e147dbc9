"""A book's folder and its book brought to agree: what a person changed in files becomes new versions.

The folder is read, every changed file is held against the book, and all that can be taken in is taken in by one
transaction; then the folder is rendered. A file whose changes could not be taken in stays as it is.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bookwright.exports.vault.names import NOTES
from bookwright.exports.vault.pages import Page
from bookwright.exports.vault.paper import LONGEST_BYTES
from bookwright.exports.vault.sealed import is_untouched, seal_of, sealed
from bookwright.flows.hand_edits import Edit, Outcome, edit_of, is_unchanged
from bookwright.flows.revise import take_in, void_unfinished
from bookwright.flows.vault import Rendered, Vault, is_blank, sum_of
from bookwright.models.codex import Visibility
from bookwright.models.codex_record import Origin, kind_of
from bookwright.models.errors import InvalidInput
from bookwright.models.merge import has_marks
from bookwright.storage.stores import Stores
from bookwright.storage.vault_folder import Listed

_CONFLICT = ".conflict"
_TAKEN = (Outcome.TAKEN, Outcome.MERGED)
_LEFT = (Outcome.CONFLICT, Outcome.REFUSED)


@dataclass(frozen=True)
class Finding:
    """What a file is found to be, or what became of it."""

    path: str
    outcome: Outcome
    detail: str = ""


@dataclass
class Plan:
    """What a sync would do."""

    findings: list[Finding] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    accepted: dict[str, str] = field(default_factory=dict)
    """Files whose words the book will have, by the sum of what stands in them."""
    settled: list[str] = field(default_factory=list)
    """Files of conflicts that a person has settled."""

    @property
    def changes(self) -> int:
        """How many files bring something new into the book."""
        return sum(finding.outcome in _TAKEN for finding in self.findings)

    @property
    def left(self) -> list[Finding]:
        """What could not be taken in."""
        return [finding for finding in self.findings if finding.outcome in _LEFT]


class Sync:
    """One look through a book's folder, in one transaction of its database."""

    def __init__(self, vault: Vault, stores: Stores) -> None:
        self._vault = vault
        self._stores = stores
        self._default: Visibility = stores.books.get(vault.storage.book).brief.default_visibility
        self._pages = vault.pages_in(stores)
        self._known: set[str] = set()
        self.plan = Plan()

    def look(self) -> Plan:
        """Hold every file against the book; nothing is changed."""
        for page in self._pages:
            self._look_at(page)
        self._look_at_gone()
        for path in self._vault.folder.files((NOTES,)):
            if _composed(path) not in self._known and not _is_hidden(path):
                detail = "a conflict that is over; delete it" if _is_conflict(path) else ""
                self._find(path, Outcome.UNKNOWN, detail)
        self.plan.findings.sort(key=lambda finding: finding.path)
        return self.plan

    def apply(self) -> None:
        """Take in what was found. Whoever calls holds the book's lease.

        Raises:
            InvalidInput: Something cannot be taken in after all; the transaction is to be undone.
        """
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

    def _look_at(self, page: Page) -> None:
        listed = self._vault.list.pages.get(page.key)
        paths = list(dict.fromkeys([page.path, *([listed.path] if listed else [])]))
        self._known.update(map(_composed, paths))
        there = [path for path in paths if self._is_there(path)]
        for path in there:
            self._look_at_file(page, path)
        if not there:
            self._find(page.path, Outcome.RESTORED if listed else Outcome.RENDERED)

    def _look_at_file(self, page: Page, path: str) -> None:
        content = self._read(path)
        if content is None:
            return
        if is_unchanged(content):
            listed = self._vault.list.pages.get(page.key)
            if listed != Listed(page.path, page.stamp, seal_of(content)) and not self._is_as_rendered(page, content):
                self._find(path, Outcome.RENDERED)
                self.plan.accepted[path] = sum_of(content)
            return
        conflict = conflict_path(page.path)
        self._known.add(_composed(conflict))
        resolved = self._resolved(conflict)
        edit = edit_of(page, path, content if resolved is None else resolved, self._stores, self._default)
        self.plan.edits.append(edit)
        self._find(path, edit.outcome, _told(edit))
        if edit.outcome not in _LEFT:
            self.plan.accepted[path] = sum_of(content)
            self.plan.settled += [] if resolved is None else [conflict]

    def _is_as_rendered(self, page: Page, content: bytes) -> bool:
        return content == sealed(page.render(self._stores))

    def _resolved(self, conflict: str) -> bytes | None:
        """Return what a person made of a conflict; None where there is none, or it is not settled yet."""
        content = self._read(conflict) if self._vault.folder.has(conflict) else None
        if content is None or has_marks(content.decode("utf-8", "replace")):
            return None
        return content

    def _look_at_gone(self) -> None:
        """Find files of pages that the book has no more, and that a person changed."""
        wanted = {page.key for page in self._pages}
        for key, listed in self._vault.list.pages.items():
            if key in wanted or not self._is_there(listed.path):
                continue
            self._known.add(_composed(listed.path))
            content = self._read(listed.path)
            if content is not None and is_unchanged(content):
                self.plan.accepted[listed.path] = sum_of(content)
            elif content is not None:
                self._find(listed.path, Outcome.REFUSED, "is no part of the book any more; move it away or delete it")

    def _is_there(self, path: str) -> bool:
        """True where something stands there that is more than an empty file."""
        try:
            content = self._vault.folder.read(path)
        except OSError:
            return self._vault.folder.has(path)
        return content is not None and not is_blank(content)

    def _read(self, path: str) -> bytes | None:
        """Return a file's content; what cannot be read is found to be so."""
        try:
            content = self._vault.folder.read(path)
        except OSError as error:
            self._find(path, Outcome.REFUSED, f"cannot be read as a file ({error.strerror or error})")
            return None
        if content is not None and len(content) > LONGEST_BYTES:
            self._find(path, Outcome.REFUSED, f"has more than {LONGEST_BYTES:,} bytes")
            return None
        return content

    def _find(self, path: str, outcome: Outcome, detail: str = "") -> None:
        self.plan.findings.append(Finding(path, outcome, detail))


def finish(vault: Vault, plan: Plan) -> Rendered:
    """Put conflicts and what is set aside beside, then bring the folder up to the book.

    Raises:
        InvalidInput: The folder cannot be written.
    """
    try:
        for edit in plan.edits:
            _put_beside(vault, edit)
        done = vault.render(plan.accepted)
        for path in plan.settled:
            vault.folder.remove(path)
    except OSError as error:
        raise InvalidInput(
            f"the folder {str(vault.folder.root)!r} cannot be written ({error.strerror or error}); what was taken in "
            "stands in the book"
        ) from None
    return done


def _put_beside(vault: Vault, edit: Edit) -> None:
    if edit.outcome is Outcome.SET_ASIDE:
        _set_aside(vault, edit.path)
    elif edit.outcome is Outcome.CONFLICT:
        path = conflict_path(edit.page.path)
        content = vault.folder.read(path)
        if content is not None and not is_untouched(content):
            if has_marks(content.decode("utf-8", "replace")):
                return  # somebody is at work on it
            _set_aside(vault, path)  # it was settled, and the book has gone on since
        vault.folder.write(path, sealed(edit.conflict))


def _set_aside(vault: Vault, path: str) -> None:
    """Keep what a person made of a file among the notes."""
    content = vault.folder.read(path)
    if content is not None:
        vault.folder.write(next(free for free in _aside(path) if not vault.folder.has(free)), content)


def _aside(path: str) -> Iterator[str]:
    name = PurePosixPath(path)
    yield f"{NOTES}/{name.name}"
    yield from (f"{NOTES}/{name.stem} {number}{name.suffix}" for number in range(2, 10_000))


def _told(edit: Edit) -> str:
    told = [f"{row.kind.value} {row.label}" for row in edit.texts]
    told += [f"title {edit.title!r}"] if edit.title else []
    told += [f"{kind_of(edit.record).value} {edit.record.id}"] if edit.record is not None else []
    return "; ".join(filter(None, [", ".join(told), edit.detail]))


def conflict_path(path: str) -> str:
    """Return the file in which a file's conflict is laid out."""
    name = PurePosixPath(path)
    return str(name.with_name(f"{name.stem}{_CONFLICT}{name.suffix}"))


def _is_conflict(path: str) -> bool:
    return PurePosixPath(path).stem.endswith(_CONFLICT)


def _is_hidden(path: str) -> bool:
    """True for what systems and editors leave behind."""
    return any(part.startswith((".", "~")) or part.endswith(("~", ".swp")) for part in path.split("/"))


def _composed(path: str) -> str:
    """A path as it is compared: some file systems take names apart."""
    return unicodedata.normalize("NFC", path)
