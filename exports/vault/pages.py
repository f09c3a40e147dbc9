"""The pages of one book's vault: what each is made of, known without reading its text."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from bookwright.agents.blueprints.page_reading import kept_name
from bookwright.exports.manuscript import pages_of
from bookwright.exports.markup import to_markdown
from bookwright.exports.record_toml import as_toml, record_head
from bookwright.exports.vault import names, page_text
from bookwright.exports.vault.names import FOLDERS, brief_locale
from bookwright.exports.vault.page_text import Ref, linked
from bookwright.exports.vault.progress import PATH as PROGRESS
from bookwright.exports.vault.progress import progress_page
from bookwright.exports.vault.readme import PATH as README
from bookwright.exports.vault.readme import Shown, readme_page
from bookwright.exports.vault.stages import progress_of
from bookwright.models.blueprint import Blueprint, Makes
from bookwright.models.book import Book
from bookwright.models.codex.entries import folded
from bookwright.models.codex.record import Record, RecordKind, Stored
from bookwright.models.document import DocumentKind
from bookwright.storage.repositories.texts import text_hash
from bookwright.storage.stores import Stores
from bookwright.storage.vault_rows import DocumentRow, UnitRow, VaultRows

_TASKS = (DocumentKind.DESIGN, DocumentKind.FINDINGS)
_RUNNING = (DocumentKind.BOOK_DESIGN, DocumentKind.GLOBAL_STATE, DocumentKind.STYLE_GUIDE)
_KEPT = (DocumentKind.REPORT, DocumentKind.REGISTER)
"""What is made of other documents, or became records of the codex: for reading alone."""
_STAGED = (*_TASKS, DocumentKind.REPORT)
_ALONE = (*_TASKS, *_KEPT, *_RUNNING, DocumentKind.SUMMARY)
KINDS = (*_ALONE, DocumentKind.PROSE)
"""What of a book stands in its vault."""


@dataclass(frozen=True)
class VaultPage:
    """One file of a vault."""

    key: str
    """What it is, whatever it is called."""
    path: str
    """Where it stands, from the vault on, with slashes."""
    stamp: str
    """Of which versions it is made: two pages with one stamp read the same."""
    render: Callable[[Stores], str]
    """Makes its text, the seal still open."""
    heading: str = ""
    rows: tuple[DocumentRow, ...] = ()
    """The documents in it, in order; empty for what is no text."""
    record: Stored[Record] | None = None
    titled_by: int | None = None
    """The node whose title stands in its heading and may be changed there."""
    title: str = ""


class Pages:
    """The pages of a book as it stands in one transaction."""

    def __init__(self, stores: Stores, book: Book, plan: Blueprint | None = None) -> None:
        """`plan` is the book's blueprint; None where it has none, or none that can be read."""
        self._stores = stores
        self._book = book
        self._rows = VaultRows(stores.connection, book.id)
        self.plan = plan
        self.locale = brief_locale(book.brief)
        self.names = FOLDERS[self.locale]

    @cached_property
    def units(self) -> list[UnitRow]:
        """The book, its parts and its chapters."""
        return self._rows.units()

    @cached_property
    def places(self) -> list[names.HeadedUnit]:
        """What is written, under its headings."""
        units = self.units if self.has_prose else ()
        return names.headed_units(units, self._book.brief.language, self._book.title)

    @cached_property
    def has_prose(self) -> bool:
        """False for a book whose designs are all of it."""
        if self.plan is not None:
            return self.plan.makes is not Makes.DESIGNS
        return not (self._book.brief.blueprint and pages_of(self._stores.nodes.root(), self._stores))

    @cached_property
    def _files(self) -> dict[str, str]:
        """The names of the files of a blueprint's pages, its world's too, by folded title; the first page counts."""
        found: dict[str, str] = {}
        for row in sorted(self._rows.documents(*_STAGED), key=lambda row: row.order):
            if row.title and _is_linked(row) and not self._is_listed_twice(row):
                name = self._task_path(row).rpartition("/")[2].removesuffix(".md")
                found.setdefault(folded(row.title.removesuffix(self.names.spoiler)), name)
        return found

    @cached_property
    def _links(self) -> str:
        """By what it is known that the files that pages link to are called as they were."""
        return text_hash("\n".join(f"{title} {name}" for title, name in sorted(self._files.items())))

    @cached_property
    def _registers(self) -> dict[int, str]:
        """The hash of each register's list, by its node."""
        return {row.node: row.text_hash for row in self._rows.documents(DocumentKind.REGISTER)}

    def _is_listed_twice(self, row: DocumentRow) -> bool:
        """True for a page that says what the register of its task says already."""
        return row.kind is DocumentKind.DESIGN and self._registers.get(row.node) == row.text_hash

    def staged(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the stages of a blueprint in reading order, each with the titles and files of its pages."""
        found = self._rows.documents(*_STAGED, DocumentKind.REGISTER)
        pages = [row for row in found if row.stage and not self._is_listed_twice(row)]
        rows = sorted({row.node: row for row in pages}.values(), key=lambda row: row.order)
        stages = groupby(rows, key=lambda row: row.stage_title)
        return [(stage, [(row.title, self._task_path(row)) for row in some]) for stage, some in stages]

    def folders(self) -> dict[str, set[DocumentKind | None]]:
        """Return the folders at the top that there are, with what stands in each; None is a record of the codex."""
        found: dict[str, set[DocumentKind | None]] = {self.names.world: {None}} if self._rows.has_records() else {}
        for kind, folder in self._rows.shelves(*KINDS):
            found.setdefault(names.top_folder(kind, folder, self.names), set()).add(kind)
        return found

    def all(self) -> Iterator[VaultPage]:
        """Yield every page but those that tell of the whole."""
        rows = self._rows.documents(*KINDS)
        yield from map(self._alone, (row for row in rows if self._is_page(row)))
        yield from self._chapters([row for row in rows if row.kind is DocumentKind.PROSE])
        yield from self.records()

    def after(self, identity: int) -> Iterator[VaultPage]:
        """Yield the pages that documents after one belong to."""
        rows = self._rows.documents_after(identity, *KINDS)
        yield from map(self._alone, (row for row in rows if self._is_page(row)))
        chapters = {self._chapter_of(row.label) for row in rows if row.kind is DocumentKind.PROSE}
        for place in filter(None, chapters):
            inside = self._rows.documents_under(place.unit.key, DocumentKind.PROSE)
            yield self._chapter(place, inside)

    def records(self) -> Iterator[VaultPage]:
        """Yield the pages of the codex."""
        for kind in RecordKind:
            for stored in self._stores.codex.current(kind):
                yield self._record(kind, stored)

    def _chapters(self, texts: Sequence[DocumentRow]) -> Iterator[VaultPage]:
        inside: dict[str, list[DocumentRow]] = {}
        for row in texts:
            place = self._chapter_of(row.label)
            if place is not None:
                inside.setdefault(place.unit.label, []).append(row)
        for place in self._by_label.values():
            if place.unit.label in inside:
                yield self._chapter(place, inside[place.unit.label])

    @cached_property
    def _by_label(self) -> dict[str, names.HeadedUnit]:
        return {place.unit.label: place for place in self.places if place.number is not None}

    def _chapter_of(self, label: str) -> names.HeadedUnit | None:
        """The chapter that a unit lies in; None where that is not counted as written yet."""
        while label and label not in self._by_label:
            label = label.rpartition(".")[0]
        return self._by_label.get(label)

    def _chapter(self, place: names.HeadedUnit, inside: Sequence[DocumentRow]) -> VaultPage:
        rows = tuple(sorted(inside, key=lambda row: row.order))
        unit, is_book = place.unit, place.unit.parent is None
        return self._page(
            f"prose/{unit.key}", names.chapter_path(place, self.names), place.heading, rows, unit.label,
            title=self._book.title if is_book else unit.title, titled_by=None if is_book else unit.key,
        )  # fmt: skip

    def _is_page(self, row: DocumentRow) -> bool:
        return row.kind in _ALONE and not self._is_listed_twice(row)

    def _alone(self, row: DocumentRow) -> VaultPage:
        key = f"{row.kind.value}/{row.node}"
        if row.kind in _RUNNING:
            name = self._running_name(row.kind)
            return self._page(key, f"{self.names.planning}/{name}.md", name, (row,), row.label)
        if row.kind is DocumentKind.SUMMARY:
            heading = f"{self.names.summaries}: {row.title}" if row.title else f"{self.names.summaries} {row.label}"
            path = f"{self.names.summaries}/{names.titled(row.label, row.title)}.md"
            return self._page(key, path, heading, (row,), row.label)
        path, heading = self._task_path(row), row.title or row.goal[:80]
        if row.kind in _KEPT:
            return self._page(key, path, heading, (row,), row.label)
        return self._page(key, path, heading, (row,), row.label, title=row.title, titled_by=row.node)

    def _task_path(self, row: DocumentRow) -> str:
        return names.task_path(row, self.names, is_spoiler=self._is_spoiler(row))

    def _is_spoiler(self, row: DocumentRow) -> bool:
        """Tell whether a page tells the end: a register always does, a report where no blueprint says otherwise."""
        if row.kind is DocumentKind.REGISTER:
            return True
        if self.plan is None:
            return row.kind is DocumentKind.REPORT
        member = self.plan.member(row.member)
        return member is not None and member.tells_end

    def _running_name(self, kind: DocumentKind) -> str:
        ending = self.names.spoiler
        names = f"{self.names.book_design}{ending}", f"{self.names.state}{ending}", self.names.style
        return dict(zip(_RUNNING, names, strict=True))[kind]

    def _page(
        self, key: str, path: str, heading: str, rows: tuple[DocumentRow, ...], label: str, *, title: str = "",
        titled_by: int | None = None,
    ) -> VaultPage:  # fmt: skip
        kind = rows[0].kind.value
        head = {"book": self._book.id, "id": key, "node": label, "kind": kind, "title": " ".join(title.split())}

        def render(stores: Stores) -> str:
            texts = stores.texts.get_many(row.text_hash for row in rows)
            refs = [Ref(row.label, row.kind.value, row.version, row.text_hash) for row in rows]
            files = self._files if is_linked else {}
            return page_text.rendered(head, refs, heading, [linked(texts[row.text_hash], files) for row in rows])

        is_linked = any(map(_is_linked, rows))
        stamp = " ".join([*(str(row.id) for row in rows), *([self._links] if is_linked else [])])
        return VaultPage(key, path, f"{stamp} {heading}", render, heading, rows, titled_by=titled_by, title=title)

    def _record(self, kind: RecordKind, stored: Stored[Record]) -> VaultPage:
        return VaultPage(
            key=f"{kind.value}/{stored.record.id}", path=names.record_path(stored.record, self.names),
            stamp=str(stored.version), render=lambda stores: record_head(stored) + as_toml(stored.record),
            record=stored,
        )  # fmt: skip


def _is_linked(row: DocumentRow) -> bool:
    """True for a page of a blueprint or of a world: its titles in double brackets are links."""
    return bool(row.stage or row.folder)


def whole_pages(stores: Stores, book: Book, pages: Pages) -> Iterator[VaultPage]:
    """Yield the pages that tell of the book as a whole: README and progress file."""
    progress = progress_page(progress_of(stores, book, pages.units, has_prose=pages.has_prose, plan=pages.plan))
    yield VaultPage(f"made/{PROGRESS}", PROGRESS, text_hash(progress), lambda _: progress)
    blurb = stores.documents.latest(DocumentKind.BLURB)
    planned = kept_name(stores, pages.plan).description if pages.plan and blurb is None else ""
    words = to_markdown(" ".join((blurb.text if blurb else planned).split()))
    shown = Shown(pages.folders(), pages.places, [] if pages.has_prose else pages.staged(), pages.units[0].written)
    readme = readme_page(book, shown, pages.names, pages.locale, words)
    yield VaultPage(f"made/{README}", README, text_hash(readme), lambda _: readme)
