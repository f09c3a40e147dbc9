"""Renders a book's folder from the book, and never over what a person changed in it."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bookwright.exports.vault.names import NOTES
from bookwright.exports.vault.page_text import is_untouched, seal_of, sealed
from bookwright.exports.vault.pages import Pages, VaultPage, whole_pages
from bookwright.models.blueprint import Blueprint
from bookwright.models.book import Book
from bookwright.models.codex.record import RecordKind
from bookwright.models.errors import InvalidBlueprint
from bookwright.models.settings import Settings
from bookwright.storage.files.blueprints import blueprint_of
from bookwright.storage.files.vault_folder import ListedPage, VaultFolder, VaultList
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.vault_rows import VaultMark, VaultRows

FORMAT = 1
"""Of the pages: with another one all are rendered anew."""
_OF_CODEX = tuple(f"{kind.value}/" for kind in RecordKind)
_MOST_FAILURES = 3
"""Files that cannot be written, one after another, after which the rest is left for the next time."""


@dataclass
class Rendered:
    """What a rendering did; paths in the folder."""

    written: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    """Those of them that were not there."""
    removed: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    """What a person changed and nobody has taken in yet: left as it is."""
    failed: dict[str, str] = field(default_factory=dict)
    """What could not be written, and why."""


class Vault:
    """The folder of one book."""

    def __init__(self, storage: BookStorage, book: Book, settings: Settings) -> None:
        self.storage = storage
        self.folder = VaultFolder((settings.vaults or settings.home / "vaults") / book.id)
        self._blueprint, self._home = book.brief.blueprint, settings.home
        self.list = VaultList(self.folder, f"{FORMAT} {book.id} {book.created_at}")

    def pages_in(self, stores: Stores) -> list[VaultPage]:
        """Return all pages of the book as one transaction sees it."""
        book = stores.books.get(self.storage.book)
        pages = Pages(stores, book, self._plan)
        return [*pages.all(), *whole_pages(stores, book, pages)]

    @cached_property
    def _plan(self) -> Blueprint | None:
        """The book's blueprint; None where it has none, or none that can be read: the folder is made all the same."""
        try:
            return blueprint_of(self._blueprint, self._home).plan if self._blueprint else None
        except InvalidBlueprint:
            return None

    def render(self, accepted: Mapping[str, str] = {}) -> Rendered:
        """Bring the whole folder up to the book: what is missing is made, what is no more the book's is taken out.

        `accepted` are files, by the sum of what stands in them, whose words the book has now.
        """
        with self.storage.read() as stores:
            pages, mark = self.pages_in(stores), VaultRows(stores.connection, self.storage.book).mark()
        wanted = {page.key for page in pages}
        gone = [key for key in self.list.pages if key not in wanted]
        done = self._put(pages, gone, mark, accepted)
        self.folder.clear_unfinished()
        return done

    def follow(self, *, with_whole: bool) -> Rendered:
        """Render what came since the last time; `with_whole`, also what tells of the book as a whole."""
        with self.storage.read() as stores:
            mark = VaultRows(stores.connection, self.storage.book).mark()
            if mark.documents == self.list.mark.documents and not with_whole:
                return Rendered()
            book = stores.books.get(self.storage.book)
            pages = Pages(stores, book, self._plan)
            found = list(pages.after(self.list.mark.documents))
            gone: list[str] = []
            if mark.records != self.list.mark.records:
                records = {page.key: page for page in pages.records()}
                found += records.values()
                gone = [key for key in self.list.pages if key.startswith(_OF_CODEX) and key not in records]
            found += whole_pages(stores, book, pages) if with_whole else ()
        return self._put(found, gone, mark, {})

    def _put(
        self, pages: Iterable[VaultPage], gone: Iterable[str], mark: VaultMark, accepted: Mapping[str, str]
    ) -> Rendered:
        done, notes = Rendered(), dict[str, ListedPage | None]()
        for key in gone:
            if self._is_cleared(self.list.pages[key].path, accepted, done):
                notes[key] = None
        for page in pages:
            is_stuck = len(done.failed) >= _MOST_FAILURES
            listed = None if is_stuck else self._put_page(page, accepted, done)
            if listed is not None:
                notes[page.key] = listed
        self.list.note(notes, self.list.mark if done.failed else mark)
        return done

    def _put_page(self, page: VaultPage, accepted: Mapping[str, str], done: Rendered) -> ListedPage | None:
        """Put a page in its place; None where it stands there, or cannot or must not be put."""
        listed = self.list.pages.get(page.key)
        is_as_listed = listed is not None and (listed.path, listed.stamp) == (page.path, page.stamp)
        if is_as_listed and page.path not in accepted and self.folder.holds(page.path):
            return None
        try:
            return self._replace(page, listed, accepted, done)
        except OSError as error:
            done.failed[page.path] = error.strerror or str(error)
            return None

    def _replace(
        self, page: VaultPage, listed: ListedPage | None, accepted: Mapping[str, str], done: Rendered
    ) -> ListedPage | None:
        there = self.folder.read(page.path)
        with self.storage.read() as stores:
            content = sealed(page.render(stores))
        if there is not None and there != content and not _may_go(there, accepted.get(page.path)):
            done.held.append(page.path)
            return None
        if listed and listed.path != page.path:
            others = {other.path for key, other in self.list.pages.items() if key != page.key}  # which may be there now
            if listed.path not in others and not self._is_cleared(listed.path, accepted, done):
                return None
        if there != content:
            self.folder.write(page.path, content)
            done.written.append(page.path)
            done.created += [] if there is not None else [page.path]
        return ListedPage(page.path, page.stamp, seal_of(content))

    def _is_cleared(self, path: str, accepted: Mapping[str, str], done: Rendered) -> bool:
        """Take out a file that is no page any more, unless a person changed it."""
        try:
            there = self.folder.read(path)
            if there is not None and not _may_go(there, accepted.get(path)):
                done.held.append(path)
                return False
            self.folder.remove(path)
        except OSError as error:
            done.failed[path] = error.strerror or str(error)
            return False
        done.removed.append(path)
        return True

    def delete(self) -> list[str]:
        """Take out all that was rendered; return what is left, which is the author's own."""
        for path in self.folder.files((NOTES,)):
            content = readable(self.folder, path)
            if content is not None and is_untouched(content):
                self.folder.remove(path)
        self.list.drop()
        return self.folder.files()


def sum_of(content: bytes) -> str:
    """Return the hash by which a file's content is recognised."""
    return hashlib.sha256(content).hexdigest()


def is_blank(content: bytes) -> bool:
    """True for a file of nothing, as a power cut may leave it: it is as good as none."""
    return not content.strip(b"\x00 \t\r\n")


def _may_go(content: bytes, accepted: str | None) -> bool:
    return is_untouched(content) or is_blank(content) or (accepted is not None and sum_of(content) == accepted)


def readable(folder: VaultFolder, path: str) -> bytes | None:
    """Return a file's content; None where there is no file, or none that can be read."""
    try:
        return folder.read(path)
    except OSError:
        return None
